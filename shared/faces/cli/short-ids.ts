import { fail, failField, isAbsent } from '#kit'
import type { OperationName } from './operations.ts'

/** Commands accept a prefix of an id as long as it is unique. */

type Row = { id: string; name?: string }
type Fields = { [name: string]: unknown }
type CallExact = (name: OperationName, input: object) => Promise<unknown>

const pageRows = 200
/** Maximum number of pages searched for an id prefix. */
const maxPages = 50

/**
 * Collections whose ids may be shortened, by their name in the path of an operation: the noun, the operation that gets
 * one item, and the one that lists them.
 */
const collections: { [collection: string]: [noun: string, get: OperationName, list: OperationName] } = {
  approvals: ['approval', 'approvals.getApproval', 'approvals.listApprovals'],
  subscriptions: ['subscription', 'subscriptions.getSubscription', 'subscriptions.listSubscriptions'],
  starts: ['start', 'events.getStart', 'events.listStarts'],
  events: ['event', 'events.getEvent', 'events.listEvents'],
  runs: ['run', 'runs.getRun', 'runs.listRuns'],
}

const unique = (noun: string, prefix: string, rows: Row[]): string => {
  if (rows.some(({ id }) => id === prefix)) return prefix
  const matching = rows.filter(({ id }) => id.startsWith(prefix))
  if (matching.length > 1)
    throw failField('id', `"${prefix}" matches ${matching.length} ${noun}s; give more characters.`)
  // If nothing matches, the id is passed on, so that the failure is the one for a full id.
  return matching[0]?.id ?? prefix
}

/** The id of a connection, from its name or a prefix of its id. */
const connectionIn = (rows: Row[], text: string): string => {
  if (rows.some(({ id }) => id === text)) return text
  const named = rows.filter(({ name }) => name === text)
  if (named.length > 1)
    throw fail(
      'conflict',
      `"${text}" is the name of ${named.length} connections; give one by its id: ${named.map(({ id }) => id).join(', ')}.`,
    )
  return named[0]?.id ?? (text.startsWith('con_') ? unique('connection', text, rows) : text)
}

/** The input of an operation, with full ids in place of prefixes and names. */
export const fullIds = async (
  call: CallExact,
  { name, path, hasBody }: { name: OperationName; path: string; hasBody: boolean },
  input: Fields,
): Promise<Fields> => {
  const page = async (list: OperationName, query: object) =>
    (await call(list, { limit: pageRows, ...query })) as { items: Row[]; next?: string }
  const connectionId = async (text: string) => connectionIn((await page('connections.listConnections', {})).items, text)

  const fullId = async (
    [noun, get, list]: [string, OperationName, OperationName],
    prefix: string,
    query: object = {},
  ): Promise<string> => {
    try {
      await call(get, { id: prefix, ...query })
      return prefix
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown
    }
    const rows: Row[] = []
    let cursor: string | undefined
    for (let pages = 0; pages < maxPages; pages += 1) {
      const { items, next } = await page(list, { cursor })
      rows.push(...items)
      if (next === undefined) return unique(noun, prefix, rows)
      cursor = next
    }
    throw failField(
      'id',
      `"${prefix}" is not a full id, and there are too many ${noun}s to search for a prefix. Give the full id.`,
    )
  }

  const { id, connection, subscription, tenant } = input
  const full = { ...input }
  // The server resolves names in a body itself.
  if (
    typeof connection === 'string' &&
    (!hasBody || name === 'connections.authorizeConnection' || connection.startsWith('con_'))
  )
    full['connection'] = await connectionId(connection)
  // Notifications are queued as starts of a subscription with this id.
  if (typeof subscription === 'string' && subscription !== 'notifications')
    full['subscription'] = await fullId(collections['subscriptions']!, subscription)
  const [, collection = ''] = /^\/v1\/(?:admin\/)?(\w+)\/\{id\}/.exec(path) ?? []
  if (typeof id !== 'string') return full
  if (collection === 'connections') full['id'] = await connectionId(id)
  if (collection === 'tokens') full['id'] = unique('token', id, (await page('admin.listTokens', { tenant })).items)
  const having = collections[collection]
  if (having) full['id'] = await fullId(having, id, collection === 'events' ? { connection: full['connection'] } : {})
  return full
}
