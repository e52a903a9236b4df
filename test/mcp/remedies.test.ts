import { beforeAll, describe, expect, it } from 'vitest'
import { integrations } from '../../integrations/index.ts'
import { toTools } from '../../shared/faces/library/tools.ts'
import { call, eras, failureOf, openMcpWorld, textOf, withClient } from '../support/mcp-world.ts'
import { caller } from '../support/world.ts'

let idBoard: string
let idCard: string
const world = await openMcpWorld()
beforeAll(async () => {
  const boards = await world.pack.steps.run(caller, { integration: 'work-board', step: 'get-boards', input: {} })
  idBoard = ((boards as { value: { boards: { id: string }[] } }).value.boards[0] as { id: string }).id
  const cards = await world.pack.steps.run(caller, {
    integration: 'work-board',
    step: 'get-board-cards',
    input: { idBoard },
  })
  idCard = ((cards as { value: { cards: { id: string }[] } }).value.cards[0] as { id: string }).id
})

const nowhere = 'f'.repeat(24)
const followable = 'Take the id from the result of another tool, or ask the user for it.'
const inAForm = /options of that field/

describe.each(eras)('an unknown id over MCP (%s)', (era) => {
  const fail = (tool: string, args: Record<string, unknown>, options = {}) =>
    withClient(
      world,
      era,
      async (client) => {
        const result = await call(client, tool, args)
        expect(failureOf(result).code).toBe('not_found')
        expect(textOf(result)).not.toMatch(inAForm)
        return failureOf(result).message as string
      },
      options,
    )

  it.each([
    ['work_board_get_list_cards', { idList: nowhere }, 'work_board_get_lists lists the values'],
    ['work_board_get_lists', { idBoard: nowhere }, 'work_board_get_boards lists the values'],
    ['work_board_get_card', { idCard: nowhere }, 'work_board_get_board_cards lists the values'],
    ['work_board_get_labels', { idBoard: nowhere }, 'work_board_get_boards lists the values'],
  ])('%s names the tool that lists the values', async (tool, args, remedy) => {
    expect(await fail(tool, args)).toContain(remedy)
  })

  it('with several fields says which tool is for which', async () => {
    const message = await fail('work_board_delete_comment', { idCard, idComment: nowhere })
    expect(message).toContain(
      'work_board_get_board_cards (idCard) and work_board_get_comments (idComment) list the values',
    )
  })

  it('where no tool lists them, says where else to look', async () => {
    expect(await fail('work_board_create_board', { name: 'New', idOrganization: nowhere })).toContain(followable)
  })

  it('names no tool that the caller cannot call', async () => {
    const options = { path: '/mcp?tools=work_board_get_list_cards,work_board_get_boards' }
    expect(await fail('work_board_get_list_cards', { idList: nowhere }, options)).toContain(
      'work_board_get_boards lists',
    )
    const alone = { path: '/mcp?tools=work_board_get_list_cards' }
    expect(await fail('work_board_get_list_cards', { idList: nowhere }, alone)).toContain(followable)
    const { text: token } = await world.pack.tokens.create('default', { name: 'Cards', toolSet: 'cards' })
    const message = await fail('work_board_get_list_cards', { idList: nowhere }, { token })
    const named = /(work_board_\w+) lists/.exec(message)?.[1]
    const listed = await withClient(
      world,
      era,
      async (client) => (await client.listTools()).tools.map(({ name }) => name),
      { token },
    )
    expect(named === undefined ? message.includes(followable) : listed.includes(named)).toBe(true)
  })
})

describe('an unknown id', () => {
  it('given to a tool of toTools names a tool that is there too', async () => {
    const messageOf = async (options: Parameters<typeof toTools>[1]) => {
      const tool = toTools(world.pack, options).find(({ name }) => name === 'work_board_get_list_cards')!
      const { failure } = (await tool.execute({ idList: nowhere })) as { failure: { code: string; message: string } }
      expect(failure.code).toBe('not_found')
      return failure.message
    }
    expect(await messageOf({ caller })).toContain('work_board_get_boards lists the values')
    expect(await messageOf({ caller, set: 'all' })).toContain('work_board_get_lists lists the values')
    expect(await messageOf({ caller, only: ['work_board_get_list_cards'] })).toContain(followable)
  })

  it('posted to /v1/tools names a tool; in a run it points to the options of the field', async () => {
    const post = async (path: string, body: unknown) => {
      const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' }
      const reply = await fetch(new URL(path, world.address), { method: 'POST', headers, body: JSON.stringify(body) })
      return (await reply.json()) as { detail: string }
    }
    const asTool = await post('/v1/tools/work_board_get_list_cards', { idList: nowhere })
    expect(asTool.detail).toContain('work_board_get_lists lists the values')
    const asRun = await post('/v1/steps/work-board/get-list-cards/run', { input: { idList: nowhere } })
    expect(asRun.detail).toMatch(inAForm)
  })

  it('the steps that list the choices of a field are there, and every field of ids has some', () => {
    const unlisted: string[] = []
    for (const { id, steps } of integrations)
      for (const { id: step, fields = {} } of steps)
        for (const [name, spec] of Object.entries(fields)) {
          if (spec?.options === undefined || spec.scope) continue
          const listing = spec.options.listedBy ?? []
          if (listing.length === 0) unlisted.push(`${id}: ${name}`)
          for (const other of listing)
            expect([id, step, name, steps.some((candidate) => candidate.id === other)]).toEqual([id, step, name, true])
        }
    // Kinds of actions are always the same, and no step lists workspaces.
    expect(new Set(unlisted.filter((entry) => entry.startsWith('work-board')))).toEqual(
      new Set(['work-board: types', 'work-board: idOrganization']),
    )
  })
})
