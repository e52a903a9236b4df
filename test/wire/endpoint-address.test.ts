import { describe, expect, it } from 'vitest'
import type { WireProfile } from '#kit'
import type { Call } from '../../shared/wire/index.ts'
import { account, listen, open, profileFor, reply, wireTo } from './setup.ts'

const endpoint = (baseUrl?: string) => ({
  method: 'GET' as const,
  path: '/1/people',
  place: 'query' as const,
  fields: {},
  ...(baseUrl ? { baseUrl } : {}),
})
const call = (profile: WireProfile, over: Partial<Call> = {}): Call => ({
  integration: 'test',
  profile,
  account: account(),
  method: 'GET',
  path: '/1/people',
  effect: 'read',
  policy: open,
  ...over,
})

describe('an endpoint with an address of its own', () => {
  it('is called there with the credential; all else goes to the address of the profile', async () => {
    const [main, other] = [await listen(), await listen()]
    const profile = profileFor(main.origin, {
      endpoints: { people: endpoint(`${other.origin}/api`), company: endpoint() },
    })
    const wire = wireTo([main.origin, other.origin])
    await wire.exchange(call(profile, { endpoint: 'people' }))
    await wire.exchange(call(profile, { endpoint: 'company' }))
    await wire.exchange(call(profile))
    expect(other.seen.map(({ url }) => url.split('?')[0])).toEqual(['/api/1/people'])
    expect(other.seen[0]?.url).toContain('key=marker-key')
    expect(main.seen).toHaveLength(2)
    expect(wire.preview(call(profile, { endpoint: 'people' })).url).toMatch(
      new RegExp(`^${other.origin}/api/1/people\\?.*\\*\\*\\*`),
    )
  })

  it('is held to the egress rules, and its setting is named', async () => {
    const main = await listen()
    const profile = profileFor(main.origin, { endpoints: { people: endpoint('http://127.0.0.1:9') } })
    await expect(wireTo([main.origin]).exchange(call(profile, { endpoint: 'people' }))).rejects.toMatchObject({
      code: 'not_allowed',
      message: expect.stringContaining('"wire.test.endpoints.people.baseUrl"') as string,
    })
  })

  it('gets no credential of a connection that has an address of its own', async () => {
    const [main, other] = [await listen(), await listen()]
    const profile = profileFor(main.origin, {
      baseUrlPattern: main.origin,
      endpoints: { people: endpoint(other.origin) },
    })
    const own = account({ baseUrl: main.origin })
    const wire = wireTo([main.origin, other.origin])
    for (const first of [account(), own]) {
      const sent = wire.exchange(call(profile, { endpoint: 'people', account: first }))
      if (first === own)
        await expect(sent).rejects.toMatchObject({
          code: 'not_allowed',
          message: expect.stringContaining('endpoints.people.baseUrl') as string,
        })
      else await sent
    }
    expect(other.seen).toHaveLength(1)
  })

  it('is not redirected to another address', async () => {
    const [main, other] = [await listen(), await listen()]
    other.answer = (_, response) => reply(response, 307, {}, { location: `${main.origin}/1/people` })
    const profile = profileFor(main.origin, { endpoints: { people: endpoint(other.origin) } })
    const answered = await wireTo([main.origin, other.origin]).exchange(
      call(profile, { endpoint: 'people', redirects: 'same-origin' }),
    )
    expect(answered.status).toBe(307)
    expect(main.seen).toEqual([])
  })

  it('shares the limits of the account with the other addresses', async () => {
    const [main, other] = [await listen(), await listen()]
    const pace = { limits: [{ per: 'connection' as const, max: 1, windowMs: 60_000 }], concurrency: 5 }
    const profile = profileFor(main.origin, { pace, endpoints: { people: endpoint(other.origin) } })
    const wire = wireTo([main.origin, other.origin])
    await wire.exchange(call(profile))
    await expect(wire.exchange(call(profile, { endpoint: 'people', noWait: true }))).rejects.toMatchObject({
      code: 'rate_limited',
    })
  })

  it('works where the profile has no other', async () => {
    const other = await listen()
    const profile = profileFor(other.origin, { baseUrl: null, endpoints: { people: endpoint(other.origin) } })
    await wireTo([other.origin]).exchange(call(profile, { endpoint: 'people' }))
    expect(other.seen).toHaveLength(1)
  })
})
