/** Runs in words, and the names of a connection, through the pack. */
import { expect, test } from 'vitest'
import type { Caller } from '../../shared/pack.ts'
import { caller, openSandboxWorld } from '../support/world.ts'
import { integrations } from '../../integrations/index.ts'
import { boardWithWords } from './words.ts'

const page = { limit: 10 }
const address = 'mai.tran@example.com.au'

const open = async () => {
  const world = await openSandboxWorld({
    accounts: 'board',
    integrations: [boardWithWords, ...integrations.filter(({ id }) => id !== boardWithWords.id)],
  })
  const [connection] = await world.pack.connections.list(caller)
  const list = world.sandbox.board.control.overview()[0]!.lists[0]!.id
  const create = async (name: string, desc = 'a secret wish') => {
    const outcome = await world.run('work-board/create-card', { idList: list, name, desc })
    if (!outcome.ok) throw new Error(outcome.failure.message)
    return (outcome.value as { id: string }).id
  }
  return { ...world, connection: connection!.id, list, create }
}

test('a run says what it did; what is stored of it names nobody', async () => {
  const { pack, create, list, close } = await open()
  const card = await create('Call Bob')
  const [run] = (await pack.runs.list(caller, page)).items
  expect(run!.summary!.text).toBe('Created Call Bob in a list: …, 3 ***@***')
  expect(run!.summary!.parts.find(({ role }) => role === 'what')).toEqual({
    text: 'Call Bob',
    role: 'what',
    ref: { kind: 'card', id: card },
  })
  expect(run!.summary!.parts.find(({ role }) => role === 'where')).toMatchObject({ ref: { kind: 'list', id: list } })
  expect(await pack.runs.get(caller, run!.id)).toMatchObject({ summary: run!.summary })
  const exported = JSON.stringify(await pack.privacy.export(caller, [{ email: 'bob@example.com' }]))
  expect(exported).not.toContain('Call Bob')
  await close()
})

test('a run that failed, and a step without words, say nothing', async () => {
  const { pack, run, close } = await open()
  await run('work-board/create-card', { idList: 'f'.repeat(24), name: 'Nowhere' })
  await run('work-board/get-boards')
  expect((await pack.runs.list(caller, page)).items.map(({ summary }) => summary)).toEqual([null, null])
  await close()
})

test('names are found by a part of them, by those who may read the events of the connection', async () => {
  const { pack, create, connection, close } = await open()
  const id = await create('Call Bob')
  await create('Call Ann')
  const find = (by: Caller, query?: string) =>
    pack.connections.names(by, connection, query === undefined ? {} : { query })
  expect(await find(caller, 'bob')).toEqual({
    items: [{ kind: 'card', id, name: 'Call Bob', url: `https://board.example/${id}/call-bob` }],
  })
  expect((await find(caller, 'call')).items.map(({ name }) => name).sort()).toEqual(['Call Ann', 'Call Bob'])
  expect((await pack.connections.names(caller, connection, { query: 'call', limit: 1 })).items).toHaveLength(1)
  expect((await pack.connections.names(caller, connection, { kind: 'list' })).items).toEqual([])
  await expect(find({ tenant: 'other' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(find({ ...caller, connections: ['con_other'] })).rejects.toMatchObject({ code: 'not_found' })
  await pack.connections.remove(caller, connection)
  await expect(find(caller)).rejects.toMatchObject({ code: 'not_found' })
  await close()
})

test('choices of a form teach what their values are called', async () => {
  const { pack, connection, sandbox, close } = await open()
  const [board] = sandbox.board.control.overview()
  await pack.steps.options(caller, { integration: 'work-board', step: 'create-list', field: 'idBoard' })
  const { items } = await pack.connections.names(caller, connection, { kind: 'board', query: board!.name })
  expect(items).toEqual([{ kind: 'board', id: board!.id, name: board!.name }])
  await close()
})

test('an export finds a name by an address in it, and an erasure removes it', async () => {
  const { pack, create, connection, close } = await open()
  await create(`Ask ${address.toUpperCase()}`)
  await create('Call Bob')
  const { records } = await pack.privacy.export(caller, [{ email: address }])
  expect(records.map(({ kind }) => kind)).toContain('name')
  expect(JSON.stringify(records.find(({ kind }) => kind === 'name')!.data)).toContain(address.toUpperCase())
  expect((await pack.privacy.erase(caller, [{ email: address }])).removed).toMatchObject({ name: 1 })
  const { items } = await pack.connections.names(caller, connection, {})
  expect(items.map(({ name }) => name)).toEqual(['Call Bob'])
  const runs = (await pack.runs.list(caller, page)).items.map(({ summary }) => summary!.parts[1]!.text)
  expect(runs.sort()).toEqual(['Call Bob', 'a card'])
  await close()
})

test('no name is learned that holds the address of a suppressed person', async () => {
  const { pack, create, connection, close } = await open()
  await pack.suppressions.add(caller, [{ email: address }])
  await create(`Ask ${address}`)
  await create('Call Bob')
  expect((await pack.connections.names(caller, connection, {})).items.map(({ name }) => name)).toEqual(['Call Bob'])
  await close()
})
