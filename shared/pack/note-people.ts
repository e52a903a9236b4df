import { isBoundToPerson, isPersonId } from '../runtime/people/act-for.ts'
import type { Caller } from '../runtime/ports/index.ts'
import type { Foundation } from './foundation.ts'

/**
 * Notes the person whom a call acts for, and returns them; one that a token may not name is refused later. Undefined:
 * nobody.
 */
export const notePerson = (
  people: Foundation['people'],
  caller: Caller,
  named: string | undefined,
): string | undefined => {
  const person = isBoundToPerson(caller) ? caller.person : (named ?? caller.person)
  if (!isPersonId(person)) return undefined
  people.noteNamed(caller.tenant, person)
  return person
}

/** The same for a verb that takes what names the person, once it has done its work. */
export const noting =
  <Named extends { person?: string | undefined }, Done>(
    people: Foundation['people'],
    verb: (caller: Caller, named: Named) => Promise<Done>,
  ) =>
  async (caller: Caller, named: Named): Promise<Done> => {
    const done = await verb(caller, named)
    notePerson(people, caller, named.person)
    return done
  }
