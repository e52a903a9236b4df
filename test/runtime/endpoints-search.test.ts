import { describe, expect, it } from 'vitest'
import { body, dryRun, runStep } from '../data/harness.ts'
import type { Answers } from '../data/harness.ts'

const row = (index: number) => ({ person_id: `p${index}`, full_name: `Person ${index}` })
const rows = (from: number, count: number) => Array.from({ length: count }, (_, index) => row(from + index))
const page = { style: 'offset', place: 'json', position: 'from', size: 'size', max: 50, default: 2 }
const search = (input: Record<string, unknown>, answers: Answers, over: Record<string, unknown> = { page }) =>
  runStep('anz-data', 'people-search', { company: 'Wattle', ...input }, answers, {
    wire: { endpoints: { 'search-people': over } },
  })
const ids = (value: Record<string, any>) => value.results.map((result: { record: { id: string } }) => result.record.id)

describe('a search', () => {
  it.each([
    ['bare', rows(0, 2)],
    ['under a usual name', { results: rows(0, 2), total: 2 }],
    ['two levels down', { data: { people: rows(0, 2) } }],
  ])('finds the list %s', async (_, answer) => {
    const { value } = await search({}, [body(answer)], {})
    expect(ids(value)).toEqual(['p0', 'p1'])
    expect(value).toMatchObject({
      count: 2,
      total: 2,
      results: [{ matched: true, raw: row(0), provenance: { untrusted: true } }, {}],
    })
    expect(value.next).toBeUndefined()
  })

  it.each([
    ['null', null],
    ['[]', []],
    ['{}', {}],
    ['an empty list', { results: [], total: 0 }],
    ['words', { message: 'No results' }],
  ])('with the answer %s is empty, not a failure', async (_, answer) => {
    const { value, meta } = await search({}, [body(answer)])
    expect(value).toMatchObject({ results: [], count: 0 })
    expect(value.next).toBeUndefined()
    expect(meta.credits).toEqual({ charged: 0, estimated: false })
  })

  it('that answers no list names the setting, and counts what may have been charged', async () => {
    const { failure, meta } = await search({ limit: 3 }, [body({ ticket: 7 })])
    expect(failure).toMatchObject({
      code: 'bad_reply',
      message: expect.stringContaining('wire.anz-data.endpoints.search-people.record') as string,
    })
    expect(meta.credits).toEqual({ charged: 3, estimated: true })
  })

  it('without paging asks for no size, cuts the answer to the limit and has no next', async () => {
    const { value, sent, meta } = await search({ limit: 2 }, [body(rows(0, 5))], {})
    expect(sent[0]?.body).toEqual({ company: 'Wattle' })
    expect(value).toMatchObject({ count: 2, total: 5 })
    expect(value.next).toBeUndefined()
    expect(meta.credits?.charged).toBe(5)
    expect((await search({ cursor: 'x' }, [], {})).failure?.errors?.[0]?.pointer).toBe('/cursor')
  })

  it('fails wire_unset where a filter has no name, and names it', async () => {
    const { failure, sent } = await search({ companySize: '11-50' }, [], {})
    expect(failure).toMatchObject({
      code: 'wire_unset',
      message: expect.stringContaining('wire.anz-data.endpoints.search-people.fields.companySize') as string,
    })
    expect(sent).toEqual([])
  })

  it('fails wire_unset where the path is not known', async () => {
    const { failure, sent } = await runStep('contact-data', 'search-contacts', { jobTitle: 'buyer' }, [])
    expect(failure).toMatchObject({
      code: 'wire_unset',
      message: expect.stringContaining('wire.contact-data.endpoints.search-contacts.path') as string,
    })
    expect(sent).toEqual([])
  })
})

