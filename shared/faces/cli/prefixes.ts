import { fail, failField, isFailure } from '#kit'
import type { ConnectionView } from '../../runtime/connections/connections.ts'
import type { Listed } from '../../runtime/ports/index.ts'
import type { Client } from './client.ts'
import type { Paging, TriggerVerbs } from './trigger-client.ts'

type Row = { id: string }

const pageRows = 200
/** Above this many rows an id is not looked for by its beginning. */
const maxPages = 50

const refuse = (what: string, given: string, count: number) => failField('id', `"${given}" fits ${count} ${what}s; give more characters.`)

const unique = (what: string, given: string, rows: Row[]): string => {
  if (rows.some(({ id }) => id === given)) return given
  const fitting = rows.filter(({ id }) => id.startsWith(given))
  if (fitting.length > 1) throw refuse(what, given, fitting.length)
  // What fits nothing is asked for as it is, so that the answer is that of a whole id.
  return fitting[0]?.id ?? given
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
  throw failField('id', `"${given}" is no whole id, and there are too many ${what}s to look for one that begins like that. Give the whole id.`)
}

/** The id that begins with what was typed. */
const wholeId = async (what: string, given: string, get: (id: string) => Promise<unknown>, list: (page: Paging) => Promise<Listed<Row>>): Promise<string> => {
  try {
    await get(given)
    return given
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.code !== 'not_found') throw thrown
  }
  return unique(what, given, await allOf(what, given, list))
}

/** Id of an account, from its beginning or its name. */
const accountIn = (rows: ConnectionView[], given: string): string => {
  if (rows.some(({ id }) => id === given)) return given
  const named = rows.filter(({ name }) => name === given)
  if (named.length > 1)
    throw fail('conflict', `"${given}" is the name of ${named.length} accounts; give one by its id: ${named.map(({ id }) => id).join(', ')}.`)
  return named[0]?.id ?? (given.startsWith('con_') ? unique('account', given, rows) : given)
}

/** The same verbs, which take the beginning of an id wherever it fits one thing only. */
export const takingPrefixes = (client: Client): Client => {
  const { triggers, records, operator } = client
  const account = async (given: string) => accountIn(await operator.connections(), given)
  const subscription = (given: string) =>
    wholeId(
      'subscription',
      given,
      (id) => triggers.subscription(id),
      (page) => triggers.subscriptions(page, {}),
    )
  const start = (given: string) =>
    wholeId(
      'start',
      given,
      (id) => triggers.start(id),
      (page) => triggers.starts(page, {}),
    )
  const event = (given: string, connection: string | undefined) =>
    wholeId(
      'event',
      given,
      (id) => triggers.event(id, connection),
      (page) => triggers.events(page, {}),
    )
  const run = (given: string) =>
    wholeId(
      'run',
      given,
      (id) => records.run(id),
      (page) => records.runs(page, {}),
    )
  const accountOf = (given: string | undefined) => (given === undefined ? Promise.resolve(undefined) : account(given))
  /** A filter names things too. */
  const filtered = async <F extends { connection?: string; subscription?: string }>(filter: F): Promise<F> => ({
    ...filter,
    ...(filter.connection === undefined ? {} : { connection: await account(filter.connection) }),
    ...(filter.subscription === undefined ? {} : { subscription: await subscription(filter.subscription) }),
  })
  /** Names are left to the server, which knows more about them. */
  const asGiven = (given: string | undefined) => (given?.startsWith('con_') ? account(given) : Promise.resolve(given))
  const verbs: TriggerVerbs = {
    ...triggers,
    subscribe: async (given) => triggers.subscribe({ ...given, connection: await asGiven(given.connection) }),
    subscriptions: async (page, filter) => triggers.subscriptions(page, await filtered(filter)),
    subscription: async (id) => triggers.subscription(await subscription(id)),
    pause: async (id) => triggers.pause(await subscription(id)),
    resume: async (id) => triggers.resume(await subscription(id)),
    remove: async (id) => triggers.remove(await subscription(id)),
    recover: async (id) => triggers.recover(await subscription(id)),
    test: async (id) => triggers.test(await subscription(id)),
    sample: async (id) => triggers.sample(await subscription(id)),
    events: async (page, filter) => triggers.events(page, await filtered(filter)),
    event: async (id, connection) => {
      const of = await accountOf(connection)
      return triggers.event(await event(id, of), of)
    },
    replayEvent: async (id, connection) => {
      const of = await accountOf(connection)
      return triggers.replayEvent(await event(id, of), of)
    },
    starts: async (page, filter) => triggers.starts(page, await filtered(filter)),
    start: async (id) => triggers.start(await start(id)),
    replayStart: async (id, options) => triggers.replayStart(await start(id), options),
    replayStarts: async (which) => triggers.replayStarts({ ...which, subscription: await subscription(which.subscription) }),
  }
  return {
    ...client,
    run: async (call) => client.run({ ...call, connection: await asGiven(call.connection) }),
    triggers: verbs,
    records: {
      ...records,
      runs: async (page, filter) => records.runs(page, await filtered(filter)),
      run: async (id) => records.run(await run(id)),
      connection: async (id) => records.connection(await account(id)),
      testConnection: async (id) => records.testConnection(await account(id)),
      makeDefault: async (id) => records.makeDefault(await account(id)),
      removeConnection: async (id) => records.removeConnection(await account(id)),
      options: async (asked) => records.options({ ...asked, connection: await asGiven(asked.connection) }),
    },
    operator: {
      ...operator,
      authorize: async (wanted) => operator.authorize({ ...wanted, connection: await accountOf(wanted.connection) }),
      revokeToken: async (tenant, id) => operator.revokeToken(tenant, unique('token', id, await operator.tokens(tenant))),
    },
  }
}
