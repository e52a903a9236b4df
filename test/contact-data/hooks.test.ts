/** The subscriptions of the provider, where its answers are not what its sandbox gives. */
import { describe, expect, test } from 'vitest'
import type { WatchContext } from '#kit'
import { hooks } from '../../integrations/contact-data/hooks.ts'

const wanted = {
  model: { kind: 'person', id: '7' },
  callbackUrl: 'https://agents.example/hooks/contact-data/one',
  description: 'test',
  types: ['promotion'],
}

/** A provider that answers each method and path so. */
const contextOf = (replies: { [request: string]: unknown }) =>
  ({
    send: async ({ method, path }: { method: string; path: string }) => replies[`${method} ${path}`],
  }) as unknown as WatchContext

const registrar = { isOurs: async () => true, usedElsewhere: async () => false, listed: async () => [] }

describe('the secret of the account', () => {
  test.each([{}, { secret: null }, { secret: '' }, { secret: 7 }])('is a text: %j is refused', async (reply) => {
    const ctx = contextOf({ 'GET /api/account/secret': reply })
    await expect(hooks.batches!.secret(ctx)).rejects.toMatchObject({ code: 'bad_reply' })
  })
})

describe('a request for several subscriptions', () => {
  const twice = [wanted, { ...wanted, model: { kind: 'company', id: '8' } }]

  test('may succeed for some of them', async () => {
    const ctx = contextOf({
      'POST /api/subscriptions': {
        results: [
          { index: 1, success: true, subscription: { id: 'two' } },
          { index: 0, success: false, error: { code: 'VALIDATION_ERROR', message: 'No such contact' } },
        ],
      },
    })
    expect(await hooks.batches!.register(ctx, twice, registrar)).toEqual([
      { failure: expect.objectContaining({ code: 'rejected', message: expect.stringContaining('No such contact') }) },
      { providerId: 'two' },
    ])
  })

  test('names one that is there but not listed', async () => {
    const results = [
      { index: 0, success: false, error: { code: 'DUPLICATE_SUBSCRIPTION', message: 'exists' } },
      { index: 1, success: true, subscription: { id: 'two' } },
    ]
    const ctx = contextOf({ 'POST /api/subscriptions': { results } })
    expect(await hooks.batches!.register(ctx, twice, registrar)).toEqual([
      { failure: expect.objectContaining({ code: 'conflict', message: expect.stringContaining('does not list it') }) },
      { providerId: 'two' },
    ])
  })

  test('to remove them takes one that is gone for removed', async () => {
    const ctx = contextOf({
      'POST /api/subscriptions/delete': {
        results: [
          { index: 2, success: true, subscription: { id: 'three' } },
          { index: 1, success: false, error: { code: 'FORBIDDEN', message: 'locked' } },
          { index: 0, success: false, error: { code: 'NOT_FOUND', message: 'gone' } },
        ],
      },
    })
    expect(await hooks.batches!.unregister(ctx, ['one', 'two', 'three', 'four'])).toEqual([
      { providerId: 'one' },
      { failure: expect.objectContaining({ code: 'rejected', message: expect.stringContaining('locked') }) },
      { providerId: 'three' },
      { failure: expect.objectContaining({ code: 'bad_reply' }) },
    ])
  })
})
