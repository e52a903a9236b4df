import { describe, expect, it } from 'vitest'
import { outputJsonSchema } from '#kit'
import type { z } from '#kit'
import {
  boards,
  card,
  cards,
  cardWithParts,
  checkItem,
  checklist,
  comment,
  list,
} from '../../integrations/work-board/records.ts'

type Described = { properties: Record<string, { type: string | string[] }>; required: string[] }
const described = (schema: z.ZodType) => outputJsonSchema(schema) as unknown as Described & { items: Described }
const problems = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('/')) ?? []

const records: [string, z.ZodType][] = Object.entries({ card, cardWithParts, checkItem, checklist, comment, list }).map(
  ([name, made]) => [name, made()],
)
const lists: [string, z.ZodType][] = Object.entries({ boards, cards }).map(([name, made]) => [name, made('Some.')])

const right = (type: string) => ({ string: 'text', number: 1, boolean: true, object: {} })[type]
const wrong = (type: string) => (type === 'string' ? 1 : 'text')
const typeOf = ({ type }: { type: string | string[] }) => (Array.isArray(type) ? type[0]! : type)

const holds = (properties: Described['properties'], check: (value: Record<string, unknown>) => string[]) => {
  const good = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, right(typeOf(field))]))
  expect(check({ ...good, more: 'of what the board added' })).toEqual([])
  expect(check({ id: 'a' })).toEqual([])
  for (const [name, field] of Object.entries(properties)) {
    expect(check({ ...good, [name]: wrong(typeOf(field)) })).toEqual([name])
    expect(check({ ...good, [name]: null })).toEqual(Array.isArray(field.type) ? [] : [name])
  }
  expect(check(Object.fromEntries(Object.entries(good).filter(([name]) => name !== 'id')))).toEqual(['id'])
}

describe('every named field of a record is checked, under its own name', () => {
  it.each(records)('%s', (_, schema) => {
    holds(described(schema).properties, (value) => problems(schema, value))
    for (const value of [null, [], 'text', undefined]) expect(problems(schema, value)).toEqual([''])
  })
  it.each(lists)('each of the %s', (_, schema) => {
    holds(described(schema).items.properties, (value) =>
      problems(schema, [{ id: 'a' }, value]).map((path) => path.replace(/^1\//, '')),
    )
    expect(problems(schema, [{ id: 'a' }, null, { id: 'b' }, 7])).toEqual(['1', '3'])
    expect(problems(schema, { id: 'a' })).toEqual([''])
    expect(problems(schema, [])).toEqual([])
  })
})
