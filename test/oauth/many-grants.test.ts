/** How much one person can make a server keep, or do, by letting clients in. */
import { expect, it } from 'vitest'
import { createMemoryStore } from '../../shared/store/index.ts'
import { movableClock } from '../support/clock.ts'
import { askToken, letIn, openSignInWorld, redirectUri, register, signedInClient } from './world.ts'

it('somebody who lets clients in again and again keeps the newest codes, and at most 100 grants', async () => {
  const store = createMemoryStore()
  const world = await openSignInWorld({ store, accounts: 'none' })
  const client = (await register(world.address)).json['client_id'] as string
  const first = await letIn(world, { client, credits: '1' })
  let last = first
  for (let n = 0; n < 20; n += 1) last = await letIn(world, { client, credits: '1' })
  const grants = async () => (await world.pack.grants.list({ tenant: 'default' }, { limit: 200 })).items
  expect(await grants()).toHaveLength(20)
  expect((await world.pack.budgets.list({ tenant: 'default' })).items).toHaveLength(20)
  const redeem = ({ code, verifier }: typeof first) =>
    askToken(world.address, {
      grant_type: 'authorization_code',
      code,
      client_id: client,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
  expect((await redeem(first)).json['error']).toBe('invalid_grant')
  expect((await redeem(last)).status).toBe(200)

  const [newest] = (await store.grants.list('default', { limit: 1 }, Date.now())).items
  const { grant, token } = newest!
  for (let n = 0; n < 80; n += 1) {
    const id = `grant_more${n}`
    const granted = { grant: { ...grant, id, family: id }, token: { ...token, id, hash: id } }
    const code = { ...last, hash: id, tenant: 'default', grantId: id, redirectUri, expiresAt: Date.now() + 60_000 }
    await store.grants.add(granted, code, { open: 1000, unredeemed: 1000 })
  }
  const refused = await letIn(world, { client })
  expect(refused.reply.headers.get('location')).toBeNull()
  expect(await refused.reply.text()).toContain('You have let 100 clients in')
  await world.pack.grants.remove({ tenant: 'default' }, grant.id)
  expect((await letIn(world, { client })).code).not.toBe('')
  await world.close()
})

it('requests for tokens count as requests of their tenant, and one that is refused uses nothing up', async () => {
  const clock = movableClock()
  // The page, the answer to it, and the code.
  const world = await openSignInWorld({
    clock,
    accounts: 'none',
    limits: { tenant: { requestsPerSecond: 1, burst: 3 } },
  })
  const { client, refresh } = await signedInClient(world)
  const renew = () =>
    askToken(world.address, { grant_type: 'refresh_token', refresh_token: refresh, client_id: client })
  expect((await renew()).status).toBe(429)
  clock.advance(5_000)
  expect((await renew()).status).toBe(200)
  const { verifier, code } = await letIn(world, { client })
  const redeem = () =>
    askToken(world.address, {
      grant_type: 'authorization_code',
      code,
      client_id: client,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
  expect((await redeem()).status).toBe(429)
  clock.advance(5_000)
  expect((await redeem()).status).toBe(200)
  await world.close()
})
