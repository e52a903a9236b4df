/** Attacks on signing in, each tried. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loginSettings } from '../../shared/runtime/admin/login-settings.ts'
import { newKey } from './openid-provider.ts'
import type { Behaviour } from './openid-provider.ts'
import { anotherNode, openBrowser, openLoginWorld } from './world.ts'
import type { LoginWorld } from './world.ts'

let world: LoginWorld
const usual: Behaviour = { claims: { sub: 'ada-1', email: 'ada@example.org', email_verified: true } }
beforeAll(async () => {
  world = await openLoginWorld({}, { limits: { wrongTokens: 10_000 } })
})
afterAll(() => world.close())
afterEach(() => {
  const { behaviour } = world.provider
  for (const name of Object.keys(behaviour)) delete behaviour[name as keyof Behaviour]
  Object.assign(behaviour, structuredClone(usual))
})

const lastReason = () => {
  const { refusal, code } = world.events('login.refused').at(-1)! as { refusal?: unknown; code?: unknown }
  return `${String(refusal)} ${String(code)}`
}
/** Goes to the provider and back, and changes the address that it sends the browser to. */
const comeBack = async (change: (returned: URL) => void, browser = openBrowser()) => {
  const left = await browser.open(`${world.origin}/login`)
  const returned = new URL((await browser.open(left.location!)).location!)
  change(returned)
  return browser.open(returned.href)
}
const isSignedIn = ({ cookies }: { cookies: string[] }) => cookies.some((line) => line.includes('=tys_'))

describe('an answer that was not asked for in this browser', () => {
  it.each<[string, (returned: URL) => void]>([
    ['another state', (returned) => returned.searchParams.set('state', 'x'.repeat(43))],
    ['no state', (returned) => returned.searchParams.delete('state')],
    ['two states', (returned) => returned.searchParams.append('state', returned.searchParams.get('state')!)],
    ['no code', (returned) => returned.searchParams.delete('code')],
    ['a code of nobody', (returned) => returned.searchParams.set('code', 'x')],
    ['another issuer (mix-up)', (returned) => returned.searchParams.set('iss', 'https://evil.example')],
    ['no issuer, from a provider that says it names it', (returned) => returned.searchParams.delete('iss')],
  ])('%s signs nobody in', async (_, change) => {
    const page = await comeBack(change)
    expect(page.status).toBeGreaterThanOrEqual(400)
    expect(isSignedIn(page)).toBe(false)
    expect(page.text).toContain('Not signed in')
  })

  it('session fixation: the answer to somebody else’s sign-in does not sign this browser in', async () => {
    const attacker = openBrowser()
    const left = await attacker.open(`${world.origin}/login`)
    const answer = (await attacker.open(left.location!)).location!
    const victim = openBrowser()
    expect(await victim.open(answer)).toMatchObject({ status: 403 })
    expect(lastReason()).toBe('lost no_request')
    // The victim has begun to sign in, too.
    await victim.open(`${world.origin}/login`)
    expect(await victim.open(answer)).toMatchObject({ status: 403 })
    expect(lastReason()).toBe('lost wrong_state')
    expect((await victim.session(world.origin)).status).toBe(401)
  })

  it('session fixation: a session that the browser had before is not the one it gets', async () => {
    const browser = openBrowser()
    await browser.signIn(world.origin)
    const before = [...browser.jar.values()].find(({ name }) => name.includes('session'))!.value
    await browser.signIn(world.origin)
    const after = [...browser.jar.values()].filter(({ name }) => name.includes('session')).map(({ value }) => value)
    expect(after).toHaveLength(2)
    expect(after).not.toContain(before)
  })

  it('what the browser keeps cannot be made up, changed, or kept for longer than ten minutes', async () => {
    const own = await openLoginWorld()
    const browser = openBrowser()
    const left = await browser.open(`${own.origin}/login`)
    const answer = (await browser.open(left.location!)).location!
    const [cookie] = [...browser.jar.values()]
    const good = cookie!.value
    const middle = Math.floor(good.length / 2)
    for (const value of [
      '',
      'x',
      `${good.slice(0, middle)}${good[middle] === 'A' ? 'B' : 'A'}${good.slice(middle + 1)}`,
    ]) {
      cookie!.value = value
      browser.jar.set('kept', { ...cookie! })
      expect(await browser.open(answer), value).toMatchObject({ status: 403 })
      browser.jar.clear()
    }
    browser.jar.set('kept', { ...cookie!, value: good })
    own.clock.advance(600_001)
    expect(await browser.open(answer)).toMatchObject({ status: 403 })
    expect(own.events('login.refused').map(({ code }) => code)).toEqual(Array.from({ length: 4 }, () => 'no_request'))
    await own.close()
  })
})

