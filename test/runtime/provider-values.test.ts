import { describe, expect, it } from 'vitest'
import type { EndpointProfile, FieldWireSpec } from '#kit'
import { fail } from '#kit'
import type { Call } from '../../shared/wire/index.ts'
import { body } from '../data/harness.ts'
import { dry, profileOf, run, sentFor } from './vendor.ts'

const miss = body(null)
const resolve = { endpoint: 'company', field: 'domain', take: 'ids.main' }
const company: Partial<EndpointProfile> = {
  method: 'GET',
  path: '/company',
  place: 'query',
  fields: { domain: 'fqdn' },
  price: [{ per: 'match', credits: 3 }],
}
const people: Partial<EndpointProfile> & { fields: EndpointProfile['fields'] } = {
  path: '/people',
  fields: {
    companyId: 'companyId',
    domain: { name: 'companyId', resolve },
    level: { name: 'level', map: { boss: 1 } },
    title: 'title',
  },
  price: [],
}
const profile = (over: Partial<EndpointProfile> = {}) => profileOf({ ...people, ...over }, { company })
const companyReply = body({ ids: { main: 77 }, name: 'Wattle' })
const answers = (call: Call) =>
  call.path === '/company' ? (call.query!['fqdn'] === 'wattle.example' ? companyReply : miss) : body([{ name: 'A' }])

