import { fail, failField, isAbsent } from '#kit'
import type { ConnectionView } from '../../runtime/connections/connections.ts'
import type { Listed } from '../../runtime/ports/index.ts'
import type { Client } from './client.ts'
import type { Paging, TriggerVerbs } from './trigger-client.ts'

type Row = { id: string }

const pageRows = 200
/** An id prefix is resolved among this many pages at most. */
const maxPages = 50

const refuse = (what: string, given: string, count: number) => failField('id', `"${given}" matches ${count} ${what}s; give more characters.`)

const unique = (what: string, given: string, rows: Row[]): string => {
  if (rows.some(({ id }) => id === given)) return given
  const matching = rows.filter(({ id }) => id.startsWith(given))
  if (matching.length > 1) throw refuse(what, given, matching.length)
  // Without a match the id is passed on, so that the failure is that of a full id.
  return matching[0]?.id ?? given
}

const allOf = async (what: string, given: string, list: (page: Paging) => Promise<Listed<Row>>): Promise<Row[]> => {
  const rows: Row[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page += 1) {
    const { items, next } = await list({ limit: pageRows, cursor })
    rows.push(...items)
    if (next === undefined) return rows
    cursor = next
  }
  throw failField('id', `"${given}" is not a full id, and there are too many ${what}s to search for a prefix. Give the full id.`)
}

/** The full id for a prefix. */
const fullId = async (what: string, given: string, get: (id: string) => Promise<unknown>, list: (page: Paging) => Promise<Listed<Row>>): Promise<string> => {
  try {
    await get(given)
    return given
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown
  }
  return unique(what, given, await allOf(what, given, list))
}

/** The id of a connection, from a prefix of it or from its name. */
const connectionIn = (rows: ConnectionView[], given: string): string => {
  if (rows.some(({ id }) => id === given)) return given
  const named = rows.filter(({ name }) => name === given)
  if (named.length > 1)
    throw fail('conflict', `"${given}" is the name of ${named.length} connections; give one by its id: ${named.map(({ id }) => id).join(', ')}.`)
  return named[0]?.id ?? (given.startsWith('con_') ? unique('connection', given, rows) : given)
}

/** The same verbs, which accept a unique prefix wherever they take an id. */
export const takingPrefixes = (client: Client): Client => {
  const { triggers, records, operator } = client
  const connection = async (given: string) => connectionIn(await operator.connections(), given)
  const subscription = (given: string) =>
    fullId(
      'subscription',
      given,
      (id) => triggers.subscription(id),
      (page) => triggers.subscriptions(page, {}),
    )
  const start = (given: string) =>
    fullId(
      'start',
      given,
      (id) => triggers.start(id),
      (page) => triggers.starts(page, {}),
    )
  const event = (given: string, of: string | undefined) =>
    fullId(
      'event',
      given,
      (id) => triggers.event(id, of),
      (page) => triggers.events(page, {}),
    )
  const run = (given: string) =>
    fullId(
      'run',
      given,
      (id) => records.run(id),
      (page) => records.runs(page, {}),
    )
  const optionalConnection = (given: string | undefined) => (given === undefined ? Promise.resolve(undefined) : connection(given))
  /** Notifications wait as starts of a subscription of this name. */
  const queue = async (given: string) => (given === 'notifications' ? given : subscription(given))
  /** Filters take ids too. */
  const filtered = async <F extends { connection?: string; subscription?: string }>(filter: F): Promise<F> => ({
    ...filter,
    ...(filter.connection === undefined ? {} : { connection: await connection(filter.connection) }),
    ...(filter.subscription === undefined ? {} : { subscription: await queue(filter.subscription) }),
  })
  /** The server resolves names. */
  const asGiven = (given: string | undefined) => (given?.startsWith('con_') ? connection(given) : Promise.resolve(given))
  const verbs: TriggerVerbs = {
    ...triggers,
    subscribe: async (given) => triggers.subscribe({ ...given, connection: await asGiven(given.connection) }),
    subscriptions: async (page, filter) => triggers.subscriptions(page, await filtered(filter)),
    subscription: async (id) => triggers.subscription(await subscription(id)),
    pause: async (id) => triggers.pause(await subscription(id)),
    resume: async (id) => triggers.resume(await subscription(id)),
    rotateSecret: async (id, asked) => triggers.rotateSecret(await subscription(id), asked),
    remove: async (id) => triggers.remove(await subscription(id)),
    recover: async (id) => triggers.recover(await subscription(id)),
    test: async (id) => triggers.test(await subscription(id)),
    testAgent: async (asked) =>
      triggers.testAgent(asked.subscription === undefined ? asked : { ...asked, subscription: await subscription(asked.subscription) }),
    sample: async (id) => triggers.sample(await subscription(id)),
    events: async (page, filter) => triggers.events(page, await filtered(filter)),
    event: async (id, given) => {
      const of = await optionalConnection(given)
      return triggers.event(await event(id, of), of)
    },
    replayEvent: async (id, given) => {
      const of = await optionalConnection(given)
      return triggers.replayEvent(await event(id, of), of)
    },
    starts: async (page, filter) => triggers.starts(page, await filtered(filter)),
    start: async (id) => triggers.start(await start(id)),
    replayStart: async (id, options) => triggers.replayStart(await start(id), options),
    replayStarts: async (which) => triggers.replayStarts({ ...which, subscription: await queue(which.subscription) }),
  }
  return {
    ...client,
    run: async (call) => client.run({ ...call, connection: await asGiven(call.connection) }),
    triggers: verbs,
    records: {
      ...records,
      runs: async (page, filter) => records.runs(page, await filtered(filter)),
      run: async (id) => records.run(await run(id)),
      connection: async (id) => records.connection(await connection(id)),
      testConnection: async (id) => records.testConnection(await connection(id)),
      wireCheck: async (id, spend) => records.wireCheck(await connection(id), spend),
      makeDefault: async (id) => records.makeDefault(await connection(id)),
      removeConnection: async (id) => records.removeConnection(await connection(id)),
      fields: async (asked) => records.fields({ ...asked, connection: await asGiven(asked.connection) }),
      options: async (asked) => records.options({ ...asked, connection: await asGiven(asked.connection) }),
    },
    operator: {
      ...operator,
      authorize: async (wanted) => operator.authorize({ ...wanted, connection: await optionalConnection(wanted.connection) }),
      revokeToken: async (tenant, id) => operator.revokeToken(tenant, unique('token', id, await operator.tokens(tenant))),
    },
  }
}
