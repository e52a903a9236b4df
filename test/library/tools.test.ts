import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPack, isFailure, toTools } from '../../shared/faces/library/index.ts'
import type { AgentTool, Pack, ToolFailure } from '../../shared/faces/library/index.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { anywhereTools, coreTools, listedTools, offeredCount } from '../support/shipped.ts'

const caller = { tenant: 'default' }
type Card = { id: string; name: string; due: string | null; desc: string }

let sandbox: Sandbox
let pack: Pack
let idList: string
beforeAll(async () => {
  sandbox = await startSandbox()
  pack = await createPack({ wire: sandbox.wire, egress: { ownOrigins: sandbox.places.map(({ origin }) => origin) } })
  const { key, token } = sandbox.board.credentials
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Studio',
    secrets: { key, token },
  })
  const boards = (await tool(toTools(pack, { caller }), 'work_board_get_boards').execute({ lists: 'open' })) as {
    boards: { lists: { id: string }[] }[]
  }
  idList = boards.boards.flatMap(({ lists }) => lists)[0]!.id
})
afterAll(async () => {
  await pack.close()
  await sandbox.close()
})

const tool = (tools: AgentTool[], name: string) => tools.find((candidate) => candidate.name === name)!
const named = (tools: AgentTool[]) => tools.map(({ name }) => name)

describe('toTools', () => {
  it('removes characters that nobody sees from what a model reads', async () => {
    const hidden = 'Invo\u200bice\u{e0069}\u{e0100}\u202e'
    const made = (await tool(toTools(pack, { caller }), 'work_board_create_card').execute({
      idList,
      name: hidden,
    })) as Card
    expect(made.name).toBe('Invoice')
  })

  it('gives the core, or another set, in a fixed order', () => {
    const tools = toTools(pack, { caller })
    expect(named(tools)).toEqual(listedTools)
    expect(new Set(named(toTools(pack, { caller, set: 'all' }))).size).toBe(offeredCount + anywhereTools.length)
    const readers = toTools(pack, { caller, set: 'read' })
    expect(named(readers)).toEqual(
      expect.arrayContaining(['work_board_get_card', 'work_board_search', 'work_board_get_attachments']),
    )
    expect([readers.length, readers.every(({ readOnly }) => readOnly)]).toEqual([24, true])
    expect(() => toTools(pack, { caller, set: 'none' })).toThrow(
      'There is no tool set "none". There are: core, all, people, prospecting, read, cards, comments, checklists, files, boards.',
    )
    expect(named(tools)).toEqual(named(toTools(pack, { caller })))
    expect(Object.keys(tools[0]!).sort()).toEqual([
      'description',
      'execute',
      'inputSchema',
      'name',
      'readOnly',
      'title',
    ])
  })

  it('says price, rules and replacement to the model', () => {
    const tools = toTools(pack, { caller })
    expect(tool(tools, 'work_board_create_card').description).toBe(
      'Creates a card in a list, new or as a copy of another card, and returns it. Give at least one of: name, idCardSource, urlSource.',
    )
    // What another one replaces is given to whoever names it.
    expect(toTools(pack, { caller, only: ['work_board_add_comment'] })[0]!.description).toContain(
      'Legacy: use work_board_add_comment_to_card.',
    )
    expect(tool(tools, 'contact_data_find_contact').description).toMatch(/Costs .* per match of the account\./)
    expect(tools.filter(({ readOnly }) => readOnly).map(({ name }) => name)).toContain('work_board_get_boards')
    expect(tool(tools, 'work_board_create_card').readOnly).toBe(false)
  })

  it('gives only what is asked for, and refuses names that do not exist', () => {
    expect(named(toTools(pack, { caller, only: ['anz-data'] }))).toEqual(coreTools('anz-data'))
    expect(named(toTools(pack, { caller, only: ['anz-data', 'work_board_get_card'], set: 'all' }))).toEqual([
      ...coreTools('anz-data'),
      'anz_data_find_endpoints',
      'anz_data_api_call',
      'work_board_get_card',
    ])
    expect(named(toTools(pack, { caller, only: ['work_board_get_card', 'work_board_create_card'] }))).toEqual([
      'work_board_create_card',
      'work_board_get_card',
    ])
    expect(() => toTools(pack, { caller, only: ['work-bord'] })).toThrow(/There is no integration or tool "work-bord"/)
  })
})

