import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { ExampleFile, JsonSchema } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { projectSchema } from '../../shared/faces/library/index.ts'
import { scopeFields, toolInput } from '../../shared/runtime/catalogue/manifest.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import type { LoadedStep } from '../../shared/runtime/catalogue/registry.ts'
import { anthropic, gemini, isToolName, openaiStrict } from './host-rules.ts'
import { stepCount } from '../support/shipped.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const steps = createRegistry(integrations).all.flatMap((loaded) => [...loaded.steps.values()])
const cases = steps.map((loadedStep) => [loadedStep.tool, toolInput(loadedStep), loadedStep] as const)

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (schema: JsonSchema) => (schema.properties ?? {}) as Record<string, JsonSchema>

/**
 * What a strict host sends for an input: every field of the schema, null where nothing was given, JSON as text where
 * only text is taken.
 */
const asStrictHost = (schema: JsonSchema, value: unknown): unknown => {
  if ([schema.type].flat().includes('string') && typeof value !== 'string' && value !== null)
    return JSON.stringify(value)
  if (Array.isArray(value)) return value.map((item) => asStrictHost(schema.items as JsonSchema, item))
  if (!isTree(value)) return value
  return Object.fromEntries(
    Object.entries(fieldsOf(schema)).map(([name, part]) => [
      name,
      name in value ? asStrictHost(part, value[name]) : null,
    ]),
  )
}
/** The same for a host that leaves out what was not given. */
const asLooseHost = (schema: JsonSchema, value: unknown): unknown => {
  if (schema.type === 'string' && typeof value !== 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return value.map((item) => asLooseHost(schema.items as JsonSchema, item))
  if (!isTree(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      fieldsOf(schema)[name] === undefined ? part : asLooseHost(fieldsOf(schema)[name]!, part),
    ]),
  )
}

const exampleFile = (integration: string, step: string): ExampleFile | undefined => {
  const folder = join(root, 'integrations', integration, 'examples')
  if (!readdirSync(folder).includes(`${step}.json`)) return undefined
  return JSON.parse(readFileSync(join(folder, `${step}.json`), 'utf8')) as ExampleFile
}
const inputsOf = (file: ExampleFile | undefined): unknown[] =>
  (file?.cases ?? []).flatMap(({ input, failure }) => (failure?.code === 'invalid_input' ? [] : [input]))

/** The step as a tool under the wire override of its example: without it, some fields are not offered. */
const inputUnder = (file: ExampleFile | undefined, { step, loaded: { integration } }: LoadedStep) =>
  toolInput(
    createRegistry([integration], file?.wire ? { [integration.id]: file.wire as Record<string, unknown> } : {}).step(
      integration.id,
      step.id,
    ),
  )

it('walks every step', () => expect(steps.length).toBe(stepCount))

describe.each(cases)('%s', (name, input, loadedStep) => {
  const { step, loaded } = loadedStep

  it('has a name and a canonical schema that every host takes', () => {
    expect(isToolName(name)).toBe(true)
    const { schema } = projectSchema(input, 'canonical')
    expect(schema).toBe(input)
    expect(anthropic(schema)).toEqual([])
    // No host's refusals but these two apply to what no other dialect is made for.
    expect(partsWithTypeLists(schema)).toEqual([])
  })

  it('is taken by OpenAI in strict mode', () =>
    expect(openaiStrict(projectSchema(input, 'openai-strict').schema)).toEqual([]))

  it('is taken by Gemini', () => expect(gemini(projectSchema(input, 'gemini').schema)).toEqual([]))

  it('keeps every field and its description in every dialect', () => {
    for (const dialect of ['openai-strict', 'gemini'] as const) {
      const { schema } = projectSchema(input, dialect)
      expect(Object.keys(fieldsOf(schema))).toEqual(Object.keys(fieldsOf(input)))
      for (const [field, part] of Object.entries(fieldsOf(input)))
        expect(fieldsOf(schema)[field]!.description).toContain(part.description)
    }
  })

  it('takes the same arguments in every dialect', () => {
    const hidden = scopeFields(step)
    const file = exampleFile(loaded.integration.id, step.id)
    const offered = inputUnder(file, loadedStep)
    const inputs = inputsOf(file).map((exampleInput) =>
      Object.fromEntries(Object.entries(exampleInput as Tree).filter(([field]) => !hidden.includes(field))),
    )
    if (step.id !== 'api-call') expect(inputs.length).toBeGreaterThan(0)
    for (const exampleInput of inputs) {
      const strict = projectSchema(offered, 'openai-strict')
      const hostInput = asStrictHost(strict.schema, exampleInput)
      expect(z.fromJSONSchema(strict.schema as never).safeParse(hostInput).error?.issues).toBeUndefined()
      expect(strict.restore(hostInput)).toEqual(exampleInput)
      const loose = projectSchema(offered, 'gemini')
      expect(loose.restore(asLooseHost(loose.schema, exampleInput))).toEqual(exampleInput)
    }
  })
})

