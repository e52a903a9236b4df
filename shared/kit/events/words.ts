import type { Actor, Event } from '../event.ts'
import { namePart, say } from '../sentence.ts'
import type { NamedRef, Names, Sentence, SentencePart, Words } from '../sentence.ts'
import type { Trigger, Within } from '../trigger.ts'
import type { EventsDefinition, EventWith } from './definition.ts'
import { kindOf } from './read.ts'
import { containersOf, watchedList } from './watch.ts'

const refOf = ({ id, kind = 'person', name, username }: Actor) => {
  const shown = name ?? username
  return { kind, id, ...(shown === undefined ? {} : { name: shown }) }
}

/** Who did it, at the beginning of a sentence. */
export const actorPart = ({ actor }: Pick<Event, 'actor'>, names: Names): SentencePart =>
  namePart('who', actor && refOf(actor), 'Somebody', names)

/** What it is about; `otherwise` ("a message") while nobody has named it. */
export const subjectPart = ({ subject }: Pick<Event, 'subject'>, otherwise: string, names: Names): SentencePart =>
  namePart('what', subject, otherwise, names)

/** Where it is; `otherwise` ("a channel") while nobody has named it. */
export const containerPart = ({ container }: Pick<Event, 'container'>, otherwise: string, names: Names): SentencePart =>
  namePart('where', container, otherwise, names)

/** The actor, container and subject of an event, as far as it names them. */
export const namesInEvent = ({ actor, container, subject }: Event): NamedRef[] =>
  [actor && refOf(actor), container, subject].flatMap((ref) => (ref?.name ? [{ ...ref, name: ref.name }] : []))

const maxNamed = 3

const partOf = ({ kind, name }: Within, id: string, names: Names): SentencePart =>
  namePart('where', { kind, id, ...(name ? { name: name(id) } : {}) }, `a ${kind}`, names)

/** "a new message in General or Random". */
const describeWait = (
  { waits, within }: Pick<Trigger, 'waits' | 'within'>,
  config: Record<string, unknown>,
  names: Names,
): Sentence | undefined => {
  if (waits === undefined) return undefined
  if (!within) return say`${waits}`
  const list = watchedList(within, config)
  if (list !== undefined) return say`${waits} any ${within.kind} in the list ${list}`
  const ids = containersOf(within, config)
  if (ids.length === 0) return say`${waits} any ${within.kind}`
  const parts = ids.slice(0, maxNamed).flatMap((id, at) => say`${at === 0 ? '' : ' or '}${partOf(within, id, names)}`)
  return say`${waits} ${parts}${ids.length > maxNamed ? ` or ${ids.length - maxNamed} more` : ''}`
}

/** The words that follow from kinds of events and the triggers made from them. */
export const wordsOf = <Own>(
  events: EventsDefinition<Own>,
  triggers: Trigger[],
): Pick<Words, 'describe' | 'waitsFor' | 'namesIn'> => {
  const byId = new Map(triggers.map((trigger) => [trigger.id, trigger]))
  return {
    describe(event, names) {
      const polled = event.model.kind === '' ? (byId.get(event.type)?.on?.[0] ?? event.type) : undefined
      if (polled === undefined) return kindOf(events, event.type)?.sentence(event as EventWith<Own>, names)
      return kindOf(events, polled)?.sentence({ ...(event.raw as object), ...event } as EventWith<Own>, names)
    },
    waitsFor(trigger, config, names) {
      const definition = byId.get(trigger)
      return definition && describeWait(definition, config, names)
    },
    namesIn: namesInEvent,
  }
}
