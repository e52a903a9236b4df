/**
 * What things and people are called, as learned from deliveries and choices: sealed in the database, its log and a
 * backup, and never in the server's log. Events themselves are stored in the clear, as docs/privacy.md says.
 */
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keyIdOf, openSqliteStore } from '../../shared/store/index.ts'
import { makeFolder } from '../store/folder.ts'
import { attach, openAgentWorld, until } from '../support/agent-world.ts'
import type { AgentWorld } from '../support/agent-world.ts'
import { caller } from '../support/world.ts'
import { sweep } from './sweep.ts'
import type { Evidence } from './sweep.ts'

const nameOf = (thing: string) => `${thing} ${randomBytes(18).toString('hex')}`
const delivered = new Map(['card', 'list', 'person'].map((thing) => [thing, nameOf(thing)]))
const chosen = new Map([['board', nameOf('board')]])

let directory: string
let world: AgentWorld
let connection: string
beforeAll(async () => {
  directory = await makeFolder()
  const store = await openSqliteStore({ directory, now: Date.now })
  const key = randomBytes(32)
  world = await openAgentWorld({ store, masterKey: { keys: [{ id: keyIdOf(key), key }], save: async () => {} } })
  connection = (await world.pack.connections.list(caller))[0]!.id
  const { control, state } = world.sandbox
  const [list] = state.lists.values()
  const [member] = state.members.values()
  list!.name = delivered.get('list')!
  member!.fullName = delivered.get('person')!
  const other = [...state.boards.values()].find(({ id, closed }) => id !== list!.idBoard && !closed)!
  other.name = chosen.get('board')!
  await attach(world, 'new-card', { boards: [list!.idBoard] })
  control.createCard({ by: member!.username, idList: list!.id, name: delivered.get('card')! })
  await until('the start', () => world.agent.taken.length > 0)
  await world.pack.triggers.options(caller, {
    integration: 'work-board',
    trigger: 'new-card',
    field: 'boards',
  })
  await until('the names', async () => {
    const { items } = await world.pack.connections.names(caller, connection, { limit: 200 })
    const known = items.map(({ name }) => name)
    return [...delivered.values(), ...chosen.values()].every((name) => known.includes(name))
  })
  await store.flush()
  await world.pack.backup(caller, join(directory, 'backup.db'))
})

afterAll(() => rm(directory, { recursive: true, force: true }))

const evidence = async (): Promise<Evidence[]> => {
  const files = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isFile())
  const read = files.map(async ({ name }) => ({ place: 'files', name, bytes: await readFile(join(directory, name)) }))
  return [...(await Promise.all(read)), { place: 'logs', name: 'log', bytes: Buffer.from(JSON.stringify(world.lines)) }]
}

it('a name learned from choices stands in no file and no log', async () => {
  const all = await evidence()
  expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['toolyard.db', 'backup.db', 'log']))
  // What is searched can be read: ids stand there as they are.
  const readable = sweep(all, new Map([['connection', connection]])).map(({ place }) => place)
  expect(new Set(readable)).toEqual(new Set(['files', 'logs']))
  expect(sweep(all, chosen)).toEqual([])
})

it('a name learned from a delivery stands in no log, and in the database only where events are kept', async () => {
  const all = await evidence()
  expect(sweep(all, delivered).filter(({ place }) => place === 'logs')).toEqual([])
  const database = new DatabaseSync(join(directory, 'backup.db'), { readOnly: true })
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all() as { name: string }[]
  const rowsOf = (table: string) => JSON.stringify(database.prepare(`select * from "${table}"`).all())
  const inTables = tables.map(({ name }) => ({ place: 'tables', name, bytes: Buffer.from(rowsOf(name)) }))
  database.close()
  expect(inTables.find(({ name }) => name === 'names')!.bytes.length).toBeGreaterThan(500)
  expect([...new Set(sweep(inTables, delivered).map(({ name }) => name))].sort()).toEqual(['events', 'starts'])
})
