import nock from 'nock'
import { expect, test } from 'vitest'
import { stayOffline } from '../support/offline.ts'
import { callTo, profileFor, wireTo } from './setup.ts'

stayOffline()

test('example replays work: the pool is intercepted, and nothing else gets out', async () => {
  const wire = wireTo([])
  const profile = profileFor('https://api.provider.example')
  const scope = nock('https://api.provider.example')
    .post('/1/cards', { name: 'n' })
    .query((query) => query['pos'] === 'top' && query['key'] !== undefined)
    .reply(200, { id: 'c1' }, { 'x-rate-limit-remaining': '9' })
  const got = await wire.exchange(
    callTo(profile, { method: 'POST', path: '/1/cards', effect: 'create', query: { pos: 'top' }, body: { name: 'n' } }),
  )
  expect(got).toMatchObject({ status: 200, body: { id: 'c1' }, json: true, attempts: 1 })
  expect(scope.isDone()).toBe(true)
})