describe('a tool', () => {
  it('runs its step', async () => {
    const card = (await tool(toTools(pack, { caller }), 'work_board_create_card').execute({
      idList,
      name: 'Call the printer',
    })) as Card
    expect(card.name).toBe('Call the printer')
    const { cards } = (await tool(toTools(pack, { caller }), 'work_board_get_list_cards').execute({ idList })) as {
      cards: Card[]
    }
    expect(cards).toContainEqual(expect.objectContaining({ id: card.id, name: 'Call the printer' }))
  })

  it('takes the arguments of a strict host', async () => {
    const create = tool(toTools(pack, { caller, dialect: 'openai-strict' }), 'work_board_create_card')
    const nothing = Object.fromEntries((create.inputSchema.required as string[]).map((name) => [name, null]))
    const card = (await create.execute({
      ...nothing,
      idList,
      name: 'Order paper',
      due: '2026-12-01T09:00:00Z',
    })) as Card
    expect(card).toMatchObject({ name: 'Order paper', due: '2026-12-01T09:00:00.000Z', desc: '' })
    const call = tool(toTools(pack, { caller, dialect: 'openai-strict' }), 'work_board_api_call')
    const reply = await call.execute({
      method: 'PUT',
      path: `/1/cards/${card.id}`,
      query: null,
      body: '{"desc":"A4, 90 g"}',
      throwOnError: null,
    })
    expect(reply).toMatchObject({ status: 200, body: { desc: 'A4, 90 g' } })
  })

  it('gives a failure as its result, with what to do', async () => {
    const tools = toTools(pack, { caller })
    const wrong = (await tool(tools, 'work_board_get_card').execute({})) as ToolFailure
    expect(wrong.failure).toMatchObject({
      code: 'invalid_input',
      actor: 'caller',
      retryable: false,
      errors: [{ pointer: '/idCard' }],
    })
    const unconnected = (await tool(tools, 'contact_data_find_contact').execute({
      email: 'kim@papermill.example',
    })) as ToolFailure
    expect(unconnected.failure.code).toBe('not_connected')
    const elsewhere = (await tool(toTools(pack, { caller: { tenant: 'other' } }), 'work_board_get_boards').execute(
      {},
    )) as ToolFailure
    expect(elsewhere.failure.code).toBe('not_connected')
  })

  it('passes on key, signal and account', async () => {
    const tools = toTools(pack, { caller, connections: { 'work-board': 'Studio' } })
    const create = tool(tools, 'work_board_create_card')
    const first = (await create.execute(
      { idList, name: 'Once' },
      { idempotencyKey: 'call-1', startId: 'start-1' },
    )) as Card
    const again = (await create.execute(
      { idList, name: 'Once' },
      { idempotencyKey: 'call-1', startId: 'start-1' },
    )) as Card
    expect(again).toEqual(first)
    expect((await pack.runs.list(caller, { limit: 10 }, { startId: 'start-1' })).items.length).toBeGreaterThan(0)
    const stopped = (await create.execute({ idList, name: 'Never' }, { signal: AbortSignal.abort() })) as ToolFailure
    expect(stopped.failure.code).toBe('cancelled')
    const absent = (await tool(
      toTools(pack, { caller, connections: { 'work-board': 'Nobody' } }),
      'work_board_get_boards',
    ).execute({})) as ToolFailure
    expect(absent.failure.code).toBe('not_found')
  })
})

it('a failure of the library is known by isFailure', async () => {
  const thrown: unknown = await pack.connections.get(caller, 'con_none').catch((error: unknown) => error)
  expect(isFailure(thrown)).toBe(true)
})
