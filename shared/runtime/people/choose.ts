import { fail, failField } from '#kit'
import type { Caller, Connection, Store } from '../ports/index.ts'
import { mayUse } from './act-for.ts'

/**
 * Which account a call without `connection` takes: that of the person it acts for, the workspace's default, or the
 * first of these that exists. `any`: a call for nobody takes any account, as before there were people.
 */
export type DefaultAccount = 'personal' | 'shared' | 'personal-then-shared' | 'any'

/** What a call without `connection` takes in a tenant: as its policy says, or else as the server is set. */
export const orderOf =
  (store: Pick<Store, 'tenants'>, setting: DefaultAccount = 'personal-then-shared') =>
  async (tenant: string): Promise<DefaultAccount> =>
    (await store.tenants.get(tenant))?.policy?.defaultAccount ?? setting

type Choosable = Pick<Connection, 'id' | 'name' | 'person' | 'isDefault'>

const isShared = ({ person }: Pick<Connection, 'person'>) => person == null

/** Of the connections that a caller may use, those that a call without `connection` takes one of. */
export const candidatesFor = <C extends Pick<Connection, 'person'>>(
  { person }: Caller,
  order: DefaultAccount,
  usable: readonly C[],
): C[] => {
  const shared = usable.filter(isShared)
  if (person === undefined) return order === 'any' ? [...usable] : shared
  const personal = usable.filter((connection) => connection.person === person)
  if (order === 'shared') return shared
  return personal.length > 0 || order === 'personal' ? personal : shared
}

const firstOf = <C extends Pick<Connection, 'createdAt' | 'id'>>(connections: C[]): C =>
  connections.reduce((first, other) =>
    other.createdAt < first.createdAt || (other.createdAt === first.createdAt && other.id < first.id) ? other : first,
  )

const namesOf = (connections: Choosable[]) => connections.map(({ name }) => `"${name}"`).join(', ')

type Choice = {
  caller: Caller
  integration: { id: string; title: string }
  /** Every connection of the integration in the tenant. */
  all: Connection[]
  order: DefaultAccount
}

/**
 * Of the connections that a caller may use, the one with this name: the person's own, or else the workspace's. Only a
 * call for nobody can mean that of some person, if nobody else has one of that name.
 */
export const withName = <C extends Choosable>(
  { person }: Caller,
  usable: readonly C[],
  name: string,
): C | undefined => {
  const named = usable.filter((connection) => connection.name === name)
  const own = person === undefined ? undefined : named.find((connection) => connection.person === person)
  return own ?? named.find(isShared) ?? (named.length === 1 ? named[0] : undefined)
}

/**
 * Finds a connection by id or name, see `withName`.
 * @throws Failure `not_found`, `invalid_input` when several people have one of that name
 */
export const byName = (
  { caller, integration, all }: Pick<Choice, 'caller' | 'all'> & { integration: string },
  idOrName: string,
): Connection => {
  const usable = all.filter((connection) => mayUse(caller, connection))
  const byId = usable.find(({ id }) => id === idOrName)
  if (byId) return byId
  const hit = withName(caller, usable, idOrName)
  if (hit) return hit
  if (usable.some(({ name }) => name === idOrName))
    throw failField(
      'connection',
      `Several people have a ${integration} connection "${idOrName}". Give its id, or name the person in "person".`,
    )
  throw failField(
    'connection',
    `There is no ${integration} connection "${idOrName}". ${usable.length > 0 ? `Connected: ${namesOf(usable)}.` : 'None is connected yet.'}`,
    'not_found',
  )
}

/** Whether an account that the person of a call connects would be used by the next such call. */
export const usesOwn = ({ person }: Caller, order: DefaultAccount): boolean =>
  person !== undefined && order !== 'shared'

const notConnected = ({ caller, integration: { title }, all, order }: Choice) => {
  if (usesOwn(caller, order))
    return fail('not_connected', `This person has no ${title} account connected. Connect one, then run this again.`)
  if (caller.person !== undefined)
    return fail(
      'not_connected',
      `The workspace has no ${title} account, and calls for people use no other here unless they name it in "connection". Connect one for the workspace.`,
    )
  const ofPeople = all.some((connection) => mayUse(caller, connection))
  return fail(
    'not_connected',
    ofPeople
      ? `Only people have ${title} accounts here, the workspace has none. Name the person in "person" or an account in "connection", or connect one for the workspace.`
      : `No ${title} account is connected. Connect one, then run this again.`,
  )
}

/**
 * Chooses the connection that a call means: by id or name, otherwise the only one or the default of those that it may
 * take.
 * @throws Failure that says what to do when no connection, or none of several, is meant
 */
export const chooseConnection = (choice: Choice, idOrName: string | undefined): Connection => {
  const { caller, integration, all, order } = choice
  if (idOrName !== undefined) return byName({ caller, integration: integration.id, all }, idOrName)
  const candidates = candidatesFor(
    caller,
    order,
    all.filter((connection) => mayUse(caller, connection)),
  )
  if (candidates.length === 0) throw notConnected(choice)
  const only = candidates.length === 1 ? candidates[0] : candidates.find(({ isDefault }) => isDefault)
  if (only) return only
  // The default connection exists, but this token may not use it: its own first connection takes its place.
  const anyToken = candidatesFor(caller, order, all)
  if (caller.connections && anyToken.some(({ isDefault }) => isDefault)) return firstOf(candidates)
  throw failField(
    'connection',
    `There are several ${integration.id} connections and none is the default: ${namesOf(candidates)}. Name one in "connection", or make one the default.`,
  )
}

/** Whether a call for nobody took a person's account because it named none. */
export const reliesOnAny = (caller: Caller, idOrName: string | undefined, { person }: Pick<Connection, 'person'>) =>
  idOrName === undefined && caller.person === undefined && person != null
