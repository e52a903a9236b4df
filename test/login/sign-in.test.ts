import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openBrowser, openLoginWorld } from './world.ts'
import type { LoginWorld } from './world.ts'

let world: LoginWorld
const open = async (...options: Parameters<typeof openLoginWorld>) => {
  await world.close()
  world = await openLoginWorld(...options)
}
beforeEach(async () => {
  world = await openLoginWorld()
})
afterEach(() => world.close())

const reasons = () => world.events('login.refused').map(({ code }) => code)
const audit = async (tenant = 'default') => (await world.pack.audit.list(tenant, { limit: 50 })).items

describe('signing in at an OpenID provider', () => {
  it('gives a browser a session of the person, with few rights, and comes back to where it was', async () => {
    const browser = openBrowser()
    const page = await browser.signIn(world.origin, '/console/runs?x=1')
    expect([page.status, page.location]).toEqual([303, `${world.origin}/console/runs?x=1`])
    const { json } = await browser.session(world.origin)
    expect(json).toMatchObject({
      tenant: { id: 'default' },
      token: { name: 'Sign-in of ada-1', scopes: ['run', 'connections', 'read'], person: 'ada-1', steps: null },
    })
    const rows = (await audit()).filter(({ actor }) => actor === json.token.id)
    expect(rows.map(({ path, decision }) => `${path}: ${decision}`)).toEqual(
      expect.arrayContaining([
        'sessions.signIn: by the OpenID provider',
        expect.stringMatching(/^tokens\.create: .*with run connections read$/),
      ]),
    )
    expect((await world.pack.people.list({ tenant: 'default' }, { limit: 9 })).items.map(({ id }) => id)).toEqual([
      'ada-1',
    ])
  })

  it('asks for a code with state, nonce and PKCE, and sends the secret to the token endpoint only', async () => {
    const browser = openBrowser()
    const { location } = await browser.open(`${world.origin}/login`)
    const query = new URL(location!).searchParams
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      client_id: 'toolyard',
      redirect_uri: `${world.origin}/login/callback`,
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query.get(name)!.length).toBeGreaterThan(40)
    await browser.signIn(world.origin)
    const withSecret = world.provider.seen.filter(({ headers, body, url }) =>
      JSON.stringify([headers, body, url]).includes(Buffer.from('toolyard:').toString('base64').slice(0, 8)),
    )
    expect(new Set(withSecret.map(({ url }) => url))).toEqual(new Set(['/token']))
    expect(JSON.stringify(world.lines)).not.toContain('a secret')
  })

  it('sets cookies that scripts and other sites do not get, each for its paths alone', async () => {
    const browser = openBrowser()
    const left = await browser.open(`${world.origin}/login`)
    const { port } = new URL(world.origin)
    expect(left.cookies).toEqual([
      expect.stringMatching(
        new RegExp(`^toolyard_login_${port}=v1\\.[\\w.-]+; Max-Age=600; Path=/; HttpOnly; SameSite=Lax$`),
      ),
    ])
    // Sealed: it shows neither state nor verifier.
    expect(left.cookies[0]).not.toContain(new URL(left.location!).searchParams.get('state'))
    const done = await browser.open((await browser.open(left.location!)).location!)
    expect(done.cookies.map((line) => line.replace(/=tys_[^;]+; Expires=[^;]+/, '=…'))).toEqual([
      `toolyard_login_${port}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`,
      `toolyard_session_${port}=…; Path=/v1; HttpOnly; SameSite=Lax`,
      `toolyard_session_${port}=…; Path=/oauth; HttpOnly; SameSite=Lax`,
    ])
  })

  it('asks for what the ID token lacks at the UserInfo endpoint, whose subject must be the same', async () => {
    world.provider.behaviour.claims = { sub: 'ada-1' }
    world.provider.behaviour.userInfo = { sub: 'ada-1', email: 'ada@example.org', email_verified: true }
    expect((await openBrowser().signIn(world.origin)).status).toBe(303)
    world.provider.behaviour.userInfo.sub = 'eve-2'
    expect((await openBrowser().signIn(world.origin)).status).toBe(502)
  })

  it('keeps one token for one person, so that new rights hold in all their sessions', async () => {
    await open({ claims: { scopes: 'roles' } })
    world.provider.behaviour.claims['roles'] = ['read', 'run', 'admin', 'nonsense']
    const [first, second] = [openBrowser(), openBrowser()]
    await first.signIn(world.origin)
    const before = (await first.session(world.origin)).json
    expect(before.token.scopes).toEqual(['read', 'run'])
    world.provider.behaviour.claims['roles'] = 'read'
    await second.signIn(world.origin)
    const [one, two] = await Promise.all([first, second].map(async (browser) => browser.session(world.origin)))
    expect(one!.json.token).toEqual(two!.json.token)
    expect(one!.json.token).toMatchObject({ id: before.token.id, scopes: ['read'] })
  })

  it('ends the sessions of whom the provider says to be somebody else now', async () => {
    await open({ claims: { person: 'employee' } })
    const [first, second] = [openBrowser(), openBrowser()]
    world.provider.behaviour.claims['employee'] = 'e-1'
    await first.signIn(world.origin)
    world.provider.behaviour.claims['employee'] = 'e-2'
    await second.signIn(world.origin)
    expect((await first.session(world.origin)).status).toBe(401)
    expect((await second.session(world.origin)).json.token.person).toBe('e-2')
  })

  it('takes the tenant from a claim, made on first use only where that is set', async () => {
    await open({ claims: { tenant: 'org' } })
    world.provider.behaviour.claims['org'] = 'blue'
    expect((await openBrowser().signIn(world.origin)).status).toBe(403)
    expect(reasons()).toEqual(['unknown_tenant'])
    await open({ claims: { tenant: 'org' }, firstUse: { tenants: true, people: true } })
    world.provider.behaviour.claims['org'] = 'blue'
    const browser = openBrowser()
    await browser.signIn(world.origin)
    expect((await browser.session(world.origin)).json).toMatchObject({
      tenant: { id: 'blue' },
      token: { person: 'ada-1' },
    })
    world.provider.behaviour.claims['org'] = 'no tenant/id'
    expect((await openBrowser().signIn(world.origin)).status).toBe(403)
  })

  it('refuses people who are not known, where they are not made on first use', async () => {
    await open({ firstUse: {} })
    expect((await openBrowser().signIn(world.origin)).status).toBe(403)
    expect(reasons()).toEqual(['unknown_person'])
    await world.pack.tokens.create('default', { name: 'x', person: 'ada-1' })
    expect((await openBrowser().signIn(world.origin)).status).toBe(303)
  })

  it('makes operators by the value of a claim alone: all scopes in the tenant "default", for nobody', async () => {
    await open({ operators: { claim: 'groups', values: ['tool admins'] } })
    world.provider.behaviour.claims['groups'] = ['staff', 'tool admins']
    const browser = openBrowser()
    await browser.signIn(world.origin)
    const { json } = await browser.session(world.origin)
    expect(json.token).toMatchObject({ person: null, name: 'Sign-in of ada@example.org (operator)' })
    expect(json.token.scopes).toContain('admin')
    // The same person, no longer an operator: the operator's sessions end with the next sign-in.
    world.provider.behaviour.claims['groups'] = ['staff', 'tool admins of another']
    await openBrowser().signIn(world.origin)
    expect((await browser.session(world.origin)).status).toBe(401)
  })

  it('tells a host of the library the rights that the session has, no more', async () => {
    const login = world.pack.login!
    const { address, pending } = await login.begin('/console/')
    const answer = await fetch(address, { redirect: 'manual' })
    const result = await login.finish(pending, new URL(answer.headers.get('location')!).search)
    if (result.kind !== 'signed-in') throw new Error(`refused: ${result.refusal}`)
    expect(result).toMatchObject({ next: '/console/', session: { token: { scopes: ['run', 'connections', 'read'] } } })
    expect(await world.pack.sessions.authenticate(result.secret)).toMatchObject({ person: 'ada-1' })
  })

  it('two at the same time by one person are two sessions of one token', async () => {
    const browsers = [openBrowser(), openBrowser(), openBrowser()]
    await Promise.all(browsers.map(async (browser) => browser.signIn(world.origin)))
    const ids = await Promise.all(
      browsers.map(async (browser) => (await browser.session(world.origin)).json.token.id as string),
    )
    expect(new Set(ids).size).toBe(1)
  })

  it('the token of a person is no bearer token, whatever text is tried', async () => {
    await openBrowser().signIn(world.origin)
    const [row] = await world.pack.tokens.list('default')
    for (const text of ['login:', row!.id, JSON.stringify([world.provider.origin, 'ada-1'])])
      await expect(world.pack.tokens.authenticate(text)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

describe('a session of somebody signed in', () => {
  it('ends by signing out, and the browser cannot go on with its cookie', async () => {
    const browser = openBrowser()
    await browser.signIn(world.origin)
    const { json } = await browser.session(world.origin)
    const headers = { origin: world.origin, 'sec-fetch-site': 'same-origin' }
    expect((await browser.open(`${world.origin}/v1/session`, { method: 'DELETE', headers })).status).toBe(403)
    const copy = [...browser.jar.values()].find(({ name }) => name.startsWith('toolyard_session'))!
    const write = { ...headers, 'x-csrf-token': json.csrfToken as string }
    const out = await browser.open(`${world.origin}/v1/session`, { method: 'DELETE', headers: write })
    expect([out.status, browser.jar.size]).toEqual([204, 0])
    const again = await fetch(`${world.origin}/v1/session`, { headers: { cookie: `${copy.name}=${copy.value}` } })
    expect(again.status).toBe(401)
  })

  it('ends when an operator revokes the token; who may sign in again is the provider’s to say', async () => {
    const browser = openBrowser()
    await browser.signIn(world.origin)
    const { json } = await browser.session(world.origin)
    await world.pack.tokens.revoke('default', json.token.id as string)
    expect((await browser.session(world.origin)).status).toBe(401)
    await openBrowser().signIn(world.origin)
    expect((await browser.session(world.origin)).status).toBe(401)
  })

  it('ends after twelve hours, used or not', async () => {
    const browser = openBrowser()
    await browser.signIn(world.origin)
    world.clock.advance(12 * 3_600_000 - 5_000)
    expect((await browser.session(world.origin)).status).toBe(200)
    world.clock.advance(10_000)
    expect((await browser.session(world.origin)).status).toBe(401)
  })

  it('sees and changes nothing of the operator’s', async () => {
    const browser = openBrowser()
    await browser.signIn(world.origin)
    const headers = { 'sec-fetch-site': 'same-origin' }
    for (const path of ['/v1/admin/tokens', '/v1/admin/audit', '/metrics'])
      expect((await browser.open(world.origin + path, { headers })).status).not.toBe(200)
  })
})
