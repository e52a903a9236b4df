/**
 * Records what a built server answers and stores: starts it with the sandbox, makes the same HTTP calls each time, and
 * reads its database after it has stopped. Only the shape of answers and rows is compared.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'

export type Served = {
  openapi: unknown
  answers: Record<string, unknown>
  columns: Record<string, string[]>
  rows: Record<string, unknown>
}

const token = 'a-token-for-comparing-versions'

/**
 * Collects the kinds of values by the path of their field. Names that look like ids are replaced by one placeholder.
 */
const addKinds = (kinds: Map<string, Set<string>>, path: string, value: unknown): void => {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  kinds.set(path, (kinds.get(path) ?? new Set()).add(kind))
  if (Array.isArray(value)) for (const item of value) addKinds(kinds, `${path}[]`, item)
  else if (kind === 'object')
    for (const [name, inner] of Object.entries(value as object))
      addKinds(kinds, `${path}.${/\d{3}|[0-9a-f]{8}/.test(name) ? '*' : name}`, inner)
}
const shapeOf = (...values: unknown[]): Record<string, string> => {
  const kinds = new Map<string, Set<string>>()
  for (const value of values) addKinds(kinds, '', value)
  return Object.fromEntries(
    [...kinds]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, names]) => [path, [...names].toSorted().join(' | ')]),
  )
}

/** The value of a column; JSON text counts as the JSON value it contains. */
const readColumn = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return 'bytes'
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

const readDatabase = (directory: string): Pick<Served, 'columns' | 'rows'> => {
  const db = new DatabaseSync(join(directory, 'toolyard.db'), { readOnly: true })
  const tables = db
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`)
    .all()
    .map(({ name }) => String(name))
  if (tables.length === 0) throw new Error(`The database in ${directory} has no tables.`)
  const columns = Object.fromEntries(
    tables.map((table) => [
      table,
      db
        .prepare('select name, type from pragma_table_info(?) order by cid')
        .all(table)
        .map(({ name, type }) => `${name} ${type}`),
    ]),
  )
  const rows = Object.fromEntries(
    tables.map((table) => [
      table,
      shapeOf(
        ...db
          .prepare(`select * from "${table}"`)
          .all()
          .map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, readColumn(value)]))),
      ),
    ]),
  )
  db.close()
  return { columns, rows }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

type Call = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<any>

/** Makes one call of each kind that writes rows, and reads the lists that show them. */
const makeCalls = async (
  call: Call,
  control: (name: string, body: object) => Promise<any>,
  agent: string,
): Promise<void> => {
  const overview = (await control('overview', {})) as {
    id: string
    closed: boolean
    lists: { id: string; cards: { id: string }[] }[]
  }[]
  const board = overview.find(({ closed, lists }) => !closed && lists.length > 1 && lists[0]!.cards.length > 0)!
  const [list, nextList] = board.lists
  const card = list!.cards[0]!.id
  const run = (step: string, input: object, options: object = {}, headers = {}) =>
    call('POST', `/v1/steps/${step}/run`, { input, ...options }, headers)

  await call('POST', '/v1/admin/tenants', { id: 'second', name: 'Second tenant' })
  await call('POST', '/v1/admin/tokens', { name: 'Bound', scopes: ['run', 'read'], steps: ['work-board/create-card'] })
  await call('PUT', '/v1/admin/policies', { limits: { connections: 50 } })
  await call('PUT', '/v1/admin/notifications', { url: `${agent}/notices` })
  await call('PUT', '/v1/apps/anz-data', { key: 'app-key', secret: 'app-secret-of-a-comparison' })
  await call('POST', '/v1/budgets', { scope: 'tenant', credits: 1000, period: 'month' })
  await call('POST', '/v1/suppressions', { entries: [{ email: 'nobody@harbour.example' }] })
  const file = await call('POST', '/v1/files', {
    name: 'people.csv',
    mediaType: 'text/csv',
    base64: Buffer.from('email\nada@example.com\n').toString('base64'),
  })

  const subscribe = (trigger: string, config: object, options = {}) =>
    call('POST', '/v1/subscriptions', {
      integration: 'work-board',
      trigger,
      config,
      agent: { url: `${agent}/start` },
      options,
    })
  const subscription = await subscribe('new-comment-added-to-card', { boards: [board.id] }, { serial: true })
  await subscribe('card-moved', { boards: [board.id] }, { settleMs: 60_000 })
  await subscribe('new-board', {})
  await subscribe('card-due-date-reminder', { boards: [board.id], leadMinutes: 60 })
  await call('POST', `/v1/subscriptions/${subscription.id}/test`, {})
  await wait(1_500)
  await control('comment', { idCard: card, by: 'odettequill', text: 'Looks good to me' })
  await control('moveCard', { idCard: card, idList: nextList!.id, by: 'odettequill' })

  await run('work-board/create-card', { idList: list!.id, name: 'Written once' }, {}, { 'idempotency-key': 'key-1' })
  await run('work-board/create-card', { idList: list!.id, name: 'Not sent' }, { dryRun: true })
  await run('work-board/get-boards', {})
  await run('work-board/create-card', { idList: '0'.repeat(24), name: 'Nowhere' })
  await run('work-board/create-card', { name: 'No list' })
  await run('work-board/api-call', { method: 'GET', path: '/1/members/me' })
  await run('contact-data/enrich-contacts', { contacts: [{ email: 'ada@example.com' }] })
  await run('contact-data/find-contact', { email: 'ada@example.com' })
  await run('anz-data/company-enrichment', { domain: 'example.com.au' })
  await call('POST', '/v1/lookups/person', { identifiers: { email: 'ada@example.com' }, want: ['email'] })
  await call('POST', '/v1/steps/work-board/create-card/options', { field: 'idList', values: { idBoard: board.id } })
  await call('POST', '/v1/steps/work-board/set-custom-fields/fields', { values: { idCard: card } })
  await call('POST', '/v1/jobs', { file: file.id, kind: 'person', integration: 'contact-data', confirm: true })
  await call('POST', '/v1/connections/authorize', { integration: 'work-board', type: 'oauth' })
  await wait(4_000)

  const lists =
    'integrations steps connections subscriptions hooks gaps events starts runs usage budgets ledger jobs files suppressions'.split(
      ' ',
    )
  for (const name of lists) await call('GET', `/v1/${name}`)
  for (const name of ['tenants', 'tokens', 'keys', 'audit', 'policies', 'notifications'])
    await call('GET', `/v1/admin/${name}`)
  for (const name of ['events', 'starts', 'runs', 'subscriptions', 'connections']) {
    const { items } = (await call('GET', `/v1/${name}`)) as { items: { id: string }[] }
    for (const { id } of items) await call('GET', `/v1/${name}/${id}`)
  }
}

const startAgent = async () => {
  const agent = createServer((request, response) => void request.resume().once('end', () => response.end())).listen(
    0,
    '127.0.0.1',
  )
  await once(agent, 'listening')
  return { origin: `http://127.0.0.1:${(agent.address() as AddressInfo).port}`, close: () => void agent.close() }
}

