import { failField } from '#kit'
import type { Caller, Connection, StoredFile } from '../ports/index.ts'

// oxlint-disable-next-line no-control-regex -- control characters are what it refuses
const format = /^[^\u0000-\u001f\u007f]{1,256}$/

export const isPersonId = (id: unknown): id is string => typeof id === 'string' && format.test(id)

/** @throws Failure `invalid_input` */
export const requirePersonId = (person: string): void => {
  if (!isPersonId(person))
    throw failField('person', 'A person is named by the id that the platform has for them: 1 to 256 characters.')
}

/** Whether the caller's token acts for one person alone. */
export const isBoundToPerson = ({ person, namesPerson }: Caller): boolean => person !== undefined && !namesPerson

/**
 * The caller of a call that names a person; without a name, the caller as it is.
 * @throws Failure `invalid_input`; `not_allowed` when the caller acts for another person
 */
export const actFor = (caller: Caller, person: string | undefined): Caller => {
  if (person === undefined || person === caller.person) return caller
  requirePersonId(person)
  if (isBoundToPerson(caller))
    throw failField(
      'person',
      'This token acts for one person and cannot act for another. Leave "person" out, or use a token that is bound to nobody.',
      'not_allowed',
    )
  return { ...caller, person, namesPerson: true }
}

type Owned = Pick<Connection, 'id' | 'person'>

/** Whether the caller may use a connection: its token allows it, and it is nobody's or that of the person acted for. */
export const mayUse = ({ connections, person }: Caller, connection: Owned): boolean =>
  (connections?.includes(connection.id) ?? true) &&
  (person === undefined || connection.person == null || connection.person === person)

/**
 * `mayUse` by the id alone, for rows that have no more. A caller that is bound to a person needs `usable`, which the
 * pack adds.
 */
export const mayUseConnection = (caller: Caller, id: string): boolean =>
  (caller.connections?.includes(id) ?? true) && (!isBoundToPerson(caller) || (caller.usable?.includes(id) ?? false))

/** The connections that the caller is limited to; undefined: all of the tenant. */
export const limitedTo = (caller: Caller): string[] | undefined => {
  const { connections, usable = [] } = caller
  if (!isBoundToPerson(caller)) return connections
  return usable.filter((id) => connections?.includes(id) ?? true)
}

/** Whether a row was made for the person that the caller is bound to; a caller that is bound to nobody sees all. */
export const isForPerson = (caller: Caller, { person }: { person?: string | null | undefined }): boolean =>
  !isBoundToPerson(caller) || caller.person === person

/** Whether a call may use a file: that of the person it acts for or, where the call only names them, of nobody. */
export const mayUseFile = ({ person, namesPerson }: Caller, file: Pick<StoredFile, 'person'>): boolean =>
  person === undefined || file.person === person || (namesPerson === true && file.person == null)

/**
 * Only what is a person's own may be changed by them; what the workspace has is for all to use.
 * @throws Failure `not_allowed`
 */
export const requireOwner = (caller: Caller, connection: Pick<Connection, 'person' | 'name'>): void => {
  if (isForPerson(caller, connection)) return
  throw failField(
    'connection',
    `"${connection.name}" is an account of the workspace. Calls for a person may use it, but not change it.`,
    'not_allowed',
  )
}

/**
 * Where the host resolves the secrets, an external id names them in its vault. A token that acts for a person gives
 * none, not even beside secrets of their own: once those are revoked, the ones in the vault would take their place.
 * @throws Failure `not_allowed`
 */
export const refuseVaultName = (caller: Caller, externalId: string | null | undefined): void => {
  if (externalId === undefined || !isBoundToPerson(caller)) return
  throw failField(
    'externalId',
    'This token acts for one person, so it cannot name secrets of the vault. Leave "externalId" out, or use a token that is bound to nobody.',
    'not_allowed',
  )
}