describe('paging', () => {
  it('by offset goes on after what came, until the total', async () => {
    const over = { page: { ...page, total: 'total', asString: true } }
    const first = await search({}, [body({ results: rows(0, 2), total: 3 })], over)
    expect(first.sent[0]?.body).toEqual({ company: 'Wattle', from: '0', size: '2' })
    expect(first.value.total).toBe(3)
    const second = await search({ cursor: first.value.next as string }, [body({ results: rows(2, 1), total: 3 })], over)
    expect(second.sent[0]?.body).toEqual({ company: 'Wattle', from: '2', size: '2' })
    expect(second.value.next).toBeUndefined()
  })

  it('by offset shows all rows of a provider that gives more than asked, and goes on after them', async () => {
    const first = await search({ limit: 2 }, [body(rows(0, 3))])
    expect(ids(first.value)).toEqual(['p0', 'p1', 'p2'])
    expect(
      (await search({ limit: 2, cursor: first.value.next as string }, [body(rows(3, 1))])).sent[0]?.body,
    ).toMatchObject({ from: 3, size: 2 })
  })

  it('by page number keeps its size when the limit changes', async () => {
    const over = { page: { ...page, style: 'page', position: 'pages.page', size: 'pages.size', firstPage: 1 } }
    const first = await search({ limit: 5 }, [body(rows(0, 5))], over)
    expect(first.sent[0]?.body).toEqual({ company: 'Wattle', pages: { page: 1, size: 5 } })
    const second = await search({ limit: 3, cursor: first.value.next as string }, [body(rows(5, 2))], over)
    expect(second.sent[0]?.body).toEqual({ company: 'Wattle', pages: { page: 2, size: 5 } })
    expect(second.value.next).toBeUndefined()
  })

  it("by the provider's own cursor, in the query", async () => {
    const over = {
      method: 'GET',
      place: 'query',
      page: { ...page, style: 'cursor', place: 'query', position: 'after', nextCursor: 'paging.next' },
    }
    const first = await search({}, [body({ results: rows(0, 2), paging: { next: 'tok==' } })], over)
    expect(first.sent[0]?.query).toEqual({ company: 'Wattle', size: 2 })
    const second = await search(
      { cursor: first.value.next as string },
      [body({ results: rows(2, 2), paging: { next: null } })],
      over,
    )
    expect(second.sent[0]?.query).toEqual({ company: 'Wattle', size: 2, after: 'tok==' })
    expect(second.value.next).toBeUndefined()
  })

  it('asks for no more than the provider gives at once', async () => {
    expect((await search({ limit: 900 }, [body([])])).sent[0]?.body).toMatchObject({ size: 50 })
  })

  it('does not take null for a total of 0', async () => {
    const { value } = await search({}, [body({ results: rows(0, 2), total: null })], {
      page: { ...page, total: 'total' },
    })
    expect(value.next).toBeDefined()
    expect(value.total).toBeUndefined()
  })

  it.each([
    'x',
    'bnVsbA',
    'NQ',
    Buffer.from('{"start":-1}').toString('base64url'),
    Buffer.from('{"start":0,"size":0}').toString('base64url'),
    Buffer.from('{"cursor":1}').toString('base64url'),
  ])('refuses the cursor %s', async (cursor) => {
    const { failure, sent } = await search({ cursor }, [])
    expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/cursor' }] })
    expect(sent).toEqual([])
  })

  it('is shown in a dry run, with the most it may cost', async () => {
    const { dry } = await dryRun(
      'anz-data',
      'people-search',
      { company: 'Wattle', limit: 20 },
      { endpoints: { 'search-people': { page } } },
    )
    expect(dry).toMatchObject({
      complete: true,
      requests: [{ body: { company: 'Wattle', from: 0, size: 20 } }],
      price: { typical: [0, 1], total: [0, 20] },
    })
    const open = await dryRun('anz-data', 'people-search', { company: 'Wattle' })
    expect(open.dry.price).toEqual({ unit: 'credit', per: 'record', typical: [0, 1] })
  })
})

describe('bounds of pages', () => {
  const bounded = { ...page, min: 20, max: 50, default: 25 }
  it('ask for the least the provider takes, and show all of it', async () => {
    const { value, sent, meta } = await search({ limit: 3 }, [body(rows(0, 20))], { page: bounded })
    expect(sent[0]?.body).toMatchObject({ from: 0, size: 20 })
    expect([value.count, meta.credits?.charged]).toEqual([20, 20])
    expect(
      (await search({ limit: 3, cursor: value.next as string }, [body(rows(20, 1))], { page: bounded })).sent[0]?.body,
    ).toMatchObject({
      from: 20,
      size: 20,
    })
  })

  const numbered = {
    ...page,
    style: 'page',
    position: 'pages.page',
    size: 'pages.size',
    firstPage: 1,
    last: 2,
    asString: true,
  }
  const cursorOf = (position: unknown) => Buffer.from(JSON.stringify(position)).toString('base64url')
  it('end at the last page that the provider answers', async () => {
    const first = await search({}, [body(rows(0, 2))], { page: numbered })
    const last = await search({ cursor: first.value.next as string }, [body(rows(2, 2))], { page: numbered })
    expect(last.sent[0]?.body).toMatchObject({ pages: { page: '2', size: '2' } })
    expect(last.value.next).toBeUndefined()
  })

  it.each([
    ['page', { page: numbered }, { start: 4, size: 2 }],
    ['offset', { page: { ...page, last: 100 } }, { start: 101, size: 2 }],
  ])('refuse a cursor beyond the last %s before anything is sent', async (_, over, position) => {
    const { failure, sent } = await search({ cursor: cursorOf(position) }, [], over)
    expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/cursor' }] })
    expect(sent).toEqual([])
  })

  it('leave room for the last offset', async () => {
    const { value } = await search({ cursor: cursorOf({ start: 98, size: 2 }) }, [body(rows(98, 2))], {
      page: { ...page, last: 100 },
    })
    expect(value.next).toBeDefined()
  })
})

describe('what an answer of a search holds beside its rows', () => {
  it('is given out as the id of the search', async () => {
    const over = { searchId: 'meta.requestId' }
    expect((await search({}, [body({ results: rows(0, 1), meta: { requestId: 'req-7' } })], over)).value.searchId).toBe(
      'req-7',
    )
    expect((await search({}, [body({ results: rows(0, 1), meta: { requestId: 7 } })], over)).value.searchId).toBe('7')
    expect((await search({}, [body({ results: rows(0, 1), meta: {} })], over)).value).not.toHaveProperty('searchId')
  })

  it('is joined to the rows it belongs to', async () => {
    const over = { joins: [{ into: 'current_company', from: 'companies', by: 'employer.id' }] }
    const answer = {
      results: [{ ...row(0), employer: { id: 7 } }, { ...row(1), employer: { id: 8 } }, row(2)],
      companies: { 7: { name: 'Kowhai' }, hasOwnProperty: {} },
    }
    const { value } = await search({}, [body(answer)], over)
    expect(value.results.map((result: { record: { company?: unknown } }) => result.record.company)).toEqual([
      'Kowhai',
      undefined,
      undefined,
    ])
    expect(value.results[0].raw).toMatchObject({ person_id: 'p0', current_company: { name: 'Kowhai' } })
  })
})
