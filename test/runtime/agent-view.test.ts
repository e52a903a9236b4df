import { describe, expect, it } from 'vitest'
import { defineIntegration, defineStep, isFailure, z } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { agentView } from '../../shared/runtime/catalogue/agent-view.ts'
import { stepManifest } from '../../shared/runtime/catalogue/manifest.ts'
import { parseInput } from '../../shared/runtime/catalogue/parse.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import fourth from '../fixtures/fourth/manifest.ts'

const item = z.looseObject({
  id: z.string(),
  name: z.string(),
  size: z.number(),
  owner: z.looseObject({ id: z.string(), mail: z.string() }),
})
const read = defineStep({
  id: 'list-items',
  title: 'List Items',
  purpose: 'Lists the items of a shop.',
  effect: 'read',
  input: z.strictObject({
    shop: z.string().max(20).meta({ title: 'Shop', description: 'Id of the shop.' }),
    colour: z.string().optional().meta({ title: 'Colour', description: 'Colour of the item.' }),
  }),
  output: z.object({ items: z.array(item), count: z.int(), next: z.string() }),
  agentFields: ['items.id', 'items.owner.id', 'count'],
  fields: { colour: { rare: true } },
  run: () => Promise.resolve({}),
})
const viewOf = (step: typeof read) => {
  const [loaded] = createRegistry([defineIntegration({ ...fourth, id: 'shop', steps: [step] })]).all
  return agentView('shop', stepManifest(loaded!.steps.get(step.id)!, []))
}
const output = {
  items: [{ id: 'a', name: 'Lamp', size: 2, owner: { id: 'o', mail: 'kim@shop.example' } }],
  count: 1,
  next: 'b',
}
const shown = (args: Record<string, unknown>, value: unknown = output) =>
  viewOf(read)
    .read({ shop: 's', ...args })
    .narrow(value)

describe('what an agent sees of a step', () => {
  it('has no rare field and no title, and is open where there are more fields', () => {
    const view = viewOf(read)
    expect(view.input).toEqual({
      type: 'object',
      properties: {
        shop: { type: 'string', description: 'Id of the shop.' },
        fields: { type: 'string', description: 'More fields of the result, comma-separated, or "all".' },
      },
      required: ['shop'],
    })
    expect(view.rare).toEqual(['colour'])
    expect(viewOf({ ...read, fields: {} }).input.additionalProperties).toBe(false)
  })

  it('describes the output that is left, open where something was left out', () => {
    expect(viewOf(read).output).toEqual({
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'string' },
              owner: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
            },
            required: ['id', 'owner'],
          },
        },
        count: expect.objectContaining({ type: 'integer' }),
      },
      required: ['items', 'count'],
    })
  })

  it('narrows results to what it needs; "fields" widens them', () => {
    expect(shown({})).toEqual({ items: [{ id: 'a', owner: { id: 'o' } }], count: 1 })
    expect(shown({ fields: 'name, mail' })).toEqual({
      items: [{ id: 'a', name: 'Lamp', owner: { id: 'o', mail: 'kim@shop.example' } }],
      count: 1,
    })
    expect(shown({ fields: 'owner,next' })).toEqual({
      items: [{ id: 'a', owner: output.items[0]!.owner }],
      count: 1,
      next: 'b',
    })
    expect(shown({ fields: 'all' })).toBe(output)
    expect(
      viewOf({ ...read, agentFields: undefined } as unknown as typeof read)
        .read({})
        .narrow(output),
    ).toBe(output)
    // Names of a prototype are no fields that were asked for.
    expect(shown({ fields: 'constructor' })).toEqual({ items: [{ id: 'a', owner: { id: 'o' } }], count: 1 })
    expect(shown({}, { items: null, count: 0 })).toEqual({ items: null, count: 0 })
  })

  it('keeps what it adds out of the input, accepts rare fields and refuses unknown ones with the list', () => {
    const { input } = viewOf(read).read({ shop: 's', colour: 'red', fields: 'name' })
    expect(parseInput(read, input)).toEqual({ shop: 's', colour: 'red' })
    expect(() => parseInput(read, viewOf(read).read({ shop: 's', color: 'red' }).input)).toThrow(
      '"color" is not a field of "List Items". Did you mean "colour"? Its fields: shop, colour.',
    )
    try {
      viewOf(read).read({ fields: ['name'] })
      expect.unreachable()
    } catch (thrown) {
      expect(isFailure(thrown) && thrown.details.errors).toMatchObject([{ pointer: '/fields' }])
    }
  })

  it('leaves "fields" of a step to the step, and widens by it too', () => {
    const own = {
      ...read,
      input: read.input.extend({
        fields: z.string().default('id').meta({ title: 'Fields', description: 'Fields to return.' }),
      }),
    }
    const view = viewOf(own)
    expect(view.input.properties).toMatchObject({ fields: { type: 'string', description: 'Fields to return.' } })
    expect(view.input.properties).not.toHaveProperty('fields.default')
    const call = view.read({ shop: 's', fields: 'name' })
    expect(call.input).toEqual({ shop: 's', fields: 'name' })
    expect(call.narrow(output)).toEqual({ items: [{ id: 'a', name: 'Lamp', owner: { id: 'o' } }], count: 1 })
  })
})

describe.each(
  createRegistry(integrations).all.flatMap((loaded) =>
    [...loaded.steps.values()].map((loadedStep) => [loadedStep.tool, loadedStep] as const),
  ),
)('%s', (_, loadedStep) => {
  const manifest = stepManifest(loadedStep, [])
  it('lists required fields and those of its "one of" rule in parts that suffice', () => {
    const { input, description } = agentView(loadedStep.loaded.integration.id, manifest)
    const listed = Object.keys(input.properties as object)
    expect(listed).toEqual(expect.arrayContaining((input.required ?? []) as string[]))
    const rule = manifest.input['x-key-sets'] as { sets: string[][] } | undefined
    if (rule)
      expect(
        rule.sets.some((set) => set.every((name) => listed.includes(name)) && description.includes(set.join(' + '))),
      ).toBe(true)
  })
})
