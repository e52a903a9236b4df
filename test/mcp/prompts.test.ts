import type { Client } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, it } from 'vitest'
import { integrations } from '../../integrations/index.ts'
import { promptProblems } from '../contract/structure.ts'
import { eras, openMcpWorld, withClient } from '../support/mcp-world.ts'
import { caller } from '../support/world.ts'

const world = await openMcpWorld()
afterAll(() => world.close())

const shipped = (
  await Promise.all(
    integrations.map(async ({ id, prompts }) =>
      ((await prompts?.()) ?? []).map((prompt) => ({ id, name: `${id}_${prompt.id}`.replaceAll('-', '_'), prompt })),
    ),
  )
).flat()
const namesOf = async (client: Client) => (await client.listPrompts()).prompts.map(({ name }) => name)
const textOf = async (client: Client, name: string, args: Record<string, string>) => {
  const { messages } = await client.getPrompt({ name, arguments: args })
  expect(messages).toHaveLength(1)
  expect(messages[0]).toMatchObject({ role: 'user', content: { type: 'text' } })
  return (messages[0]!.content as { text: string }).text
}
const complete = async (client: Client, prompt: string, name: string, value: string) =>
  (await client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name, value } })).completion.values
const triage = 'work_board_triage_board'
const enrich = 'contact_data_enrich_companies_within_credits'

describe.each(eras)('prompts over %s', (era) => {
  it('are those of all integrations, with titles and arguments', () =>
    withClient(world, era, async (client) => {
      const { prompts } = await client.listPrompts()
      expect(prompts.map(({ name }) => name)).toEqual(shipped.map(({ name }) => name))
      expect(prompts.length).toBeGreaterThanOrEqual(4)
      for (const { name, title, description } of prompts) {
        expect(name).toMatch(/^[a-z0-9_]{1,64}$/)
        expect(title).toMatch(/^[A-Z].+: [A-Z]/)
        expect(description!.length).toBeGreaterThan(20)
      }
      expect(prompts.find(({ name }) => name === enrich)!.arguments).toMatchObject([
        { name: 'companies', description: expect.stringContaining('separated by commas'), required: true },
        { name: 'credits', required: true },
      ])
    }))

  it('become a message that names the values, and only what was given', () =>
    withClient(world, era, async (client) => {
      const text = await textOf(client, enrich, { companies: 'acme.example, Fabrikam', credits: ' 25 ' })
      expect(text).toContain('acme.example, Fabrikam')
      expect(text).toContain('at most 25 credits')
      expect(await textOf(client, triage, { board: 'Launch plan', goal: '' })).not.toContain('What matters most')
      expect(await textOf(client, triage, { board: 'Launch plan', goal: 'Ship it' })).toContain(
        'What matters most: Ship it',
      )
    }))

  it.each<[string, string, Record<string, string>, RegExp]>([
    ['a missing value', enrich, { companies: 'acme.example' }, /"credits" is missing/],
    ['an empty value', enrich, { companies: ' ', credits: '1' }, /"companies" is empty/],
    ['no number', enrich, { companies: 'a', credits: 'many' }, /whole number from 1 to/],
    ['a number out of range', enrich, { companies: 'a', credits: '0' }, /whole number from 1 to/],
    ['a number with a fraction', enrich, { companies: 'a', credits: '1.5' }, /whole number from 1 to/],
    ['a long value', triage, { board: 'b'.repeat(201) }, /more than 200 characters/],
    ['an unknown argument', triage, { board: 'b', __proto: 'x' }, /"__proto" is no argument of this prompt/],
    ['a choice there is not', 'work_board_report_on_board', { board: 'b', period: 'year' }, /day, week, month/],
    ['an unknown prompt', 'work_board_nothing', {}, /There is no prompt "work_board_nothing" here/],
  ])('refuse %s', (_, name, args, message) =>
    withClient(world, era, (client) =>
      expect(client.getPrompt({ name, arguments: args })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(message),
      }),
    ),
  )

  it('complete choices, and what the account has by its names', () =>
    withClient(world, era, async (client) => {
      expect(await complete(client, 'work_board_report_on_board', 'period', 'W')).toEqual(['week'])
      const boards = await complete(client, triage, 'board', '')
      expect(boards.length).toBeGreaterThan(0)
      expect(await complete(client, triage, 'board', boards[0]!.slice(0, 4))).toContain(boards[0])
      expect(await complete(client, triage, 'board', 'no board is called so')).toEqual([])
      expect(await complete(client, triage, 'goal', 'a')).toEqual([])
      await expect(complete(client, triage, 'other', 'a')).rejects.toMatchObject({ code: -32602 })
    }))

  it('are narrowed to the address and to what the token may do', async () => {
    const connections = await world.pack.connections.list(caller)
    const of = (integration: string) => connections.find((account) => account.integration === integration)!.id
    const narrowed = async (bounds: object, path = '/mcp') => {
      const { text: token } = await world.pack.tokens.create('default', { name: 'Narrow', ...bounds })
      return withClient(
        world,
        era,
        async (client) => {
          const names = await namesOf(client)
          for (const { name } of shipped.filter((prompt) => !names.includes(prompt.name)))
            for (const refused of [client.getPrompt({ name, arguments: {} }), complete(client, name, 'board', '')])
              await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('There is no prompt') })
          return names
        },
        { token, path },
      )
    }
    const ofBoard = shipped.filter(({ id }) => id === 'work-board').map(({ name }) => name)
    expect(await narrowed({}, '/mcp/work-board')).toEqual(ofBoard)
    expect(await narrowed({}, '/mcp?tools=work_board_search,work_board_get_boards')).toEqual([
      'work_board_report_on_board',
    ])
    expect(await narrowed({ scopes: ['read'] })).toEqual([])
    expect(await narrowed({ toolSet: 'read' })).toEqual(['work_board_report_on_board'])
    expect(await narrowed({ steps: ['anz-data/company-enrichment'] })).toEqual([
      'anz_data_enrich_companies_within_credits',
    ])
    expect(await narrowed({ connections: [of('work-board')] })).toEqual(ofBoard)
  })
})

