import { afterAll, describe, expect, it } from 'vitest'
import type { NewToken } from '../../shared/runtime/admin/tokens.ts'
import { movableClock } from '../support/clock.ts'
import { call, connect, eras, failureOf, openMcpWorld } from '../support/mcp-world.ts'

/**
 * The operations that MCP has, by every kind of caller: running a step, listing what tools take, and reading
 * connections.
 */
const clock = movableClock()
const world = await openMcpWorld({ clock })
const { pack } = world
afterAll(() => world.close())
await pack.tenants.create({ id: 'blue', name: 'Blue' })
for (const person of ['ann', 'bea']) await world.connect('work-board', { name: person, person })
const connections = await pack.connections.list({ tenant: 'default' })
const boardOf = (owner: string | null) =>
  connections.find(({ integration, person }) => integration === 'work-board' && person === owner)!
const board = boardOf(null)
const other = connections.find(({ integration }) => integration === 'contact-data')!

const create = 'work_board_create_card'
/** `calls`: how a call of the step ends. */
type Meeting = { lists: boolean; calls: string; reads: string[] | undefined }
type Kind = [name: string, given: Omit<NewToken, 'name'>, meets: Meeting, tenant?: string]
const names = connections.map(({ id }) => id).toSorted()
const namesFor = (owner: string) =>
  connections.flatMap(({ id, person }) => (person === null || person === owner ? [id] : [])).toSorted()
const kinds: Kind[] = [
  ['is bound to nothing', { scopes: ['run', 'read'] }, { lists: true, calls: 'ok', reads: names }],
  ['may only run', { scopes: ['run'] }, { lists: true, calls: 'ok', reads: undefined }],
  ['may only read', { scopes: ['read'] }, { lists: false, calls: 'no such tool', reads: names }],
  [
    'is bound to another step',
    { scopes: ['run', 'read'], steps: ['work-board/get-card'] },
    { lists: false, calls: 'no such tool', reads: names },
  ],
  [
    'is bound to another tool set',
    { scopes: ['run', 'read'], toolSet: 'read' },
    { lists: false, calls: 'not_allowed', reads: names },
  ],
  [
    'is bound to another connection',
    { scopes: ['run', 'read'], connections: [other.id] },
    { lists: false, calls: 'not_found', reads: [other.id] },
  ],
  [
    'acts for a person',
    { scopes: ['run', 'read'], person: 'ann' },
    { lists: true, calls: 'ok', reads: namesFor('ann') },
  ],
  [
    'acts for a person without an account',
    { scopes: ['run', 'read'], person: 'cem' },
    { lists: true, calls: 'ok', reads: namesFor('cem') },
  ],
  ['is of another tenant', { scopes: ['run', 'read'] }, { lists: true, calls: 'not_found', reads: [] }, 'blue'],
]

describe.each(kinds)('a token that %s', (_name, given, meets, tenant = 'default') => {
  it.each(eras)('over %s', async (era) => {
    const { text: token } = await pack.tokens.create(tenant, { name: 'Caller', ...given })
    const client = await connect(world, era, { token })
    const { tools } = await client.listTools()
    expect(tools.some(({ name }) => name === create)).toBe(meets.lists)
    const called = await client
      .callTool({
        name: create,
        arguments: { connection: board.id, idList: '6afd8f840000000000000008', name: 'A card' },
        _meta: { 'toolyard/dryRun': true },
      })
      .catch(() => 'no such tool' as const)
    const failure =
      called === 'no such tool' ? undefined : (called._meta?.['toolyard/failure'] as { code: string } | undefined)
    expect(called === 'no such tool' ? called : (failure?.code ?? 'ok')).toBe(meets.calls)
    const read = await client.readResource({ uri: 'toolyard://connections' }).catch(() => undefined)
    const shown =
      read &&
      (JSON.parse((read.contents[0] as { text: string }).text) as { id: string }[]).map(({ id }) => id).toSorted()
    expect(shown).toEqual(meets.reads)
    await client.close()
  })
})

describe.each(eras)('whom a tool acts for over %s', (era) => {
  const boards = 'work_board_get_boards'
  const used = async () => (await pack.runs.list({ tenant: 'default' }, { limit: 1 })).items[0]!.connection
  const clientFor = async (person?: string) => {
    const newToken = { name: 'Caller', scopes: ['run' as const], ...(person === undefined ? {} : { person }) }
    return connect(world, era, { token: (await pack.tokens.create('default', newToken)).text })
  }

  it('is the person of the token, whatever the call says', async () => {
    const client = await clientFor('ann')
    expect((await call(client, boards)).isError).not.toBe(true)
    expect(await used()).toBe(boardOf('ann').id)
    const theirs = await call(client, boards, { connection: boardOf('bea').id })
    expect(failureOf(theirs)).toMatchObject({ code: 'not_found' })
    expect(failureOf(await call(client, boards, {}, { 'toolyard/person': 'bea' }))).toMatchObject({
      code: 'not_allowed',
    })
    await client.close()
  })

  it('or, with a token that is bound to nobody, the one whom the host names', async () => {
    const client = await clientFor()
    const forBea = { 'toolyard/person': 'bea' }
    expect((await call(client, boards)).isError).not.toBe(true)
    expect(await used()).toBe(board.id)
    expect((await call(client, boards, {}, forBea)).isError).not.toBe(true)
    expect(await used()).toBe(boardOf('bea').id)
    const theirs = await call(client, boards, { connection: boardOf('ann').id }, forBea)
    expect(failureOf(theirs)).toMatchObject({ code: 'not_found' })
    for (const wrong of ['', 7, 'a\nb', 'x'.repeat(257)])
      expect(failureOf(await call(client, boards, {}, { 'toolyard/person': wrong }))).toMatchObject({
        code: 'invalid_input',
      })
    await client.close()
  })
})

it.each(eras)('a token that has ended is refused over %s', async (era) => {
  const { text: token } = await pack.tokens.create('default', { name: 'Ended', expiresAt: clock.now() + 2_000 })
  clock.advance(2_000)
  await expect(connect(world, era, { token }).then((client) => client.listTools())).rejects.toThrow()
})