const partsWithTypeLists = (schema: JsonSchema) =>
  Object.entries(fieldsOf(schema))
    .filter(([, part]) => Array.isArray(part.type))
    .map(([name]) => name)

describe('a projection', () => {
  const input: JsonSchema = {
    type: 'object',
    properties: {
      color: { type: 'string', enum: ['red', 'blue'], description: 'Which color.' },
      size: { type: 'integer', exclusiveMinimum: 0, description: 'How large.' },
      site: { type: 'string', format: 'uri', minLength: 3, description: 'Where.' },
      rows: {
        type: 'array',
        description: 'Rows.',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'Its name.' },
            note: { type: 'string', description: 'A note.' },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
      body: { description: 'Any JSON value.' },
      query: { type: 'object', properties: {}, additionalProperties: {}, description: 'Parameters.' },
    },
    required: ['site'],
    additionalProperties: false,
    'x-key-sets': { sets: [['color']], exactlyOne: false },
  }

  it('says for OpenAI that what is optional may be null', () => {
    const { schema } = projectSchema(input, 'openai-strict')
    expect(openaiStrict(schema)).toEqual([])
    expect(fieldsOf(schema).color).toEqual({
      type: ['string', 'null'],
      enum: ['red', 'blue', null],
      description: 'Which color.',
    })
    expect(fieldsOf(schema).site).toEqual({ type: 'string', description: 'Where.' })
    expect(schema.required).toEqual(['color', 'size', 'site', 'rows', 'body', 'query'])
  })

  it('takes null for "not given" and JSON as text back, at every level, and keeps a null that means something', () => {
    const { restore } = projectSchema(input, 'openai-strict')
    const args = {
      color: null,
      size: 2,
      site: 'x.example',
      rows: [{ name: 'a', note: null }],
      body: '{"due":null}',
      query: '{"limit":5}',
    }
    expect(restore(args)).toEqual({
      size: 2,
      site: 'x.example',
      rows: [{ name: 'a' }],
      body: { due: null },
      query: { limit: 5 },
    })
  })

  it('leaves what it does not understand to the step', () => {
    const { restore } = projectSchema(input, 'gemini')
    expect(restore({ site: null, query: 'limit=5', other: null, rows: 'none' })).toEqual({
      site: null,
      query: 'limit=5',
      other: null,
      rows: 'none',
    })
    expect(restore('text')).toBe('text')
    expect(restore(undefined)).toBe(undefined)
  })

  it('gives a step without fields a schema that both hosts take', () => {
    const none: JsonSchema = { type: 'object', properties: {}, additionalProperties: false }
    expect(openaiStrict(projectSchema(none, 'openai-strict').schema)).toEqual([])
    expect(gemini(projectSchema(none, 'gemini').schema)).toEqual([])
    expect(projectSchema(none, 'gemini').restore({})).toEqual({})
  })
})

describe('the rules of the hosts', () => {
  it('find what is known to be refused', () => {
    const broken: JsonSchema = {
      type: 'object',
      properties: {
        a: { type: ['string', 'null'] },
        b: { oneOf: [{ const: 1 }] },
        c: { type: 'object', properties: {} },
      },
      allOf: [],
    }
    expect(openaiStrict(broken)).toEqual(
      expect.arrayContaining([
        '/ uses "allOf"',
        '/ allows other fields',
        '/ does not require a, b, c',
        '/properties/b has no type',
      ]),
    )
    expect(anthropic(broken)).toEqual(['/ uses "allOf"'])
    expect(gemini(broken)).toEqual(
      expect.arrayContaining([
        '/ uses "allOf"',
        '/properties/a has not exactly one type',
        '/properties/b uses "oneOf"',
        '/properties/c is an object without fields',
      ]),
    )
  })
})