describe('a value that another endpoint resolves', () => {
  it('is asked for first and goes out with its type; both are paid', async () => {
    const { sent, meta } = await run('search', { values: { domain: 'wattle.example', title: 'x' } }, profile(), answers)
    expect(sent).toEqual([
      { method: 'GET', path: '/company', query: { fqdn: 'wattle.example' } },
      { method: 'POST', path: '/people', body: { companyId: 77, title: 'x' } },
    ])
    expect(meta.credits?.charged).toBe(3)
  })

  it('is not asked for where another field with its wire name is given', async () => {
    const { sent } = await run('search', { values: { domain: 'wattle.example', companyId: 5 } }, profile(), answers)
    expect(sent.map(({ body: sentBody }) => sentBody)).toEqual([{ companyId: 5 }])
  })

  it('is not asked for where the rest of the request is wrong', async () => {
    const { failure, sent } = await run(
      'search',
      { values: { domain: 'wattle.example', level: 'wizard' } },
      profile(),
      answers,
    )
    expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/level' }] })
    expect(sent).toEqual([])
  })

  it('that the provider does not know is a mistake in a search, and no match in a lookup', async () => {
    const searched = await run('search', { values: { domain: 'nobody.example' } }, profile(), answers)
    expect(searched.failure).toMatchObject({
      code: 'invalid_input',
      errors: [{ pointer: '/domain' }],
      message: expect.stringContaining('nobody.example') as string,
    })
    expect(searched.sent).toHaveLength(1)
    const looked = await run('find', { sets: [{ domain: 'nobody.example' }, { title: 'x' }] }, profile(), (call) =>
      call.path === '/company' ? miss : body({ name: 'A' }),
    )
    expect(looked.sent.map(({ path }) => path)).toEqual(['/company', '/people'])
    expect(looked.value).toMatchObject({ matched: true, matchedBy: 'title' })
    const alone = await run('find', { sets: [{ domain: 'nobody.example' }] }, profile(), answers)
    expect(alone.value).toEqual({
      matched: false,
      reason: expect.stringContaining('domain "nobody.example"') as string,
    })
  })

  it('passes failures on', async () => {
    const { failure, sent } = await run('search', { values: { domain: 'wattle.example' } }, profile(), [
      fail('credits_exhausted', 'none left'),
    ])
    expect([failure?.code, sent.length]).toEqual(['credits_exhausted', 1])
  })

  it('names the setting where the answer holds no such value', async () => {
    const { failure } = await run('search', { values: { domain: 'wattle.example' } }, profile(), [
      body({ name: 'Wattle' }),
    ])
    expect(failure).toMatchObject({ code: 'bad_reply', message: expect.stringContaining('"ids.main"') as string })
  })

  it('is asked for once for all records, single or in bulk; a record it has no match for has none', async () => {
    const records = ['wattle.example', 'nobody.example', 'wattle.example'].map((domain, index) => [
      { domain, title: `t${index}` },
    ])
    const single = await run('find-many', { records }, profile(), (call) =>
      call.path === '/people' ? body({ name: 'A' }) : answers(call),
    )
    expect(single.sent.filter(({ path }) => path === '/company')).toHaveLength(2)
    expect(single.value.results.map(({ matched }: { matched: boolean }) => matched)).toEqual([true, false, true])
    const bulk = { path: '/many', max: 10, envelope: '', answer: 'array', charge: 'match' } as const
    const many = await run('find-many', { records }, profile({ bulk }), (call) =>
      call.path === '/many' ? body([{ name: 'A' }, null]) : answers(call),
    )
    expect(many.sent.map(({ path }) => path)).toEqual(['/company', '/company', '/many'])
    expect(many.sent[2]?.body).toEqual([
      { companyId: 77, title: 't0' },
      { companyId: 77, title: 't2' },
    ])
    expect(many.value.results.map(({ matched }: { matched: boolean }) => matched)).toEqual([true, false, false])
    expect(many.value.results[1].reason).toContain('nobody.example')
    const ended = await run('find-many', { records }, profile({ bulk }), [fail('credits_exhausted', 'none left')])
    expect([ended.failure?.code, ended.sent.length]).toEqual(['credits_exhausted', 1])
  })

  it('is a paid lookup where what it is for is free, in bulk too', async () => {
    const bulk = {
      path: '/many',
      max: 10,
      envelope: '',
      answer: 'array',
      charge: 'match',
      fields: people.fields,
    } as const
    const records = ['wattle.example', 'nobody.example'].map((domain) => [{ domain, title: 'x' }])
    const reply = (call: Call) =>
      call.path === '/many' ? body([{ name: 'A' }]) : call.path === '/people' ? body({ name: 'A' }) : answers(call)
    for (const over of [{ bulk }, {}]) {
      const { calls, meta } = await run('find-many', { records }, profile(over), reply)
      const companyCalls = calls.filter(({ path }) => path === '/company')
      expect(companyCalls.map(({ paid, effect }) => [paid, effect])).toEqual([
        [true, 'create'],
        [true, 'create'],
      ])
      expect(calls.find(({ path }) => path !== '/company')?.paid).toBe(false)
      expect(meta.credits).toEqual({ charged: 3, estimated: true })
    }
    const unstated = profileOf(people, { company: { ...company, price: undefined } as never })
    expect((await run('find-many', { records }, unstated, reply)).calls[0]).toMatchObject({
      path: '/company',
      paid: true,
      effect: 'create',
    })
  })

  it('is in the quote of bulk requests by their own fields, and where either endpoint states no price', async () => {
    const quoted = async (step: string, input: Record<string, unknown>, over: Record<string, unknown>) =>
      (await dry(step, input, over)).dry.price?.total
    const bulk = {
      path: '/many',
      max: 10,
      envelope: '',
      answer: 'array',
      charge: 'match',
      fields: people.fields,
    } as const
    const inBulk = profile({ bulk, fields: { title: 'title', domain: 'domain' } })
    expect(await quoted('find-many', { records: [[{ title: 'x' }], [{ domain: 'wattle.example' }]] }, inBulk)).toEqual([
      0, 6,
    ])
    expect(await quoted('find-many', { records: [[{ title: 'x' }], [{ title: 'y' }]] }, inBulk)).toEqual([0, 0])
    const { price: _, ...unpriced } = people
    expect(await quoted('find', { sets: [{ domain: 'wattle.example' }] }, profileOf(unpriced, { company }))).toEqual([
      1, 4,
    ])
    expect(await quoted('find', { sets: [{ title: 'x' }] }, profileOf(unpriced, { company }))).toEqual([1, 1])
    const { price: __, ...plain } = company
    expect(
      await quoted('find', { sets: [{ domain: 'wattle.example' }] }, profileOf(people, { company: plain })),
    ).toEqual([0, 1])
  })

  it('is shown in a dry run as a request of its own; what depends on it is marked', async () => {
    for (const [step, input] of [
      ['search', { values: { domain: 'wattle.example' } }],
      ['find', { sets: [{ domain: 'wattle.example' }] }],
      ['find-many', { records: [[{ domain: 'wattle.example' }], [{ domain: 'wattle.example' }]].slice(0, 1) }],
    ] as const) {
      const shown = await dry(step, input, profile())
      expect(shown.dry.requests.map(({ url, body: sentBody }) => [url, sentBody])).toEqual([
        ['https://provider.example/company', undefined],
        ['https://provider.example/people', { companyId: '<ids.main from company>' }],
      ])
      expect(shown.dry.complete).toBe(false)
    }
  })
})

