import { describe, expect, it } from 'vitest'
import type { EndpointProfile, Json } from '#kit'
import type { Call } from '../../shared/wire/index.ts'
import { body } from '../data/harness.ts'
import { dry, profileOf, run } from './vendor.ts'

type Bulk = NonNullable<EndpointProfile['bulk']>

const plain: Bulk = { path: '/many', max: 100, envelope: 'items', answer: 'array', answers: 'results', charge: 'match' }
const fields = { id: 'id', email: 'email', search: 'requestId', reveal: { name: 'reveal', as: 'list' as const } }
const profile = (bulk: Partial<Bulk>, more: Partial<EndpointProfile> = {}) =>
  profileOf({ fields, ...more, bulk: { ...plain, ...bulk } })
const records = (...ids: string[]) => ids.map((id) => [{ id }])
const bodyOf = (call: Call) => call.body as Record<string, any>
const nobody = (call: Call) => body({ results: bodyOf(call).items.map(() => null) })
const bodies = async (bulk: Partial<Bulk>, input: Record<string, unknown>, more: Partial<EndpointProfile> = {}) =>
  (await run('find-many', input, profile(bulk, more), nobody)).sent.map(({ body: sent }) => sent)

describe('a bulk request', () => {
  it('has a method, fields and constants of its own, beside the list and in each item', async () => {
    const bulk = {
      method: 'PUT' as const,
      fields: { id: 'params.person' },
      constants: { 'meta.source': 'x', flags: [true] },
      itemConstants: { 'params.pretty': false, kind: 1 },
    }
    const { sent } = await run(
      'find-many',
      { records: records('a', 'b') },
      profile(bulk, { constants: { single: 1 } }),
      nobody,
    )
    expect(sent).toEqual([
      {
        method: 'PUT',
        path: '/many',
        body: {
          meta: { source: 'x' },
          flags: [true],
          items: [
            { params: { person: 'a', pretty: false }, kind: 1 },
            { params: { person: 'b', pretty: false }, kind: 1 },
          ],
        },
      },
    ])
  })

  it('has its list at a dotted name, and its own id at a dotted name of each item', async () => {
    const answers = (call: Call) =>
      body({
        results: bodyOf(call)
          .data.list.map(({ meta, id }: { meta: { ref: string }; id: string }) => ({
            echo: { of: meta.ref },
            name: `Person ${id}`,
          }))
          .toReversed(),
      })
    const { sent, value } = await run(
      'find-many',
      { records: records('a', 'b') },
      profile({ envelope: 'data.list', itemId: 'meta.ref', answerId: 'echo.of' }),
      answers,
    )
    expect(sent[0]?.body).toEqual({
      data: {
        list: [
          { id: 'a', meta: { ref: '0' } },
          { id: 'b', meta: { ref: '1' } },
        ],
      },
    })
    expect(value.results.map(({ raw }: { raw: { name: string } }) => raw.name)).toEqual(['Person a', 'Person b'])
  })

  it('sends bare values where its items are such, and finds the answers by them', async () => {
    const bulk = { items: 'value' as const, envelope: 'ids', beside: ['search', 'reveal'] }
    const along = records('p.1', 'p2').map(() => ({ search: 's1', reveal: ['emails'] }))
    const input = { records: records('p.1', 'p2'), along }
    const recordOf = (id: string): Json => ({ personId: id, name: `Person ${id}` })
    const names = (value: Record<string, any>) =>
      value.results.map((result: { raw?: { name: string }; matched: boolean }) => result.raw?.name ?? result.matched)
    const listed = await run('find-many', input, profile({ ...bulk, answerId: 'personId' }), [
      body({ results: [recordOf('p2'), recordOf('p.1')] }),
    ])
    expect(listed.sent[0]?.body).toEqual({ requestId: 's1', reveal: ['emails'], ids: ['p.1', 'p2'] })
    expect(names(listed.value)).toEqual(['Person p.1', 'Person p2'])
    expect(listed.value.results[0].matchedBy).toBe('id')
    const keyed = await run('find-many', input, profile({ ...bulk, answer: 'byId' }), [
      body({ results: { 'p.1': recordOf('p.1'), p2: null } }),
    ])
    expect(names(keyed.value)).toEqual(['Person p.1', false])
    const wrapped = await run(
      'find-many',
      input,
      profile({ ...bulk, answer: 'byId' }, { fields: { ...fields, id: { name: 'ids', as: 'list' } } }),
      [body({ results: {} })],
    )
    expect(wrapped.sent[0]?.body).toMatchObject({ ids: ['p.1', 'p2'] })
    const placed = await run('find-many', input, profile(bulk), [body({ results: [recordOf('p.1'), null] })])
    expect(names(placed.value)).toEqual(['Person p.1', false])
  })

  it('holds only records that are alike in what goes beside the list', async () => {
    const alongValues = ['emails', 'phones', 'emails', 'emails'].map((reveal) => ({ reveal }))
    const { sent, value } = await run(
      'find-many',
      { records: records('a', 'b', 'c', 'd'), along: alongValues },
      profile({ beside: ['reveal'], max: 2 }),
      (call) => body({ results: bodyOf(call).items.map(({ id }: { id: string }) => ({ name: id })) }),
    )
    expect(sent.map(({ body: sentBody }) => sentBody)).toEqual([
      { reveal: ['emails'], items: [{ id: 'a' }, { id: 'c' }] },
      { reveal: ['emails'], items: [{ id: 'd' }] },
      { reveal: ['phones'], items: [{ id: 'b' }] },
    ])
    expect(value.results.map(({ raw }: { raw: { name: string } }) => raw.name)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('has defaults in its items or beside them', async () => {
    const more = { fields: { ...fields, reveal: { name: 'reveal', default: ['all'] } } }
    const input = { records: records('a', 'b') }
    expect(await bodies({ beside: ['reveal'] }, input, more)).toEqual([
      { reveal: ['all'], items: [{ id: 'a' }, { id: 'b' }] },
    ])
    expect(await bodies({}, input, more)).toEqual([
      {
        items: [
          { id: 'a', reveal: ['all'] },
          { id: 'b', reveal: ['all'] },
        ],
      },
    ])
  })

  it('fails a record alone that has too little for the provider, or a name that bulk requests lack', async () => {
    const required = await run(
      'find-many',
      { records: [[{ search: 's' }], ...records('a', 'b')] },
      profile({}, { requires: [['id'], ['email']] }),
      nobody,
    )
    expect(required.value.results.map((result: { failed?: { code: string } }) => result.failed?.code)).toEqual([
      'invalid_input',
      undefined,
      undefined,
    ])
    const own = await run(
      'find-many',
      { records: [[{ email: 'a@b.example' }], ...records('a', 'b')] },
      profile({ fields: { id: 'id' } }),
      nobody,
    )
    expect(own.value.results[0].failed).toMatchObject({
      code: 'wire_unset',
      message: expect.stringContaining('endpoints.it.bulk.fields.email') as string,
    })
    expect(own.sent[0]?.body).toEqual({ items: [{ id: 'a' }, { id: 'b' }] })
  })

  it('reads the credits of bulk replies where they are', async () => {
    const bulk = { credits: { path: 'billing.charged' } }
    const answers = [body({ results: [{ name: 'A' }, null], billing: { charged: 1 } })]
    const { meta } = await run(
      'find-many',
      { records: records('a', 'b') },
      profile(bulk, { credits: { header: 'x-credits' } }),
      answers,
    )
    expect(meta.credits).toEqual({ charged: 1, estimated: false })
  })

  it('is shown whole in a dry run', async () => {
    const alongValues = ['emails', 'phones'].map((reveal) => ({ reveal }))
    const shown = await dry(
      'find-many',
      { records: records('a', 'b'), along: alongValues },
      profile({ beside: ['reveal'], constants: { v: 3 } }),
    )
    expect(shown.dry.requests.map((request) => request.body as unknown)).toEqual([
      { v: 3, reveal: ['emails'], items: [{ id: 'a' }] },
      { v: 3, reveal: ['phones'], items: [{ id: 'b' }] },
    ])
  })
})
