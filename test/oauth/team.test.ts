import { afterAll, describe, expect, it } from 'vitest'
import { openBrowser, openLoginWorld } from '../login/world.ts'
import { askToken, authorizePath, formIn, pkce, redirectUri, register, statusAt } from './world.ts'

const hour = 3_600_000
const world = await openLoginWorld(
  { claims: { person: 'staff', scopes: 'roles' } },
  { oauthServer: 'on', limits: { wrongTokens: 10_000 } },
)
afterAll(() => world.close())
const { origin, pack, provider } = world
provider.behaviour.claims['staff'] = 'ada'
provider.behaviour.claims['roles'] = ['run', 'read']
const later = (ms: number) => {
  world.clock.advance(ms)
  provider.behaviour.ahead = (provider.behaviour.ahead ?? 0) + ms / 1000
}

/** A browser of somebody whom the team's provider signs in, on the page of a client that asks to be let in. */
const letIn = async () => {
  const { json } = await register(origin)
  const client = json['client_id'] as string
  const { verifier, challenge } = pkce()
  const browser = openBrowser()
  const path = authorizePath(client, challenge)
  await browser.signIn(origin, path)
  const { action, inputs } = formIn((await browser.open(origin + path)).text)
  const form = new URLSearchParams(inputs.map(({ name, value }) => [name, value]))
  form.set('decision', 'allow')
  const { location } = await browser.open(new URL(action, origin).href, {
    method: 'POST',
    body: form,
    headers: { origin, 'sec-fetch-site': 'same-origin' },
  })
  const code = new URL(location!).searchParams.get('code')!
  const { json: tokens } = await askToken(origin, {
    grant_type: 'authorization_code',
    code,
    client_id: client,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  })
  const session = (await browser.session(origin)).json
  return {
    client,
    browser,
    access: tokens['access_token'] as string,
    refresh: tokens['refresh_token'] as string,
    session,
  }
}
const refreshed = async ({ client, refresh }: { client: string; refresh: string }) => {
  const { status, json } = await askToken(origin, {
    grant_type: 'refresh_token',
    refresh_token: refresh,
    client_id: client,
  })
  return { status, access: json['access_token'] as string, refresh: json['refresh_token'] as string, client }
}

describe('what somebody lets in whom the provider of a team signs in', () => {
  it('lasts longer than their session, until 30 days without use', async () => {
    const first = await letIn()
    later(13 * hour)
    expect((await first.browser.session(origin)).status).toBe(401)
    const second = await refreshed(first)
    expect(second.status).toBe(200)
    expect(await statusAt(origin, '/mcp', second.access)).not.toBe(401)
    later(29 * 24 * hour)
    const third = await refreshed(second)
    expect(third.status).toBe(200)
    later(31 * 24 * hour)
    expect((await refreshed(third)).status).toBe(400)
  })

  it('ends when an operator revokes the token of their sign-in', async () => {
    const { session, access, ...tokens } = await letIn()
    await pack.tokens.revoke('default', session.token.id)
    expect(await statusAt(origin, '/mcp', access)).toBe(401)
    expect((await refreshed(tokens)).status).toBe(400)
  })

  it('ends when they sign in as somebody else', async () => {
    const { session, access, ...tokens } = await letIn()
    expect(session.token.person).toBe('ada')
    const left = async () => (await pack.grants.list({ tenant: 'default' }, { limit: 9, person: 'ada' })).items.length
    expect(await left()).toBeGreaterThan(0)
    provider.behaviour.claims['staff'] = 'bea'
    await openBrowser().signIn(origin)
    expect(await left()).toBe(0)
    expect(await statusAt(origin, '/mcp', access)).toBe(401)
    expect((await refreshed(tokens)).status).toBe(400)
  })

  it('stays when they sign in again, with what they may still do', async () => {
    const first = await letIn()
    later(13 * hour)
    provider.behaviour.claims['roles'] = ['read']
    await openBrowser().signIn(origin)
    const second = await refreshed(first)
    expect(second.status).toBe(200)
    expect(await pack.tokens.authenticate(second.access, () => '/mcp')).toMatchObject({
      scopes: ['read'],
      person: 'bea',
    })
    provider.behaviour.claims['roles'] = ['run', 'read', 'connections']
    await openBrowser().signIn(origin)
    expect(await pack.tokens.authenticate(second.access, () => '/mcp')).toMatchObject({ scopes: ['run', 'read'] })
  })
})
