import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { formJsonSchema, inputJsonSchema, portabilityProblems } from '../../shared/kit/portable.ts'
import type { JsonSchema } from '../../shared/kit/portable.ts'

const text = (description = 'A text of the form.') => ({ type: 'string', description })
const root = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

describe('what every model host takes', () => {
  it('has no problems', () => {
    expect(
      portabilityProblems(
        root({ name: text(), tags: { type: 'array', description: 'Words for it.', items: { type: 'string' } } }),
      ),
    ).toEqual([])
  })

  it.each([
    ['a field without description', root({ name: { type: 'string' } }), '/name has no description'],
    ['several types', root({ name: { ...text(), type: ['string', 'null'] } }), '/name has several types'],
    ['an enum of numbers', root({ name: { ...text(), enum: [1] } }), '/name has an enum of other than strings'],
    [
      'format and pattern',
      root({ name: { ...text(), format: 'email', pattern: '.' } }),
      '/name has both format and pattern',
    ],
    ['a list as root', { type: 'array' }, 'the root must be a plain object'],
  ])('%s is a problem', (_, schema, problem) => expect(portabilityProblems(schema)).toContain(problem))
})

describe('schemas made to break whoever reads them', () => {
  it('a reference to elsewhere is refused and not followed', () => {
    expect(portabilityProblems(root({ name: { ...text(), $ref: 'https://evil.example/schema.json' } }))).toEqual([
      '/name uses "$ref"',
    ])
  })

  it('a schema that contains itself is refused', () => {
    type Tree = { name: string; below: Tree[] }
    const tree: z.ZodType<Tree> = z.lazy(() => z.strictObject({ name: z.string(), below: z.array(tree) }))
    expect(portabilityProblems(inputJsonSchema(z.strictObject({ tree })))).toContainEqual(
      expect.stringMatching(/uses "\$ref"/),
    )
  })

  it('10,000 alternatives are one problem, not 10,000', () => {
    const anyOf = Array.from({ length: 10_000 }, () => text())
    expect(portabilityProblems(root({ name: { description: 'One of many.', anyOf } }))).toEqual(['/name uses "anyOf"'])
  })

  it('one that is nested 100,000 deep is refused at the fourth level', () => {
    let deep: JsonSchema = text()
    for (let level = 0; level < 100_000; level += 1) deep = { ...root({ in: deep }), description: 'One level.' }
    expect(portabilityProblems(deep)).toEqual(['/in/in/in/in is nested too deeply'])
  })

  it('more optional fields than a host takes are counted', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`f${n}`, text()]))
    expect(portabilityProblems({ type: 'object', properties: many })).toEqual([
      'has 5000 optional fields; at most 24 are portable',
    ])
  })
})

it('a field is described to people in their own words, where it has words for agents', () => {
  const input = z.strictObject({
    list: z
      .string()
      .meta({ title: 'List', description: 'Where it goes.', agentDescription: 'Id of the list; Get Lists returns it.' })
      .optional(),
    rows: z
      .array(z.strictObject({ file: z.string().meta({ description: 'The file.', agentDescription: 'Id of a file.' }) }))
      .meta({ description: 'Rows of files.' }),
  })
  const agents = JSON.stringify(inputJsonSchema(input))
  const people = JSON.stringify(formJsonSchema(input))
  for (const text of ['Id of the list; Get Lists returns it.', 'Id of a file.', 'Rows of files.'])
    expect(agents).toContain(text)
  for (const text of ['Where it goes.', 'The file.', 'Rows of files.']) expect(people).toContain(text)
  expect(agents + people).not.toContain('agentDescription')
  expect(agents).not.toContain('Where it goes.')
  expect(people).not.toContain('Get Lists')
})
