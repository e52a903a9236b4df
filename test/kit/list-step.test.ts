import { expect, it } from 'vitest'
import { listInput, listNext, path, readAs, readRecords, z } from '#kit'
import type { Json, PagingRule, ProviderRequest } from '#kit'

const request: ProviderRequest = { method: 'GET', path: path`/issues` }
const rule: PagingRule = { style: 'cursor', at: 'next', parameter: 'after', size: { parameter: 'limit', max: 50 } }
const record = z.object({ id: z.string() })
const read = (body: Json, start: { limit?: number; cursor?: string | undefined } = {}) => {
  const sent: ProviderRequest[] = []
  const exchange = async (asking: ProviderRequest) => {
    sent.push(asking)
    return { status: 200, headers: {}, body }
  }
  return { sent, page: readRecords({ exchange }, request, rule, { items: 'issues', record, what: 'issues', ...start }) }
}

it('a page has records in the form of their schema, and leads to the next one', async () => {
  const first = read({ issues: [{ id: 'a', extra: 1 }], next: 'n1' }, { limit: 20 })
  const { records, next } = await first.page
  expect(records).toEqual([{ id: 'a' }])
  expect(first.sent[0]!.query).toEqual({ limit: 20 })
  const last = read({ issues: [] }, { cursor: next })
  expect(await last.page).toEqual({ records: [] })
  expect(last.sent[0]!.query).toEqual({ limit: 20, after: 'n1' })
})

it('a record of another form fails with what was expected', async () => {
  const failure = { code: 'bad_reply', message: 'The provider answered something other than issues.' }
  await expect(read({ issues: [{ id: 'a' }, { id: 1 }] }).page).rejects.toMatchObject(failure)
  expect(() => readAs(record, null, 'issues')).toThrow(failure.message)
  expect(readAs(record, { id: 'a' }, 'an issue')).toEqual({ id: 'a' })
})

it('the fields of a step that lists things take what its provider allows', () => {
  const input = z.strictObject(listInput({ max: 100, usual: 30 }))
  expect(input.parse({})).toEqual({ limit: 30 })
  expect(input.parse({ limit: 100, cursor: 'c' })).toEqual({ limit: 100, cursor: 'c' })
  for (const limit of [0, 101]) expect(input.safeParse({ limit }).success).toBe(false)
  expect(z.strictObject(listInput({ max: 5 })).parse({})).toEqual({ limit: 5 })
  expect(z.object({ next: listNext() }).safeParse({}).success).toBe(true)
})
