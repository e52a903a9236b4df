import { describe, expect, it } from 'vitest'
import { inputJsonSchema, keySets, z } from '#kit'
import { layoutOf } from '../../shared/runtime/catalogue/form-layout.ts'

const text = (description: string) => z.string().meta({ description })
const controls = (shape: Record<string, z.ZodType>, specs: Parameters<typeof layoutOf>[1] = {}) =>
  Object.fromEntries(
    layoutOf(inputJsonSchema(z.strictObject(shape)), specs).fields.map(({ name, control }) => [name, control]),
  )

describe('controls', () => {
  it('follow from type, format and choices', () => {
    const shape = {
      name: z.string(),
      site: z.url(),
      email: z.email(),
      due: z.iso.datetime({ offset: true }),
      count: z.int(),
      ratio: z.number(),
      done: z.boolean(),
      color: z.enum(['red', 'blue']),
      colors: z.array(z.enum(['red', 'blue'])),
      ids: z.array(z.string()),
      query: z.looseObject({}),
      body: z.unknown(),
    }
    expect(controls(shape)).toEqual({
      name: 'text',
      site: 'url',
      email: 'email',
      due: 'date-time',
      count: 'number',
      ratio: 'number',
      done: 'switch',
      color: 'choice',
      colors: 'choices',
      ids: 'list',
      query: 'json',
      body: 'json',
    })
  })

  it('load from the account, or are longer, where the step says so', () => {
    expect(
      controls(
        { idList: z.string(), idLabels: z.array(z.string()), desc: z.string() },
        { idList: { options: true }, idLabels: { options: true }, desc: { long: true } },
      ),
    ).toEqual({
      idList: 'pick',
      idLabels: 'pick-many',
      desc: 'long-text',
    })
  })

  it('hide every secret', () => {
    const schema = inputJsonSchema(z.strictObject({ key: z.string(), site: z.url() }))
    expect(layoutOf(schema, {}, { secret: true }).fields.map(({ control }) => control)).toEqual(['secret', 'secret'])
  })
})

describe('a layout', () => {
  const input = keySets(
    z.strictObject({
      idBoard: text('Board of the list.').optional(),
      idList: text('The list.').meta({ title: 'List' }),
      name: text('The name.').meta({ title: 'Name' }).optional(),
      first: text('First part.').meta({ title: 'First name' }).optional(),
      last: text('Last part.').meta({ title: 'Last name' }).optional(),
      limit: z.int().default(20).meta({ description: 'How many.' }),
      note: text('A note.').optional(),
    }),
    [['name'], ['first', 'last']],
    { exactlyOne: true },
  )
  const layout = layoutOf(inputJsonSchema(input), {
    idBoard: { options: true, scope: true, accepts: 'id-or-url' },
    idList: { options: true, dependsOn: ['idBoard'] },
  })
  const field = (name: string) => layout.fields.find((candidate) => candidate.name === name)!

  it('shows first what must be filled in: required, of a rule, or narrowing such a choice', () => {
    expect(layout.fields.map(({ name, place }) => [name, place])).toEqual([
      ['idBoard', 'main'],
      ['idList', 'main'],
      ['name', 'main'],
      ['first', 'main'],
      ['last', 'main'],
      ['limit', 'more'],
      ['note', 'more'],
    ])
    expect(field('idList').required).toBe(true)
    expect(field('name').required).toBe(false)
  })

  it('keeps what a field depends on, takes and starts with', () => {
    expect(field('idBoard')).toMatchObject({ scope: true, accepts: 'id-or-url', title: 'idBoard' })
    expect(field('idList')).toMatchObject({ dependsOn: ['idBoard'], title: 'List', description: 'The list.' })
    expect(field('limit').default).toBe(20)
    expect('default' in field('note')).toBe(false)
    expect('options' in field('idBoard')).toBe(false)
  })

  it('says how far a number goes, in rows too, and what its choices are called', () => {
    const shape = z.strictObject({
      minutes: z.int().min(0).max(90).meta({ description: 'How long.' }),
      any: z.int().meta({ description: 'A number.' }),
      rows: z.array(
        z.strictObject({
          way: z.enum(['by-air', 'sea']).meta({ description: 'How.' }),
          size: z.int().min(1).meta({ description: 'How big.' }),
        }),
      ),
    })
    const specs = {
      minutes: { unit: 'minutes' },
      rows: { row: { way: { labels: { 'by-air': 'By air' } }, size: { unit: 'bytes', placeholder: '8' } } },
    } as const
    const [minutes, any, rows] = layoutOf(inputJsonSchema(shape), specs).fields
    expect(minutes).toMatchObject({ control: 'duration', unit: 'minutes', min: 0, max: 90 })
    expect(any).toEqual({
      name: 'any',
      title: 'any',
      description: 'A number.',
      control: 'number',
      required: true,
      place: 'main',
    })
    expect(rows!.row!.fields).toMatchObject([
      { control: 'choice', labels: { 'by-air': 'By air', sea: 'Sea' } },
      { control: 'number', unit: 'bytes', placeholder: '8', min: 1 },
    ])
    expect(rows).not.toHaveProperty('max')
  })

  it('names the sets of a rule by the titles of their fields', () => {
    expect(layout.oneOf).toEqual({
      exactlyOne: true,
      sets: [
        { title: 'Name', fields: ['name'] },
        { title: 'First name + Last name', fields: ['first', 'last'] },
      ],
    })
  })

  it('draws a row like a form of its own', () => {
    const rows = z.strictObject({
      people: z
        .array(
          keySets(z.strictObject({ email: text('The address.').optional(), phone: text('The number.').optional() }), [
            ['email'],
            ['phone'],
          ]),
        )
        .meta({ description: 'Rows.' }),
    })
    const [people] = layoutOf(inputJsonSchema(rows)).fields
    expect(people).toMatchObject({
      control: 'rows',
      row: {
        fields: [{ name: 'email', control: 'text' }, { name: 'phone' }],
        oneOf: { exactlyOne: false, sets: [{ fields: ['email'] }, { fields: ['phone'] }] },
      },
    })
  })

  it('shows everything where nothing has to be filled', () => {
    expect(
      layoutOf(inputJsonSchema(z.strictObject({ a: z.string().optional(), b: z.string().optional() }))).fields.map(
        ({ place }) => place,
      ),
    ).toEqual(['main', 'main'])
    expect(layoutOf(inputJsonSchema(z.strictObject({})))).toEqual({ fields: [], oneOf: null })
  })
})