describe('a code', () => {
  it('used twice: the second time signs nobody in', async () => {
    const browser = openBrowser()
    const left = await browser.open(`${world.origin}/login`)
    const kept = [...browser.jar.entries()]
    const answer = (await browser.open(left.location!)).location!
    expect(isSignedIn(await browser.open(answer))).toBe(true)
    // The cookie was taken away with the first answer; even with it, the attempt is over.
    expect((await browser.open(answer)).status).toBe(403)
    for (const [key, row] of kept) browser.jar.set(key, row)
    const again = await browser.open(answer)
    expect([again.status, isSignedIn(again), lastReason()]).toEqual([403, false, 'used used_state'])
  })

  it('tried many times at once: the attempt is answered once, and the provider asked once', async () => {
    const browser = openBrowser()
    const left = await browser.open(`${world.origin}/login`)
    const kept = [...browser.jar.entries()]
    const answer = (await browser.open(left.location!)).location!
    const pages = await Promise.all(
      Array.from({ length: 5 }, () => {
        const other = openBrowser()
        for (const [key, row] of kept) other.jar.set(key, row)
        return other.open(answer)
      }),
    )
    expect(pages.filter(isSignedIn)).toHaveLength(1)
    expect(lastReason()).toBe('used used_state')
  })

  it('of another sign-in, put into this one (code injection): the verifier and the nonce are others', async () => {
    const victim = openBrowser()
    const stolen = new URL((await victim.open((await victim.open(`${world.origin}/login`)).location!)).location!)
    const page = await comeBack((returned) => returned.searchParams.set('code', stolen.searchParams.get('code')!))
    expect([page.status, isSignedIn(page)]).toEqual([403, false])
    expect(world.provider.refusals.at(-1)).toBe('verifier')
  })
})

describe('an ID token', () => {
  const evil = newKey()
  it.each<[string, Partial<Behaviour>]>([
    ['with another nonce', { tamper: (claims) => ({ ...claims, nonce: 'another' }) }],
    ['without a nonce', { tamper: ({ nonce: _, ...claims }) => claims }],
    ['of another issuer', { tamper: (claims) => ({ ...claims, iss: 'https://evil.example' }) }],
    ['for another client', { tamper: (claims) => ({ ...claims, aud: 'another' }) }],
    ['for several, not by us', { tamper: (claims) => ({ ...claims, aud: ['toolyard', 'b'], azp: 'b' }) }],
    ['without a subject', { tamper: ({ sub: _, ...claims }) => claims }],
    ['without an end', { tamper: ({ exp: _, ...claims }) => claims }],
    ['signed with another key', { signWith: evil.privateKey }],
    ['unsigned (alg: none)', { header: { alg: 'none' } }],
    ['that says another algorithm', { header: { alg: 'HS256' } }],
    ['of a key that is not in the key set', { header: { kid: 'two' } }],
    ['that ended six minutes ago', { ahead: -660 }],
    ['that is an hour ahead', { tamper: (claims) => ({ ...claims, nbf: Number(claims['iat']) + 3600 }) }],
  ])('%s signs nobody in', async (_, behaviour) => {
    Object.assign(world.provider.behaviour, behaviour)
    const page = await openBrowser().signIn(world.origin)
    expect([page.status, isSignedIn(page)]).toEqual([502, false])
    expect(lastReason()).toBe('failed reply')
    expect(page.text).toContain('Nobody was signed in')
  })

  it.each([-20, 20])('of a provider whose clock is %d s off is taken', async (ahead) => {
    world.provider.behaviour.ahead = ahead
    expect((await openBrowser().signIn(world.origin)).status).toBe(303)
  })

  it('is checked by the clock of this server', async () => {
    const apart = await openLoginWorld()
    apart.clock.advance(3_600_000)
    expect((await openBrowser().signIn(apart.origin)).status).toBe(502)
    apart.provider.behaviour.ahead = 3_600
    expect((await openBrowser().signIn(apart.origin)).status).toBe(303)
    await apart.close()
  })
})

