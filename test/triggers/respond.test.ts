import { expect, test } from 'vitest'
import type { HookRequest } from '#kit'
import { openTracker } from './tracker.ts'

const opened = async () => {
  const requests: HookRequest[] = []
  const world = await openTracker((integration) => ({
    ...integration,
    webhooks: {
      ...integration.webhooks!,
      respond(request) {
        requests.push(request)
        const { challenge } = request.body === undefined ? request.query : (request.body as { challenge?: string })
        if (challenge === undefined) return undefined
        return request.method === 'GET'
          ? { status: 200, body: challenge }
          : { status: 200, body: JSON.stringify({ challenge }), contentType: 'application/json' as const }
      },
    },
  }))
  await world.subscribe('opened')
  const get = (hookId: string, query: Record<string, string>) =>
    world.triggers.receive({
      integration: 'tracker',
      hookId,
      method: 'GET',
      headers: {},
      body: new Uint8Array(),
      query,
    })
  return { ...world, asked: requests, get, hookId: world.hookOf().callbackUrl.split('/').at(-1)! }
}

test('a challenge by GET is answered with its body, on addresses that exist alone', async () => {
  const { get, hookId, asked: requests } = await opened()
  expect(await get(hookId, { challenge: 'abc' })).toEqual({ status: 200, body: 'abc', contentType: 'text/plain' })
  expect(await get(hookId, { other: 'abc' })).toEqual({ status: 405 })
  const count = requests.length
  expect(await get('x'.repeat(32), { challenge: 'abc' })).toEqual({ status: 404 })
  expect(requests).toHaveLength(count)
})

test('a challenge by POST is answered once it is verified, and nothing of one that is not', async () => {
  const { deliver, asked: requests, tracker, called, store } = await opened()
  expect(await deliver({ challenge: 'abc' }, { secret: 'forged' })).toEqual({ status: 401 })
  expect(requests).toEqual([])
  expect(await deliver({ challenge: 'abc' })).toEqual({
    status: 200,
    body: '{"challenge":"abc"}',
    contentType: 'application/json',
  })
  expect(await deliver(tracker.happen('opened'))).toEqual({ status: 200 })
  expect(called).toHaveLength(1)
  expect((await store.undecodable.list('t1', { limit: 10 })).items).toEqual([])
})

test('without an answer of its own an integration takes no GET', async () => {
  const world = await openTracker()
  await world.subscribe('opened')
  const hookId = world.hookOf().callbackUrl.split('/').at(-1)!
  expect(
    await world.triggers.receive({
      integration: 'tracker',
      hookId,
      method: 'GET',
      headers: {},
      body: new Uint8Array(),
      query: { challenge: 'x' },
    }),
  ).toEqual({
    status: 405,
  })
})
