import { describe, expect, it } from 'vitest'
import { integrations } from '../../integrations/index.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { toolSetsOf } from '../../shared/runtime/catalogue/tool-sets.ts'
import { listedTools, chosenCoreTools, coreTools } from '../support/shipped.ts'
import { call, eras, failureOf, openMcpWorld, textOf, withClient } from '../support/mcp-world.ts'

const world = await openMcpWorld()

const names = (tools: { name: string }[]) => tools.map(({ name }) => name)
const readers = [
  'work_board_get_card',
  'work_board_get_card_activity',
  'work_board_get_votes',
  'work_board_get_card_custom_fields',
  'work_board_search',
  'work_board_find_card',
  'work_board_get_boards',
  'work_board_get_board',
  'work_board_get_board_activity',
  'work_board_get_workspaces',
  'work_board_get_custom_fields',
  'work_board_get_lists',
  'work_board_get_list',
  'work_board_get_list_cards',
  'work_board_get_board_cards',
  'work_board_get_comments',
  'work_board_get_checklists',
  'work_board_get_labels',
  'work_board_get_label',
  'work_board_get_members',
  'work_board_get_member',
  'work_board_search_members',
  'work_board_get_attachments',
  'work_board_get_attachment_text',
]
const registry = createRegistry(integrations)

describe('tool sets', () => {
  it('of an integration begin with the core and end with all, name its steps once, and are small enough for any host', () => {
    for (const loaded of registry.all) {
      const sets = toolSetsOf(loaded)
      expect([sets[0]!.id, sets.at(-1)!.id]).toEqual(['core', 'all'])
      expect(new Set(sets.map(({ id }) => id)).size).toBe(sets.length)
      for (const { id, title, purpose, steps } of sets) {
        expect(id).toMatch(/^[a-z][a-z0-9-]*$/)
        expect([title.length > 2, purpose.endsWith('.')]).toEqual([true, true])
        expect(steps.filter((step) => !loaded.steps.has(step))).toEqual([])
        expect(new Set(steps).size).toBe(steps.length)
        // A host takes 128 tools at most; a set that one chooses for a task is far smaller.
        expect(steps.length).toBeLessThanOrEqual(id === 'all' ? 128 : 30)
        for (const step of steps) expect(loaded.steps.get(step)!.step.legacy).toBeUndefined()
      }
    }
    // With the tool that finds the others.
    expect(chosenCoreTools.length + 1).toBeLessThanOrEqual(23)
  })
})

it('the core finds what it changes, and says in its first words how its tools differ', () => {
  const board = registry.all.find(({ integration }) => integration.id === 'work-board')!
  const core = toolSetsOf(board)[0]!.steps
  expect(core).toContain('search')
  const firstWords = ['update-card', 'move-card', 'archive-card', 'delete-card', 'move-cards', 'archive-cards'].map(
    (id) => board.steps.get(id)!.step.purpose.split(' ').slice(0, 4).join(' '),
  )
  expect(firstWords).toEqual([
    'Edits fields of a',
    'Moves a card and',
    'Archives a card and',
    'Deletes a card for',
    'Moves up to 200',
    'Archives up to 200',
  ])
})

