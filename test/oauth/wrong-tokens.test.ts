/** What a stranger makes the server do who tries codes and tokens out. */
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { createMemoryStore } from '../../shared/store/index.ts'
import { movableClock } from '../support/clock.ts'
import { askToken, letIn, openSignInWorld, redirectUri } from './world.ts'

const clock = movableClock()
const store = createMemoryStore()
const world = await openSignInWorld({ store, clock, limits: { wrongTokens: 5 } })
const { address } = world
afterAll(() => world.close())
beforeEach(() => clock.advance(3_600_000))

// Nobody registered it, and its description is not read for a request for tokens.
const stranger = 'https://stranger.example/client.json'
const tried = (code: string) => askToken(address, { grant_type: 'authorization_code', client_id: stranger, code })

it('many codes tried out at once are looked for only as often as wrong tokens are allowed', async () => {
  const look = vi.spyOn(store.grants, 'code')
  const statuses = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => (await tried(String(n).padStart(43, 'x'))).status),
  )
  expect(look).toHaveBeenCalledTimes(5)
  expect(statuses.toSorted()).toEqual([...Array<number>(5).fill(400), ...Array<number>(15).fill(429)])
  look.mockRestore()
})

it('what cannot be a code is not looked for', async () => {
  const look = vi.spyOn(store.grants, 'code')
  for (const code of ['', 'none', 'x'.repeat(42), `${'x'.repeat(42)}.`]) expect((await tried(code)).status).toBe(400)
  expect(look).not.toHaveBeenCalled()
  look.mockRestore()
})

it('what is right, or wrong in another way, does not count', async () => {
  const { client, code, verifier } = await letIn(world)
  const form = { grant_type: 'authorization_code', client_id: client, code, redirect_uri: redirectUri }
  for (let n = 0; n < 7; n += 1) {
    const elsewhere = { code_verifier: verifier, resource: `${address}/v1` }
    expect((await askToken(address, { ...form, ...elsewhere })).json['error']).toBe('invalid_target')
    expect((await askToken(address, { grant_type: 'none', client_id: client })).status).toBe(400)
  }
  let { json } = await askToken(address, { ...form, code_verifier: verifier })
  for (let n = 0; n < 7; n += 1) {
    const refresh = { grant_type: 'refresh_token', client_id: client, refresh_token: json['refresh_token'] }
    const renewed = await askToken(address, refresh)
    expect(renewed.status).toBe(200)
    json = renewed.json
  }
})