/** What the server built in a source tree answers and stores. */
export const readServed = async (tree: string): Promise<Served> => {
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-surface-'))
  const agent = await startAgent()
  const port = await freePort()
  const server = spawn(process.execPath, [join(tree, 'dist/toolyard.js'), 'serve', '--sandbox'], {
    env: {
      PATH: process.env['PATH'],
      TOOLYARD_DATA: directory,
      TOOLYARD_PORT: String(port),
      TOOLYARD_TOKEN: token,
      TOOLYARD_AGENT_ORIGINS: agent.origin,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(server, 'exit')
  let printed = ''
  server.stdout.on('data', (text: Buffer) => void (printed += text.toString()))
  while (!/Sandbox contacts/.test(printed))
    await Promise.race([wait(50), ended.then(() => Promise.reject(new Error(`The server of ${tree} ended.`)))])
  const board = /Sandbox board +(\S+)/.exec(printed)![1]!
  const shapes = new Map<string, { status: number; body: unknown }[]>()
  const send = async (url: string, init: RequestInit) => {
    const reply = await fetch(url, init)
    return { status: reply.status, body: (await reply.json().catch(() => undefined)) as unknown }
  }
  const call: Call = async (method, path, body, headers = {}) => {
    const init = {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }), ...headers },
    }
    const reply = await send(`http://127.0.0.1:${port}${path}`, body ? { ...init, body: JSON.stringify(body) } : init)
    const name = `${method} ${path.replace(/\/[a-z]+_[0-9a-z-]+|\/[0-9a-f]{8}[0-9a-f-]*/g, '/{id}')}`
    shapes.set(name, [...(shapes.get(name) ?? []), reply])
    return reply.body
  }
  const control = async (name: string, body: object) =>
    (await send(`${board}/_control/${name}`, { method: 'POST', body: JSON.stringify(body) })).body
  try {
    const { servers: _, ...openapi } = (
      await send(`http://127.0.0.1:${port}/openapi.json`, { headers: { authorization: `Bearer ${token}` } })
    ).body as Record<string, unknown>
    await makeCalls(call, control, agent.origin)
    server.kill('SIGTERM')
    await ended
    const answers = Object.fromEntries(
      [...shapes].map(([name, replies]) => [
        name,
        { statuses: [...new Set(replies.map(({ status }) => status))], shape: shapeOf(...replies) },
      ]),
    )
    return { openapi, answers, ...readDatabase(join(directory, 'sandbox')) }
  } finally {
    server.kill('SIGKILL')
    agent.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