describe.each(eras)('over %s', (era) => {
  it('the core is listed, another set where one is asked for, and the list is the same each time', async () => {
    const listed = (path: string) =>
      withClient(world, era, async (client) => (await client.listTools()).tools, { path })
    expect(names(await listed('/mcp'))).toEqual([...listedTools, 'find_tools'])
    expect(await listed('/mcp')).toEqual(await listed('/mcp'))
    expect(names(await listed('/mcp?set=read'))).toEqual([...readers, 'find_tools'])
    expect(names(await listed('/mcp/contact-data?set=people'))).toContain('contact_data_reveal_contacts')
    const all = names(await listed('/mcp?set=all'))
    expect(all).toContain('anz_data_api_call')
    expect(all).not.toContain('work_board_add_comment')
    // Nothing is left to find.
    expect(all).not.toContain('find_tools')
    expect(names(await listed('/mcp?set=read&tools=work_board_api_call'))).toEqual(['work_board_api_call'])
  })

  it('the tools that ask several providers are found, though the core does not list them', () =>
    withClient(world, era, async (client) => {
      const findTools = async (query: string) =>
        names(((await call(client, 'find_tools', { query })).structuredContent as { tools: { name: string }[] }).tools)
      expect(await findTools('find a person anywhere')).toContain('find_person_anywhere')
      expect(await findTools('company waterfall over several providers')).toContain('find_company_anywhere')
      expect(await findTools('move a card')).not.toContain('find_person_anywhere')
      expect(failureOf(await call(client, 'find_person_anywhere', {}))).toMatchObject({ code: 'invalid_input' })
    }))

  it('a tool that is not listed can be called, also one that another replaces', () =>
    withClient(
      world,
      era,
      async (client) => {
        expect((await call(client, 'anz_data_find_endpoints', { query: 'a company' })).structuredContent).toMatchObject(
          { known: 3 },
        )
        expect(failureOf(await call(client, 'work_board_add_comment', { text: 'No card' }))).toMatchObject({
          code: 'invalid_input',
          errors: [{ pointer: '/idCard' }],
        })
      },
      { path: '/mcp?set=read' },
    ))

  it('find_tools gives whole definitions, the best first', () =>
    withClient(world, era, async (client) => {
      const find = async (query: string) => (await call(client, 'find_tools', { query })).structuredContent!
      const { tools } = await find('reveal phone numbers')
      expect(tools[0].name).toBe('contact_data_reveal_contacts')
      expect(tools[0].inputSchema.properties).toHaveProperty('personIds')
      expect(tools.length).toBeLessThanOrEqual(5)
      expect(names((await find('comment on a card')).tools)[0]).toBe('work_board_add_comment_to_card')
      expect(names((await find('call another endpoint of anz data')).tools)).toContain('anz_data_api_call')
      const [create] = (await find('create card')).tools
      expect(create.name).toBe('work_board_create_card')
      // Rare fields, which are not listed.
      expect(create.inputSchema.properties).toHaveProperty('coordinates')
      const none = await find('zzzz')
      expect([none.tools, none.names]).toEqual([
        [],
        expect.arrayContaining(['anz_data_api_call', 'work_board_create_card']),
      ])
      expect(none.names).not.toContain('work_board_add_comment')
      for (const [args, pointer] of [
        [{}, '/query'],
        [{ query: 7 }, '/query'],
        [{ query: 'card', limit: 3 }, '/limit'],
      ] as const)
        expect(failureOf(await call(client, 'find_tools', args))).toMatchObject({
          code: 'invalid_input',
          errors: [{ pointer }],
        })
    }))

  it('find_tools finds what is there for the address alone', () =>
    withClient(
      world,
      era,
      async (client) => {
        const { tools, names: all } = (await call(client, 'find_tools', { query: 'card' })).structuredContent!
        expect(
          names(tools)
            .concat(all ?? [])
            .every((name) => name.startsWith('anz_data_')),
        ).toBe(true)
      },
      { path: '/mcp/anz-data' },
    ))

  it('a token bound to a set lists and finds its tools alone, and is told so by others', async () => {
    const { text: token } = await world.pack.tokens.create('default', { name: 'Reader', toolSet: 'read' })
    await withClient(
      world,
      era,
      async (client) => {
        expect(names((await client.listTools()).tools)).toEqual(readers)
        expect((await call(client, 'work_board_get_boards')).isError ?? false).toBe(false)
        const refused = await call(client, 'work_board_create_card', { idList: 'x', name: 'No' })
        expect(failureOf(refused).code).toBe('not_allowed')
        expect(textOf(refused)).toContain(
          'This token may not run work-board/create-card. It is bound to the tool set "read", which does not have it.',
        )
      },
      { token },
    )
    const narrowed = (path: string) =>
      withClient(world, era, async (client) => names((await client.listTools()).tools), { token, path })
    expect(await narrowed('/mcp?set=all')).toEqual(readers)
    expect(await narrowed('/mcp/anz-data')).toEqual([])
  })

  it('with an approved list nothing else is called, though it can be found', async () => {
    const hash = await withClient(
      world,
      era,
      async (client) => (await client.listTools())._meta!['toolyard/hash'] as string,
      { path: '/mcp/anz-data' },
    )
    await withClient(
      world,
      era,
      async (client) => {
        expect(names((await client.listTools()).tools)).toEqual([...coreTools('anz-data'), 'find_tools'])
        await expect(call(client, 'anz_data_api_call', { method: 'GET', path: '/' })).rejects.toThrow(
          'There is no tool "anz_data_api_call" here.',
        )
        const { tools, names: all } = (await call(client, 'find_tools', { query: 'endpoint' })).structuredContent!
        expect([...names(tools), ...(all ?? [])].filter((name) => !coreTools('anz-data').includes(name))).toEqual([])
      },
      { path: `/mcp/anz-data?approved=${hash}` },
    )
  })
})

it('a token is not bound to a set that is not there', async () => {
  await expect(world.pack.tokens.create('default', { name: 'Wrong', toolSet: 'reading' })).rejects.toMatchObject({
    code: 'invalid_input',
    message:
      'There is no tool set "reading". There are: core, all, people, prospecting, read, cards, comments, checklists, files, boards.',
  })
})