describe('somebody whom the provider knows', () => {
  it.each<[string, Behaviour['claims'], string]>([
    ['an unverified address', { email: 'ada@example.org', email_verified: false }, 'unverified_email'],
    ['an address not said to be verified', { email: 'ada@example.org' }, 'unverified_email'],
    ['"true" as a text', { email: 'ada@example.org', email_verified: 'true' }, 'unverified_email'],
    ['no address', { email_verified: true }, 'no_email'],
    ['another domain', { email: 'ada@example.com', email_verified: true }, 'other_domain'],
    ['a subdomain', { email: 'ada@x.example.org', email_verified: true }, 'other_domain'],
    ['a domain that ends alike', { email: 'ada@notexample.org', email_verified: true }, 'other_domain'],
    ['the domain as a name', { email: 'example.org', email_verified: true }, 'other_domain'],
    ['two at signs', { email: 'ada@example.org@evil.example', email_verified: true }, 'other_domain'],
    ['a line break', { email: 'ada@evil.example\n@example.org ', email_verified: true }, 'other_domain'],
  ])('with %s is refused, and an audit row says so without the address', async (_, claims, code) => {
    world.provider.behaviour.claims = { sub: 'ada-1', ...claims }
    const page = await openBrowser().signIn(world.origin)
    expect([page.status, isSignedIn(page), lastReason()]).toEqual([403, false, `not-accepted ${code}`])
    expect(page.text).toContain('Your account may not sign in here')
    const [row] = (await world.pack.audit.list('default', { limit: 1 })).items
    expect(row).toMatchObject({ actor: 'login', path: 'sessions.signIn', outcome: 'not_allowed' })
    expect(JSON.stringify([row, world.events('login.refused')])).not.toMatch(/ada@|@evil/)
  })

  it('writes the domain as they like', async () => {
    world.provider.behaviour.claims['email'] = 'Ada@Example.ORG'
    expect((await openBrowser().signIn(world.origin)).status).toBe(303)
  })

  it('is a person by a verified address only, also where every domain is accepted', async () => {
    const open = await openLoginWorld({ domains: ['*'], claims: { person: 'email' } })
    open.provider.behaviour.claims['email_verified'] = false
    expect((await openBrowser().signIn(open.origin)).status).toBe(403)
    open.provider.behaviour.claims['email_verified'] = true
    expect((await openBrowser().signIn(open.origin)).status).toBe(303)
    await open.close()
  })

  it('is no operator by an address that nobody has confirmed', async () => {
    const open = await openLoginWorld({ domains: ['*'], operators: { claim: 'email', values: ['ada@example.org'] } })
    const scopesOf = async (verified: boolean) => {
      Object.assign(open.provider.behaviour.claims, { email: 'ada@example.org', email_verified: verified })
      const browser = openBrowser()
      expect((await browser.signIn(open.origin)).status).toBe(303)
      return (await browser.session(open.origin)).json.token.scopes
    }
    expect(await scopesOf(false)).not.toContain('admin')
    expect(await scopesOf(true)).toContain('admin')
    await open.close()
  })

  it('and who cancels there is told so', async () => {
    world.provider.behaviour.error = 'access_denied'
    const page = await openBrowser().signIn(world.origin)
    expect([page.status, lastReason()]).toEqual([403, 'denied denied'])
    expect(page.text).toContain('did not sign you in')
  })
})

