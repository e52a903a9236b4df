import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { labelOf } from '../../shared/runtime/oauth/client.ts'
import { movableClock } from '../support/clock.ts'
import {
  askToken,
  authorizePath,
  letIn,
  openBrowser,
  openSignInWorld,
  pkce,
  redirectUri,
  refreshForm,
  register,
  signedInClient,
} from './world.ts'

/** What clients say of themselves: by registering, and in descriptions at an address of their own. */
const clock = movableClock()
const limits = { wrongTokens: 10_000 }
const world = await openSignInWorld({ clock, limits })
const { address, pack } = world
afterAll(() => world.close())
// One address may register only so many clients in an hour.
beforeEach(() => clock.advance(3_600_000))

const tenant = 'default'
const grantsOf = async () => (await pack.grants.list({ tenant }, { limit: 200 })).items

describe('registration', () => {
  it('gives a client that needs a secret one, and checks it', async () => {
    const { json } = await register(address, { token_endpoint_auth_method: 'client_secret_basic' })
    const { code, verifier } = await letIn(world, { client: json['client_id'] })
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier }
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${json['client_id']}:${secret}`).toString('base64')}`,
    })
    expect(await askToken(address, form, basic('wrong'))).toMatchObject({
      status: 401,
      json: { error: 'invalid_client' },
    })
    expect((await askToken(address, { ...form, client_id: json['client_id'] })).status).toBe(401)
    expect((await askToken(address, form, basic(json['client_secret']))).status).toBe(200)
  })
  it('is forgotten after a day without use', async () => {
    const { json } = await register(address)
    const used = await signedInClient(world)
    clock.advance(25 * 3_600_000)
    const path = authorizePath(json['client_id'], pkce().challenge)
    expect((await openBrowser(address).open(path, world.token)).html).toContain('does not know the client')
    expect((await askToken(address, refreshForm(used.client, used.refresh))).status).toBe(200)
  })
  it('of one address is limited, and so is its size', async () => {
    clock.advance(3_600_000)
    const statuses = []
    for (let n = 0; n < 25; n += 1) statuses.push((await register(address)).status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(20)
    expect(statuses.at(-1)).toBe(429)
    const large = await fetch(`${address}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'x'.repeat(20_000), redirect_uris: [redirectUri] }),
    })
    expect(large.status).toBe(413)
    clock.advance(3_600_000)
  })
  it('of one IPv6 network is limited like that of one address', async () => {
    const { clients } = await pack.oauth!.load()
    const from = (ip: string) => clients.register({ redirect_uris: [redirectUri] }, ip)
    for (let n = 0; n < 20; n += 1) await from(`2001:db8:1:2:${n}::${n}`)
    await expect(from('2001:db8:1:2:ffff::1')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    await from('2001:db8:1:3::1')
    await from('192.0.2.1')
  })
})

describe('a client that calls itself like somebody whom people trust', () => {
  /** Who asks for an account, as the page says on which its secrets are entered. */
  const requesterFor = async (client: string) => {
    await signedInClient(world, { client })
    const [grant] = await grantsOf()
    const by = { tenant, token: grant!.id }
    const { state } = await pack.connections.authorize(by, { integration: 'anz-data', type: 'api-key' })
    const opened = await pack.connect.open(state, 'x'.repeat(43))
    return opened.kind === 'form' ? opened.form.requester : opened
  }
  it.each([
    ['Toolyard security team', 'Unverified program ‘Toolyard security team’'],
    ['x’ is refused. “Toolyard\u202e\n', "Unverified program ‘x' is refused. 'Toolyard’"],
    ['\u200b', 'Unverified program without a name'],
    [undefined, 'Unverified program without a name'],
  ])('%j is unverified on the pages where secrets are entered', async (name, shown) => {
    const { json } = await register(address, { client_name: name })
    expect(await requesterFor(json['client_id'])).toBe(shown)
  })
  it('goes by its host where one vouches for it, and by its name where the operator gave that', () => {
    const client = { id: 'https://app.example/client.json', name: 'Toolyard security team', host: 'app.example' }
    expect(labelOf({ ...client, isKnown: false })).toBe('Program at app.example')
    expect(labelOf({ id: 'our-app', name: 'Our app', host: null, isKnown: true })).toBe('Our app')
  })
})

describe('a description of a client', () => {
  it.each([
    'https://127.0.0.1/client.json',
    'https://10.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://localhost/client.json',
    'http://app.example/client.json',
    'https://app.example:22/client.json',
  ])('at %s is not read', async (id) => {
    const { html } = await openBrowser(address).open(authorizePath(id, pkce().challenge), world.token)
    expect(html).toContain('cannot be let in')
    expect(html).not.toContain('id="back"')
  })
  it.each([
    'https://app.example/',
    'https://app.example/a/../client.json',
    'https://app.example/client.json#a',
    'https://app.example/client.json?a=b',
    'https://user@app.example/client.json',
    'https://APP.example/client.json',
  ])('at %s, which another text names too, is not even looked for', async (id) => {
    const { html } = await openBrowser(address).open(authorizePath(id, pkce().challenge), world.token)
    expect(html).toContain('must be an address with a path')
    expect(html).not.toContain('id="back"')
  })

  it('is not read for somebody who is not signed in', async () => {
    let asked = 0
    const server = createServer((_, response) => void ((asked += 1), response.end('{}')))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const other = await openSignInWorld({ egress: { clientOrigins: [origin] } })
    const path = authorizePath(`${origin}/client.json`, pkce().challenge)
    await openBrowser(other.address).ask(path)
    expect(asked).toBe(0)
    await openBrowser(other.address).open(path, other.token)
    expect(asked).toBe(1)
    await other.close()
    server.close()
  })

  it('is not read from origins that the operator lists for providers, agents and files', async () => {
    let asked = 0
    const server = createServer((_, response) => void ((asked += 1), response.end('{}')))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const listed = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`]
    const other = await openSignInWorld({
      egress: { privateOrigins: listed, agentOrigins: listed, fileOrigins: listed, ownOrigins: listed },
    })
    const path = authorizePath(`${listed[0]}/client.json`, pkce().challenge)
    expect((await openBrowser(other.address).open(path, other.token)).html).toContain('could not be read')
    expect(asked).toBe(0)
    await other.close()
    server.close()
  })

  it('that is huge, slow, elsewhere, of another client, secret or changing lets nobody in unseen', async () => {
    let origin = ''
    let name = 'First name'
    const good = (path: string) => ({ client_id: origin + path, client_name: name, redirect_uris: [redirectUri] })
    const server = createServer(({ url = '' }, response) => {
      const json = (value: unknown) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
      if (url === '/huge') return json({ ...good(url), padding: 'x'.repeat(100_000) })
      if (url === '/padded')
        return response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(good(url)) + ' '.repeat(33_000))
      if (url === '/slow') return setTimeout(() => json(good(url)), 20_000).unref()
      if (url === '/elsewhere') return response.writeHead(302, { location: '/good' }).end()
      if (url === '/other') return json(good('/good'))
      if (url === '/secret') return json({ ...good(url), client_secret: 'x' })
      if (url === '/key') return json({ ...good(url), token_endpoint_auth_method: 'private_key_jwt' })
      if (url === '/redirect') return json({ ...good(url), redirect_uris: ['javascript:alert(1)'] })
      if (url === '/text') return response.writeHead(200, { 'content-type': 'text/plain' }).end('hello')
      return json(good(url))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const time = movableClock()
    const other = await openSignInWorld({ clock: time, limits, egress: { clientOrigins: [origin] } })
    const pageOf = async (path: string) => {
      const browser = openBrowser(other.address)
      // The only address of a client that names one nobody may be sent to is asked for by not naming it.
      const more = path === '/redirect' ? { redirect_uri: undefined } : {}
      return { browser, page: await browser.open(authorizePath(origin + path, pkce().challenge, more), other.token) }
    }
    const from = performance.now()
    expect((await pageOf('/slow')).page.html).toContain('cannot be let in')
    // Before it would have answered.
    expect(performance.now() - from).toBeLessThan(18_000)
    for (const path of ['/huge', '/padded', '/elsewhere', '/other', '/secret', '/key', '/redirect', '/text'])
      expect((await pageOf(path)).page.html, path).toContain('cannot be let in')
    const { browser, page } = await pageOf('/good')
    expect(page.html).toContain('First name')
    name = 'Second name'
    time.advance(6 * 60_000)
    const again = await browser.answer(page)
    expect(again.headers.get('location')).toBeNull()
    expect(await again.text()).toContain('has changed meanwhile')
    await other.close()
    server.close()
  })
})
