import type { Client } from '@modelcontextprotocol/client'
import { median, row } from '../bench/support.ts'
import type { Row } from '../bench/support.ts'
import { manifestsOf, resourcesOf } from '../../shared/faces/mcp/resources.ts'
import { walk } from '../mcp/walk.ts'
import { call, openMcpWorld, textOf, withClient } from '../support/mcp-world.ts'
import type { McpWorld, Result } from '../support/mcp-world.ts'
import { caller } from '../support/world.ts'
import { openTokenizer } from './installed.ts'

type Definition = { name: string; description?: string | undefined; inputSchema: unknown }

/** The figures of `@delorenj/mcp-server-trello` 1.8.1, a public server for such boards, counted in the same way. */
const publicServer = {
  definitions: '7101 for 57 tools',
  createCard: '270',
  updateCard: '331',
  boards: '2614',
  card: '1691',
  created: '600',
  cards: '31495',
}
const beside = (what: string, other: string) => `${what} (a public board server: ${other})`

const stepOf = async ({ pack }: McpWorld, step: string, input: object) => {
  const outcome = await pack.steps.run(caller, { integration: 'work-board', step, input })
  if (!outcome.ok) throw new Error(outcome.failure.message)
  return outcome.value as { id: string; boards: { id: string; lists: { id: string }[] }[] }
}

const work = [
  'Send the proof to the printer',
  'Call the venue about the stage',
  'Collect quotes for the banners',
  'Write the invitation',
  'Check the budget',
]
const details =
  'Two versions are needed by Thursday, one in colour. Ask Kim for the logo, and put the answer of the printer into the comments. '

/** A list with 50 cards as people fill them: most have a text, half are due. */
const fillList = async (world: McpWorld) => {
  const { boards } = await stepOf(world, 'get-boards', { lists: 'open' })
  const { id: idList } = await stepOf(world, 'create-list', { idBoard: boards[0]!.id, name: 'Fair' })
  for (let index = 0; index < 50; index += 1) {
    const due = index % 2 === 0 ? { due: `2026-12-${String(1 + (index % 28)).padStart(2, '0')}T09:00:00Z` } : {}
    await stepOf(world, 'create-card', {
      idList,
      name: `${work[index % work.length]!} (${index + 1})`,
      ...(index % 3 === 0 ? {} : { desc: details }),
      ...due,
    })
  }
  return idList
}

/** Hosts pass on the texts or the structured content: the larger one counts. */
const readBy = (count: (text: string) => number, result: Result) =>
  Math.max(count(textOf(result)), count(JSON.stringify(result.structuredContent)))

const measureResults = async (client: Client, world: McpWorld, count: (text: string) => number): Promise<Row[]> => {
  const idList = await fillList(world)
  const use = async (tool: string, args: Record<string, unknown>) => {
    const result = await call(client, tool, args)
    if (result.isError) throw new Error(textOf(result))
    return result
  }
  const [boards, cards, created] = [
    await use('work_board_get_boards', {}),
    await use('work_board_get_list_cards', { idList }),
    await use('work_board_create_card', { idList, name: 'Order flowers', desc: details }),
  ]
  if (cards.structuredContent!.cards.length !== 50) throw new Error('not all 50 cards were in one answer')
  const card = await use('work_board_get_card', { idCard: created.structuredContent!.id })
  return [
    row(beside('tokens of a result: boards', publicServer.boards), readBy(count, boards), 'tokens'),
    row(beside('tokens of a result: a card', publicServer.card), readBy(count, card), 'tokens'),
    row(beside('tokens of a result: a created card', publicServer.created), readBy(count, created), 'tokens'),
    row(beside('tokens of a result: 50 cards', publicServer.cards), readBy(count, cards), 'tokens', '<= 6000'),
  ]
}

/** Texts that take more tokens for each byte than words do. */
const dense = ['69a3f0c27b1e4d5582c1', '漢字かな交じり文', 'ሰላም ዓለም', '🦘🧮🪃', 'a}{|~^`=', 'Zm9vYmFyYmF6cXV4']

/** Every resource that a client finds, with every part and page: the largest, and how many there are. */
const measureResources = async ({ pack }: McpWorld, count: (text: string) => number): Promise<Row[]> => {
  const events = {
    recent: async () => dense.map((text, at) => ({ id: `event${at}`, type: 'updateCard', text: text.repeat(2000) })),
    watch: () => () => {},
  }
  const integrations = pack.integrations.list().map(({ id }) => id)
  const { list, read } = resourcesOf({ pack, events, manifests: manifestsOf(pack) }, { caller, integrations })
  const sizes: number[] = []
  const textOf = async (uri: string) => {
    const { text } = (await read(uri)).contents[0] as { text: string }
    sizes.push(count(text))
    const { part, events: shown, ...page } = JSON.parse(text) as Record<string, unknown>
    return part !== undefined
      ? JSON.stringify(part)
      : shown === undefined
        ? text
        : JSON.stringify({ items: shown, ...page })
  }
  for (const { uri } of list()) await walk(textOf, uri, [])
  return [row('tokens of the largest resource, parts and pages too', Math.max(...sizes), 'tokens', '<= 5000')]
}

/**
 * What a model reads of the tools, of their results and of resources, in tokens (o200k): name, description and input
 * schema of a tool, and the data of a result.
 */
export const measureTokens = async (): Promise<Row[]> => {
  const count = await openTokenizer()
  const world = await openMcpWorld()
  const tokensOf = ({ name, description, inputSchema }: Definition) =>
    count(JSON.stringify({ name, description, inputSchema }))
  const list = (path: string) =>
    withClient(world, '2025-11-25', async (client) => (await client.listTools()).tools, { path })
  const sum = (tools: Definition[]) => tools.reduce((total, tool) => total + tokensOf(tool), 0)
  try {
    const [core, all] = [await list('/mcp'), await list('/mcp?set=all')]
    const named = (name: string) => tokensOf(core.find((tool) => tool.name === name)!)
    return [
      row('tools that are listed by default', core.length, 'tools', '<= 23'),
      row(beside('tokens of their definitions', publicServer.definitions), sum(core), 'tokens', '<= 6000'),
      row('median of a definition', median(core.map(tokensOf)), 'tokens', '<= 300'),
      row(`tokens of the definitions of all ${all.length} tools`, sum(all), 'tokens'),
      row(beside('definition of Create Card', publicServer.createCard), named('work_board_create_card'), 'tokens'),
      row(beside('definition of Update Card', publicServer.updateCard), named('work_board_update_card'), 'tokens'),
      ...(await measureResources(world, count)),
      ...(await withClient(world, '2025-11-25', (client) => measureResults(client, world, count))),
    ]
  } finally {
    await world.close()
  }
}