describe('where the browser goes afterwards', () => {
  const elsewhere = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '/%5c/../\\evil.example',
    '/\t/evil.example',
    '/console/../..//evil.example',
    'javascript:alert(1)',
    'console/',
    '',
    `/${'x'.repeat(2_001)}`,
  ]
  it.each(elsewhere)('is not %j, with or without a provider', async (next) => {
    const bare = await anotherNode({ ...world, pack: { ...world.pack, login: undefined } }, world.origin)
    const { port } = bare.server.address() as { port: number }
    for (const origin of [world.origin, `http://127.0.0.1:${port}`])
      for (const path of ['/login', '/login/next']) {
        const page = await openBrowser().open(`${origin}${path}?next=${encodeURIComponent(next)}`)
        expect([page.status, page.location], `${origin}${path}`).toEqual([400, null])
      }
    await bare.close()
  })

  it('is a path of this server: by way of the provider, or of the console’s own sign-in', async () => {
    const next = '/oauth/authorize?client_id=https%3A%2F%2Fa.example%2Fc&state=%25x'
    expect((await openBrowser().signIn(world.origin, next)).location).toBe(world.origin + next)
    const bare = await anotherNode({ ...world, pack: { ...world.pack, login: undefined } }, world.origin)
    const { port } = bare.server.address() as { port: number }
    const origin = `http://127.0.0.1:${port}`
    const query = `next=${encodeURIComponent(next)}`
    expect((await openBrowser().open(`${origin}/login?${query}`)).location).toBe(`${origin}/console/?${query}`)
    expect((await openBrowser().open(`${origin}/login/next?${query}`)).location).toBe(origin + next)
    expect((await openBrowser().open(`${origin}/login/callback`)).status).toBe(404)
    await bare.close()
  })

  it('is below the path of this server, where that has one', async () => {
    const below = await anotherNode(world, `${world.origin}/tools`)
    const { port } = below.server.address() as { port: number }
    const at = (next: string) =>
      openBrowser().open(`http://127.0.0.1:${port}/login/next?next=${encodeURIComponent(next)}`)
    expect((await at('/tools/console/')).status).toBe(303)
    for (const next of ['/console/', '/tools', '/toolsmith/', '/tools/../console/'])
      expect((await at(next)).status).toBe(400)
    await below.close()
  })
})

describe('the page that says no', () => {
  it('escapes what it shows, loads nothing from elsewhere, and cannot be framed', async () => {
    const other = await openLoginWorld({ name: '<img src=x onerror=alert(1)>"' })
    const reply = await fetch(`${other.origin}/login/callback?error_description=%3Cscript%3E&state=x`)
    const text = await reply.text()
    expect(text).toContain('Sign in with &lt;img src=x onerror=alert(1)&gt;&quot;')
    expect(text).not.toMatch(/<img|<script>/)
    expect(reply.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(reply.headers.get('x-frame-options')).toBe('DENY')
    expect(reply.headers.get('cache-control')).toBe('no-store')
    await other.close()
  })

  it('slows down whoever tries out answers', async () => {
    const slow = await openLoginWorld({}, { limits: { wrongTokens: 3 } })
    const statuses: number[] = []
    for (let round = 0; round < 5; round += 1)
      statuses.push((await openBrowser().open(`${slow.origin}/login/callback?state=x&code=y`)).status)
    expect(statuses).toEqual([403, 403, 403, 429, 429])
    const page = await openBrowser().open(`${slow.origin}/login/callback?state=x&code=y`)
    expect(page.text).toContain('Too many sign-ins from your address failed')
    await slow.close()
  })

  it('keeps nobody from signing in because of wrong tokens from the same address', async () => {
    const other = await openLoginWorld({}, { limits: { wrongTokens: 2 } })
    for (let round = 0; round < 4; round += 1)
      await fetch(`${other.origin}/v1/steps`, { headers: { authorization: 'Bearer tyk_wrong' } })
    Object.assign(other.provider.behaviour, structuredClone(usual))
    expect((await openBrowser().signIn(other.origin)).status).toBe(303)
    await other.close()
  })

  it('is not for HEAD, which programs that preview links send, nor for other methods', async () => {
    for (const method of ['HEAD', 'POST'])
      expect((await openBrowser().open(`${world.origin}/login`, { method })).status).toBeGreaterThanOrEqual(404)
  })

  it('a host name that may belong to somebody else is refused', async () => {
    const http = await anotherNode(world, 'https://tools.example')
    const reply = await http.inject({ url: '/login', headers: { host: 'evil.example' } })
    expect(reply.statusCode).toBe(403)
    await http.close()
  })
})

it('settings that cannot be meant are refused, each with the name of the field', () => {
  const good = { issuer: 'https://id.example.org', clientId: 'x', domains: ['example.org'] }
  expect(loginSettings().safeParse(good).success).toBe(true)
  for (const [field, wrong] of [
    ['issuer', 'id.example.org'],
    ['issuer', 'https://user:secret@id.example.org'],
    ['domains', []],
    ['domains', ['*.example.org']],
    ['scopes', ['admin']],
    ['client_secret', 'x'],
    ['operators', { claim: 'groups', values: [] }],
  ] as const) {
    const parsed = loginSettings().safeParse({ ...good, [field]: wrong })
    expect(JSON.stringify(parsed.error?.issues), field).toContain(field)
  }
})
