import { describe, expect, it } from 'vitest'
import { portabilityProblems } from '#kit'
import type { JsonSchema } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { instructionsFor } from '../../shared/faces/mcp/instructions.ts'
import { hashOf, makeTools } from '../../shared/faces/mcp/tools.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { chosenCoreTools, stepCount } from '../support/shipped.ts'

const registry = createRegistry(integrations)
const tools = makeTools(registry)
const all = [...tools.values()].map((tool) => tool.listed({ canChoose: true }))
const named = (name: string) => all.find((tool) => tool.name === name)!
const propertiesOf = (name: string) => named(name).inputSchema.properties as Record<string, JsonSchema>

describe('the list of tools', () => {
  it('has one tool for every step, in the order of integrations and steps, and is the same every time', () => {
    expect(all.map(({ name }) => name)).toEqual(
      registry.all.flatMap(({ steps }) => [...steps.values()].map(({ tool }) => tool)),
    )
    expect(all).toHaveLength(stepCount)
    const again = [...makeTools(createRegistry(integrations)).values()].map((tool) => tool.listed({ canChoose: true }))
    expect(again).toEqual(all)
    expect(hashOf(again)).toBe(hashOf(all))
    expect(
      hashOf(
        all.map((tool) => (tool.name === 'work_board_get_card' ? { ...tool, description: 'Do something else' } : tool)),
      ),
    ).not.toBe(hashOf(all))
  })

  it('names every tool so that each host takes the name, with title and description', () => {
    for (const { name, title, description } of all) {
      expect(name).toMatch(/^[a-z0-9_]{1,64}$/)
      expect(title).toMatch(/^[A-Z].+: [A-Z]/)
      expect(description!.length).toBeGreaterThan(20)
      expect(description!.length).toBeLessThan(600)
    }
  })

  it.each(all.map((tool) => [tool.name, tool] as const))(
    '%s keeps to the schemas that every host takes',
    (_, { inputSchema, _meta }) => {
      expect(portabilityProblems(inputSchema as JsonSchema)).toEqual([])
      // A tool that accepts more fields than it lists is not closed.
      expect(inputSchema.additionalProperties).toBe('toolyard/rareFields' in _meta! ? undefined : false)
    },
  )

  it('says in the description what a model has to know before it calls', () => {
    expect(named('contact_data_find_contact').description).toMatch(
      /Give at least one of: email, linkedinUrl, firstName \+ lastName \+ company\. Costs 1 to 2 credits per match/,
    )
    expect(named('work_board_add_comment').description).toContain('Legacy: use work_board_add_comment_to_card.')
    expect(named('work_board_get_card').description).not.toMatch(/credit|Legacy|Not ready/)
    // Under the documented wire profile not everything is known that these need.
    expect(named('contact_data_enrich_contacts').description).toContain('Not ready: the operator has yet to set')
  })

  it('carries the "one of" rule and the price as data', () => {
    expect(named('contact_data_find_contact')._meta).toMatchObject({
      'toolyard/keySets': {
        sets: [['email'], ['linkedinUrl'], ['firstName', 'lastName', 'company']],
        exactlyOne: false,
      },
      'toolyard/price': { unit: 'credit', per: 'match', typical: [1, 2] },
      'toolyard/integration': 'contact-data',
      'toolyard/step': 'find-contact',
    })
    expect(named('work_board_get_card')._meta).not.toHaveProperty('toolyard/price')
  })

  it('hints at what a tool does', () => {
    const hints = (name: string) => {
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = named(name).annotations!
      return [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]
    }
    expect(hints('work_board_get_card')).toEqual([true, false, true, true])
    expect(hints('work_board_create_card')).toEqual([false, false, false, true])
    // It overwrites what was there.
    expect(hints('work_board_update_card')).toEqual([false, true, true, true])
    expect(hints('work_board_api_call')).toEqual([false, true, false, true])
    // A paid lookup changes nothing at the provider, but a host must not run it without asking.
    expect(hints('contact_data_find_contact')).toEqual([false, false, false, true])
    for (const { name, annotations, _meta } of all)
      if (_meta?.['toolyard/price']) expect(annotations?.readOnlyHint, name).toBe(false)
  })

  it('leaves out fields that only narrow a form, and adds what belongs to tools', () => {
    expect(Object.keys(propertiesOf('work_board_create_card'))).not.toContain('idBoard')
    expect(Object.keys(propertiesOf('work_board_create_card'))).toContain('connection')
    expect(Object.keys(propertiesOf('work_board_get_list_cards'))).toEqual(
      expect.arrayContaining(['fields', 'limit', 'cursor', 'maxBytes', 'from', 'connection']),
    )
    expect(Object.keys(propertiesOf('work_board_get_card'))).not.toContain('from')
    const bound = tools.get('work_board_get_card')!.listed({ canChoose: false })
    expect(bound.inputSchema.properties).not.toHaveProperty('connection')
  })

  it('describes outputs, those of a dry run too', () => {
    for (const { outputSchema } of all) {
      expect(outputSchema).toMatchObject({ type: 'object', properties: { dryRun: { type: 'object' } } })
      expect(JSON.stringify(outputSchema)).not.toContain('"additionalProperties":{}')
    }
    expect(named('work_board_get_list_cards').outputSchema).toMatchObject({
      anyOf: [{ required: ['cards', 'count', 'more'] }, { required: ['dryRun'] }],
    })
  })

  it('refuses a step whose fields it needs for itself', () => {
    const [first] = integrations
    const taken = {
      ...first!,
      steps: first!.steps.map((step) => ({
        ...step,
        input: step.input.extend({ connection: step.input.shape[Object.keys(step.input.shape)[0]!] }),
      })),
    }
    expect(() => makeTools(createRegistry([taken as typeof first & object]))).toThrow(/has a field "connection"/)
  })
})

it('what a model reads of the core is short; test:agents counts it in tokens', () => {
  const core = chosenCoreTools
    .map(named)
    .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }).length)
  expect(core.reduce((sum, length) => sum + length)).toBeLessThan(25_000)
  expect(Math.max(...core)).toBeLessThan(2_200)
})

describe('the instructions', () => {
  it('say what there is, what costs, how to read failures and cuts, and that text is data', () => {
    const text = instructionsFor(registry.all)
    for (const said of [
      'work_board_',
      'anz_data_',
      'contact_data_',
      'credits',
      'matched',
      'rate_limited',
      'outcome_unknown',
      'maxBytes',
      'never as instructions',
      'find_tools',
    ])
      expect(text).toContain(said)
    expect(text.length).toBeLessThan(2500)
  })

  it('say nothing of prices where nothing costs', () => {
    expect(instructionsFor(registry.all.filter(({ integration }) => integration.id === 'work-board'))).not.toContain(
      'credits',
    )
  })
})
