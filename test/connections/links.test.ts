/** Connect links that a platform gives to one of its people. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { checkReturnTo } from '../../shared/runtime/connections/browser/binding.ts'
import { caller } from '../support/world.ts'
import { connected, newBrowser, openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'
import { movableClock } from '../support/clock.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const platform = 'https://platform.example'

let world: OAuthWorld
let clock: ReturnType<typeof movableClock>
beforeEach(async () => {
  clock = movableClock()
  world = await openOAuthWorld({ clock, returnOrigins: [platform] })
})

const authorize = (request: Parameters<OAuthWorld['pack']['connections']['authorize']>[1], by = caller) =>
  world.pack.connections.authorize(by, request)
const secrets = () => {
  const { key, token } = world.sandbox.board.credentials
  return { key, token }
}

describe('a link with a choice', () => {
  it('shows what is allowed and set up, and connects what the person chose, for that person', async () => {
    const { pack } = world
    const { state, url } = await authorize({
      integrations: ['work-board', 'contact-data'],
      person: 'person-3',
      externalId: 'account-7',
      labels: { plan: 'pro' },
    })
    const browser = newBrowser()
    const opened = await pack.connect.open(state, browser)
    expect(opened).toMatchObject({ kind: 'choose', choose: { workspace: 'Default' } })
    const values = opened.kind === 'choose' ? opened.choose.choices.map(({ value }) => value) : []
    expect(values).toEqual(expect.arrayContaining(['work-board/oauth', 'work-board/key-token', 'contact-data/api-key']))
    expect(values.some((value) => value.startsWith('anz-data'))).toBe(false)
    expect(await pack.connect.submit(state, newBrowser(), { choose: 'work-board/key-token' })).toMatchObject({
      refusal: 'foreign-browser',
    })
    for (const choose of ['anz-data/api-key', '', 'work-board'])
      expect(await pack.connect.submit(state, browser, { choose })).toMatchObject({ refusal: 'mixed-up' })
    expect(await pack.connect.submit(state, browser, { choose: 'work-board/key-token' })).toEqual({
      kind: 'redirect',
      url,
    })
    expect(await pack.connect.open(state, browser)).toMatchObject({ kind: 'form', form: { integration: 'work-board' } })
    const made = connected(await pack.connect.submit(state, browser, secrets()))
    expect(made).toMatchObject({
      integration: 'work-board',
      type: 'key-token',
      person: 'person-3',
      externalId: 'account-7',
      labels: { plan: 'pro' },
    })
    expect(await pack.connect.open(state, browser), 'valid once').toMatchObject({ refusal: 'expired' })
  })

  it('takes one choice, also when two are sent at once', async () => {
    const { pack } = world
    const { state } = await authorize({ integrations: ['work-board', 'contact-data'] })
    const browser = newBrowser()
    await pack.connect.open(state, browser)
    const pages = await Promise.all(
      ['contact-data/api-key', 'work-board/key-token'].map((choose) => pack.connect.submit(state, browser, { choose })),
    )
    expect(pages.map(({ kind }) => kind)).toEqual(['redirect', 'refused'])
    expect(await pack.connect.open(state, browser)).toMatchObject({ form: { integration: 'contact-data' } })
  })

  it('with a single choice needs no page for it', async () => {
    const { state } = await authorize({ integrations: ['work-board'], types: ['key-token'], externalId: 'person-3' })
    expect(await world.pack.connect.open(state, newBrowser())).toMatchObject({
      kind: 'form',
      form: { integration: 'work-board' },
    })
  })

  it('is a page that posts to this server alone', async () => {
    const http = await createHttp({
      pack: world.pack,
      version: '0.0.0',
      publicUrl: 'http://127.0.0.1:8750',
      mcp: false,
    })
    const { state } = await authorize({ integrations: ['work-board', 'contact-data'] })
    const reply = await http.inject({ url: `/connect/${state}` })
    expect(reply.headers['content-security-policy']).toContain("form-action 'self'")
    expect(reply.body).toContain('value="work-board/key-token"')
    const cookie = String(reply.headers['set-cookie']).split(';')[0]!
    const chosen = await http.inject({
      method: 'POST',
      url: `/connect/${state}`,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'choose=contact-data%2Fapi-key',
    })
    expect([chosen.statusCode, chosen.headers.location]).toEqual([303, `http://127.0.0.1:8750/connect/${state}`])
    await http.close()
  })

  it('is not opened by a program that only looks whether it is there', async () => {
    const http = await createHttp({
      pack: world.pack,
      version: '0.0.0',
      publicUrl: 'http://127.0.0.1:8750',
      mcp: false,
    })
    const { state } = await authorize({ integration: 'work-board', type: 'key-token', expiresInMs: 2 * day })
    const look = async (url: string) => {
      const { statusCode, headers, body } = await http.inject({ method: 'HEAD', url })
      return [statusCode, headers['set-cookie'], body]
    }
    expect(await look(`/connect/${state}`)).toEqual([200, undefined, ''])
    expect(await look(`/v1/oauth/work-board/callback?state=${state}`)).toEqual([404, undefined, expect.any(String)])
    expect((await http.inject({ url: `/connect/${state}` })).statusCode).toBe(200)
    await http.close()
  })

  it.each([
    [{ integrations: [] }, '/integrations'],
    [{ integrations: ['work-board'], integration: 'work-board' }, '/integration'],
    [{ integrations: ['work-board'], types: ['api-key'] }, '/types'],
    [{ integration: 'work-board', types: ['api-key'] }, '/types'],
    [{ integration: 'work-board', type: 'oauth', types: ['key-token'] }, '/types'],
    [{ integration: 'work-board', expiresInMs: 30_000 }, '/expiresInMs'],
    [{ integration: 'work-board', expiresInMs: 8 * day }, '/expiresInMs'],
  ])('refuses %j', async (request, pointer) => {
    await expect(authorize(request)).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer }] },
    })
  })

  it('refuses integrations that are not there, or not set up', async () => {
    await expect(authorize({ integrations: ['work-board', 'nothing'] })).rejects.toMatchObject({ code: 'not_found' })
    const { pack } = await openOAuthWorld({ sandbox: world.sandbox, oauth: '2.0' })
    await pack.tenants.create({ id: 'bare', name: 'Bare' })
    await expect(
      pack.connections.authorize({ tenant: 'bare' }, { integrations: ['work-board'], types: ['oauth'] }),
    ).rejects.toMatchObject({ code: 'conflict' })
    await pack.close()
  })
})

describe('how long a link lives', () => {
  it('may be opened until it expires, and must be finished within an hour of that', async () => {
    const { pack } = world
    const { state, expiresAt } = await authorize({ integration: 'work-board', type: 'key-token', expiresInMs: 2 * day })
    expect(Date.parse(expiresAt) - clock.now()).toBeGreaterThan(2 * day - minute)
    clock.advance(day)
    const browser = newBrowser()
    expect(await pack.connect.open(state, browser)).toMatchObject({ kind: 'form' })
    clock.advance(59 * minute)
    expect(await pack.connect.open(state, browser)).toMatchObject({ kind: 'form' })
    clock.advance(2 * minute)
    expect(await pack.connect.submit(state, browser, secrets())).toMatchObject({ refusal: 'expired' })
    const unopened = await authorize({ integration: 'work-board', type: 'key-token', expiresInMs: hour })
    clock.advance(hour)
    expect(await pack.connect.open(unopened.state, newBrowser())).toMatchObject({ refusal: 'expired' })
  })
})

describe.each(['person', 'externalId'] as const)('a link that reconnects, for one %s', (owner) => {
  it('is only for the person the connection belongs to', async () => {
    const { pack } = world
    const made = await pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      secrets: secrets(),
      [owner]: 'person-3',
    })
    await expect(authorize({ connection: made.id, [owner]: 'person-4' })).rejects.toMatchObject({
      code: 'not_found',
    })
    const { state } = await authorize({ connection: made.id, [owner]: 'person-3' })
    const browser = newBrowser()
    expect(await pack.connect.open(state, browser)).toMatchObject({ form: { reconnects: made.name } })
    expect(connected(await pack.connect.submit(state, browser, secrets())).id).toBe(made.id)
  })

  it('ends when the connection is given to another person', async () => {
    const { pack } = world
    const made = await pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      secrets: secrets(),
      [owner]: 'person-3',
    })
    const { state } = await authorize({ connection: made.id, [owner]: 'person-3' })
    const browser = newBrowser()
    await pack.connect.open(state, browser)
    await pack.connections.patch(caller, made.id, { [owner]: 'person-4' })
    const before = await pack.connections.get(caller, made.id)
    expect(await pack.connect.submit(state, browser, secrets())).toMatchObject({ kind: 'refused' })
    expect(await pack.connections.get(caller, made.id)).toEqual(before)
  })
})

describe('the way back to the platform', () => {
  it('leads to a listed origin, with the id of the connection', async () => {
    const { pack } = world
    const { state } = await authorize({
      integration: 'work-board',
      type: 'key-token',
      returnTo: `${platform}/settings?tab=accounts`,
    })
    const browser = newBrowser()
    await pack.connect.open(state, browser)
    expect(await pack.connect.submit(state, browser, secrets())).toMatchObject({
      kind: 'done',
      done: { returnTo: `${platform}/settings?tab=accounts` },
    })
  })

  it.each([
    'https://evil.example/',
    'https://platform.example.evil.example/',
    'https://platform.example@evil.example/',
    'https://user:secret@platform.example/',
    'http://platform.example/',
    'https://platform.example:444/',
    'https:platform.example',
    'https:\\\\platform.example',
    '//platform.example/',
    'javascript:alert(1)//https://platform.example',
    'HTTPS://platform.example\\@evil.example',
  ])('refuses %s', (address) => expect(() => checkReturnTo(address, [platform])).toThrow(/returnTo/))
})