describe('choices of the provider', () => {
  const lists: Partial<EndpointProfile> = {
    method: 'GET',
    path: '/lists/departments',
    place: 'query',
    fields: {},
    constants: { locale: 'en' },
  }
  const choices: FieldWireSpec['choices'] = { endpoint: 'departments', list: 'data.items', value: 'id', label: 'title' }
  const wire = (over: FieldWireSpec = { name: 'dept', choices }) =>
    profileOf({ fields: { department: over, level: { name: 'level', map: { boss: 1 } } } }, { departments: lists })
  const listed = body({
    data: {
      items: [
        { id: 11, title: 'Marketing' },
        { id: 2, title: 'Sales' },
        { id: '3', title: 'Trade sales' },
        { title: 'no id' },
      ],
    },
  })
  const reply = (call: Call) => (call.path === '/lists/departments' ? listed : body([]))
  const search = (department: unknown, over?: FieldWireSpec, more: object = {}) =>
    run('search', { values: { department, ...more } }, wire(over), reply)

  it('take a label or a value, in any case, and go out as the provider has them', async () => {
    const { sent, calls } = await search('marketing')
    expect(sent).toEqual([
      { method: 'GET', path: '/lists/departments', query: { locale: 'en' } },
      { method: 'POST', path: '/it', body: { dept: 11 } },
    ])
    expect(calls.map(({ paid }) => paid)).toEqual([false, true])
    expect((await search('2')).sent[1]?.body).toEqual({ dept: 2 })
    const list = await search(['Sales', '3'], { name: 'dept', choices, template: [{ id: '{value}' }] })
    expect(list.sent[1]?.body).toEqual({ dept: [{ id: 2 }, { id: '3' }] })
    expect((await search('Sales', { name: 'dept', choices, as: 'string' })).sent[1]?.body).toEqual({ dept: '2' })
  })

  it('refuse anything else, naming near ones, and the rest of the request before they are asked for', async () => {
    const typo = await search('Marketting')
    expect(typo.failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/department' }] })
    expect(typo.failure?.message).toMatch(/Near to it: Marketing \(11\)\./)
    expect((await search('sale')).failure?.message).toMatch(/Near to it: Sales \(2\), Trade sales \(3\)\./)
    expect((await search('wizardry')).failure?.message).toContain('Marketing (11)')
    expect(typo.sent).toHaveLength(1)
    expect((await search('Sales', undefined, { level: 'wizard' })).sent).toEqual([])
  })

  it('may be added to a list, and be named in templates of other fields', async () => {
    const both = profileOf(
      {
        fields: {
          department: { name: 'tags', choices, add: true },
          second: { name: 'tags', choices, add: true },
          text: { name: 'text', template: { said: '{value} in {department}', id: '{department}' } },
        },
      },
      { departments: lists },
    )
    const { sent } = await run(
      'search',
      { values: { department: 'Sales', second: 'marketing', text: 'all' } },
      both,
      reply,
    )
    expect(sent[1]?.body).toEqual({ tags: [2, 11], text: { said: 'all in 2', id: 2 } })
  })

  it('are a bad reply where there is no list', async () => {
    const { failure } = await run('search', { values: { department: 'Sales' } }, wire(), () => body({ data: 'x' }))
    expect(failure).toMatchObject({
      code: 'bad_reply',
      message: expect.stringContaining('wire.vendor.endpoints.departments') as string,
    })
  })

  it('are read once for many records', async () => {
    const records = ['Sales', 'marketing', '2'].map((department) => [{ department }])
    const { sent } = await run('find-many', { records }, wire(), (call) =>
      call.path === '/it' ? body(null) : reply(call),
    )
    expect(sent.map(({ path }) => path)).toEqual(['/lists/departments', '/it', '/it', '/it'])
  })

  it('are shown in a dry run as a free request', async () => {
    const shown = await dry('search', { values: { department: 'Sales' } }, wire())
    expect(shown.dry.requests.map(({ url, body: sentBody }) => [url, sentBody])).toEqual([
      ['https://provider.example/lists/departments', undefined],
      ['https://provider.example/it', { dept: 'Sales' }],
    ])
    expect(shown.dry.complete).toBe(false)
  })

  it('may be plain texts', async () => {
    const plain = { name: 'dept', choices: { endpoint: 'departments', list: '', value: '', label: '' } }
    const { sent } = await run('search', { values: { department: 'sales' } }, wire(plain), (call) =>
      body(call.path === '/it' ? [] : ['Sales', 'Legal']),
    )
    expect(sent[1]?.body).toEqual({ dept: 'Sales' })
  })
})

it('fields that need nothing of the provider are asked for nothing', async () => {
  expect(await sentFor({ fields: { a: 'a' } }, { a: 1 })).toEqual({ a: 1 })
})