it('of a tenant without an account offer no names', async () => {
  await world.pack.tenants.create({ id: 'other', name: 'Other' })
  const { text: token } = await world.pack.tokens.create('other', { name: 'Other' })
  await withClient(
    world,
    '2026-07-28',
    async (client) => {
      expect(await namesOf(client)).toContain(triage)
      expect(await complete(client, triage, 'board', '')).toEqual([])
    },
    { token },
  )
})

it('name only tools that they require, and have texts for any values', () => {
  for (const { id, name, prompt } of shipped) {
    const required = prompt.steps.map((step) => `${id}_${step}`.replaceAll('-', '_'))
    const [full, least] = [prompt.arguments, prompt.arguments.filter((argument) => argument.required)].map((given) =>
      prompt.text(Object.fromEntries(given.map((argument) => [argument.name, `<${argument.name}>`]))),
    ) as [string, string]
    const tools = integrations.flatMap((integration) =>
      integration.steps.map((step) => `${integration.id}_${step.id}`.replaceAll('-', '_')),
    )
    for (const [mentioned] of full.matchAll(/\b[a-z]+_[a-z_]+\b/g))
      if (tools.includes(mentioned)) expect(required, name).toContain(mentioned)
      else throw new Error(`${name} names ${mentioned}, which is no tool`)
    for (const argument of prompt.arguments) expect(full, name).toContain(`<${argument.name}>`)
    expect(least).not.toContain('undefined')
    expect(full.length).toBeLessThan(2000)
  }
})

it('that could not work are told to their author', async () => {
  const { prompts: load, ...board } = integrations.find(({ id }) => id === 'work-board')!
  const [first] = await load!()
  const options = { step: 'get-lists', field: 'filter' }
  const broken = [
    { ...first!, id: 'Not kebab', steps: [] },
    { ...first!, steps: ['nowhere'], arguments: [{ ...first!.arguments[0]!, options }] },
    first!,
  ]
  const problems = await promptProblems({ folder: '', integration: { ...board, prompts: async () => broken } })
  expect(problems.join('\n')).toMatch(
    /not kebab-case.*\n.*names no steps.*\n.*needs "nowhere".*\n.*get-lists\.filter.*\n.*there twice/,
  )
})
