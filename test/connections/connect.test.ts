import { describe, expect, it } from 'vitest'
import { checkReturnTo } from '../../shared/runtime/connections/browser/binding.ts'
import type { ConnectPage } from '../../shared/runtime/connections/browser/types.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { decide } from './provider-pages.ts'
import { caller } from '../support/world.ts'
import {
  connectByOAuth,
  connected,
  createCard,
  leaveFor,
  newBrowser,
  openOAuthWorld,
  peopleOf,
} from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'
import { movableClock } from '../support/clock.ts'

const knownPerson = createDataSet().people.find(
  ({ knownTo, suppressed, workEmail }) => knownTo.includes('anz') && !suppressed && workEmail !== undefined,
)!

let world: OAuthWorld

const auditOf = async (what: string) =>
  (await world.pack.audit.list('default', { limit: 100 })).items.filter(({ path }) => path === what)
const refusalOf = (page: ConnectPage) => (page.kind === 'refused' ? page.refusal : page.kind)
const sent = () => world.sandbox.board.control.requests().length

describe.each(['1.0a', '2.0'] as const)('OAuth %s', (oauth) => {
  it('ends in a connection that is named after the account and creates a card', async () => {
    world = await openOAuthWorld({ oauth })
    const { page } = await connectByOAuth(world)
    const made = connected(page)
    const [person] = peopleOf(world)
    expect(made).toMatchObject({
      type: 'oauth',
      state: 'connected',
      name: `${person!.fullName} (@${person!.username})`,
      account: { id: person!.id },
    })
    expect(made.expiresAt === null).toBe(oauth === '1.0a')
    expect(JSON.stringify(page)).not.toMatch(/ATTA/)
    expect(await createCard(world, made.id)).toMatchObject({ ok: true })
    expect(await auditOf('connect.connected')).toMatchObject([
      { connection: made.id, outcome: 'ok', integration: 'work-board', keyId: expect.any(String) },
    ])
  })

  it('denied by the person: nothing is connected, and the link is used up', async () => {
    world = await openOAuthWorld({ oauth })
    const { page, browser, returned } = await connectByOAuth(world, {}, { decision: 'deny' })
    expect(page).toMatchObject({ kind: 'refused', refusal: 'denied', title: 'Work board' })
    expect(refusalOf(await world.pack.connect.finish('work-board', browser, returned))).toBe('expired')
    expect(await world.pack.connections.list(caller)).toEqual([])
    expect(await auditOf('connect.finish')).toMatchObject([{ outcome: 'not_allowed' }])
  })

  it('shows who wants whose account in which workspace before it sends a browser on, and sends on only the browser it showed that to', async () => {
    world = await openOAuthWorld({ oauth })
    const { pack, sandbox } = world
    const { id } = (await pack.tokens.create('default', { name: 'Onboarding of Wattle', scopes: ['connections'] }))
      .token
    const browser = newBrowser()
    const { state } = await pack.connections.authorize(
      { ...caller, token: id },
      { integration: 'work-board', type: 'oauth' },
    )
    const before = sent()
    expect(await pack.connect.submit(state, browser, { leave: 'yes' }), 'a browser that saw no page').toMatchObject({
      refusal: 'foreign-browser',
    })
    const opened = await pack.connect.open(state, browser)
    expect(opened).toMatchObject({
      kind: 'leave',
      leave: {
        title: 'Work board',
        workspace: 'Default',
        requester: 'Onboarding of Wattle',
        reconnects: null,
        account: null,
        to: sandbox.board.origin,
      },
    })
    expect(sent(), 'nothing is asked of the provider before').toBe(before)
    expect(await pack.connect.submit(state, newBrowser(), { leave: 'yes' })).toMatchObject({
      refusal: 'foreign-browser',
    })
    const gone = await pack.connect.submit(state, browser, { leave: 'yes' })
    expect(gone.kind === 'redirect' && new URL(gone.url).origin).toBe(sandbox.board.origin)
    const again = connected((await connectByOAuth(world)).page)
    const reconnect = await pack.connections.authorize(caller, { connection: again.id })
    expect(await pack.connect.open(reconnect.state, newBrowser())).toMatchObject({
      leave: { reconnects: again.name, account: again.account!.name },
    })
  })

  it('without state, with a wrong one, repeated, too late or from another browser it is refused and nothing is exchanged', async () => {
    const clock = movableClock()
    world = await openOAuthWorld({ oauth, clock })
    const { pack } = world
    const begin = async () => {
      const browser = newBrowser()
      const { state } = await pack.connections.authorize(caller, { integration: 'work-board', type: 'oauth' })
      return { state, browser, returned: await decide(await leaveFor(pack, state, browser), 'allow') }
    }
    const flow = await begin()
    const before = sent()
    const without = new URL(flow.returned)
    without.searchParams.delete('state')
    expect(refusalOf(await pack.connect.finish('work-board', flow.browser, without))).toBe('no-state')
    const wrong = new URL(flow.returned)
    wrong.searchParams.set('state', newBrowser())
    expect(refusalOf(await pack.connect.finish('work-board', flow.browser, wrong))).toBe('expired')
    expect(refusalOf(await pack.connect.finish('work-board', newBrowser(), flow.returned))).toBe('foreign-browser')
    expect(refusalOf(await pack.connect.finish('work-board', undefined, flow.returned))).toBe('foreign-browser')
    expect(refusalOf(await pack.connect.open(flow.state, newBrowser()))).toBe('foreign-browser')
    expect(sent()).toBe(before)
    expect((await pack.connect.finish('work-board', flow.browser, flow.returned)).kind).toBe('done')
    const after = sent()
    expect(refusalOf(await pack.connect.finish('work-board', flow.browser, flow.returned))).toBe('expired')
    const two = await begin()
    const late = sent()
    clock.advance(10 * 60_000)
    expect(refusalOf(await pack.connect.finish('work-board', two.browser, two.returned))).toBe('expired')
    expect(refusalOf(await pack.connect.open(two.state, two.browser))).toBe('expired')
    expect(sent()).toBe(late)
    expect(after).toBeGreaterThan(before)
    expect(await pack.connections.list(caller)).toHaveLength(1)
    expect((await auditOf('connect.finish')).length).toBe(3)
  })

  it('the answer of another provider, of another attempt or with another issuer is refused', async () => {
    world = await openOAuthWorld({ oauth })
    const { pack } = world
    const browser = newBrowser()
    const flows = await Promise.all(
      [0, 1].map(async () => {
        const { state } = await pack.connections.authorize(caller, { integration: 'work-board', type: 'oauth' })
        return { state, returned: await decide(await leaveFor(pack, state, browser), 'allow') }
      }),
    )
    const [firstFlow, two] = flows
    expect(refusalOf(await pack.connect.finish('anz-data', browser, firstFlow!.returned))).toBe('mixed-up')
    const crossed = new URL(two!.returned)
    crossed.searchParams.set('state', firstFlow!.state)
    // 1.0a compares the request token; 2.0 has PKCE, so the other attempt's code is worth nothing with this verifier.
    const page = await pack.connect.finish('work-board', browser, crossed)
    expect(page).toMatchObject(
      oauth === '1.0a' ? { refusal: 'mixed-up' } : { refusal: 'failed', failure: { code: 'not_connected' } },
    )
    if (oauth === '2.0') {
      const other = new URL(two!.returned)
      other.searchParams.set('iss', 'https://other.example')
      expect(await pack.connect.finish('work-board', browser, other)).toMatchObject({
        refusal: 'failed',
        failure: { code: 'bad_reply' },
      })
    }
    expect(await pack.connections.list(caller)).toEqual([])
  })

  it('reconnecting takes the same account only; another one is refused with the reason', async () => {
    world = await openOAuthWorld({ oauth })
    const { pack, sandbox } = world
    const [first, second] = peopleOf(world)
    const states: string[] = []
    const made = connected((await connectByOAuth(world, { name: 'Team' }, { member: first!.id })).page)
    pack.onAccountState((tenant, id, state) => states.push(`${tenant} ${id === made.id} ${state}`))
    for (const token of sandbox.board.state.tokens.values())
      if (token.idMember === first!.id) sandbox.board.control.revokeToken({ token: token.value })
    expect(await createCard(world, 'Team')).toMatchObject({ failure: { code: 'not_connected' } })
    expect(await pack.connections.get(caller, made.id)).toMatchObject({ state: 'needs_reconnect' })
    const wrong = await connectByOAuth(world, { connection: made.id }, { member: second!.id })
    expect(wrong.page).toMatchObject({
      kind: 'refused',
      refusal: 'another-account',
      failure: { code: 'conflict', message: expect.stringContaining(second!.fullName) },
    })
    expect(await pack.connections.get(caller, made.id)).toMatchObject({
      state: 'needs_reconnect',
      account: { id: first!.id },
    })
    const again = await connectByOAuth(world, { connection: made.id }, { member: first!.id })
    expect(again.page).toMatchObject({
      kind: 'done',
      done: { reconnected: true, connection: { id: made.id, name: 'Team', state: 'connected' } },
    })
    expect(await createCard(world, 'Team')).toMatchObject({ ok: true })
    expect(states).toEqual(['default true needs_reconnect', 'default true connected'])
    // The same account connected as a new one renews what is there instead of standing beside it.
    expect((await connectByOAuth(world, {}, { member: first!.id })).page).toMatchObject({
      done: { reconnected: true, connection: { id: made.id } },
    })
    expect((await connectByOAuth(world, {}, { member: second!.id })).page).toMatchObject({
      done: { reconnected: false },
    })
    expect(await pack.connections.list(caller)).toHaveLength(2)
  })
})

describe('secrets given on our page', () => {
  it('key and token: the address of the document, a wrong token corrected on the same page, then a card', async () => {
    world = await openOAuthWorld()
    const { pack, sandbox } = world
    const browser = newBrowser()
    const { state } = await pack.connections.authorize(caller, {
      integration: 'work-board',
      type: 'key-token',
      name: 'Server',
    })
    const opened = await pack.connect.open(state, browser)
    const { key } = sandbox.board.credentials
    expect(opened).toMatchObject({ kind: 'form', form: { reconnects: null, workspace: 'Default' } })
    const form = (opened as Extract<ConnectPage, { kind: 'form' }>).form
    expect(form.authorizeUrl).toBe(
      `${sandbox.board.origin}/1/authorize?expiration=never&name=toolyard&scope=read%2Cwrite&response_type=token&key=${key}`,
    )
    expect(form.fields.map(({ name, value }) => [name, value])).toEqual([
      ['key', key],
      ['token', ''],
    ])
    const wrong = await pack.connect.submit(state, browser, { key, token: 'ATTAwrong-token-0123456789' })
    expect(wrong).toMatchObject({ kind: 'form', form: { problem: { code: 'not_connected' } } })
    expect(JSON.stringify(wrong)).not.toContain('ATTAwrong')
    expect(
      refusalOf(await pack.connect.submit(state, newBrowser(), { key, token: sandbox.board.credentials.token })),
    ).toBe('foreign-browser')
    expect(
      refusalOf(await pack.connect.submit(state, undefined, { key, token: sandbox.board.credentials.token })),
    ).toBe('foreign-browser')
    const done = await pack.connect.submit(state, browser, { key, token: sandbox.board.credentials.token })
    const made = connected(done)
    expect(made).toMatchObject({ type: 'key-token', name: 'Server', state: 'connected' })
    expect(refusalOf(await pack.connect.submit(state, browser, { key, token: sandbox.board.credentials.token }))).toBe(
      'expired',
    )
    expect(await createCard(world, 'Server')).toMatchObject({ ok: true })
  })

  it('where the key is not known it is asked for first; with a return parameter the browser comes back with the token', async () => {
    world = await openOAuthWorld()
    const other = await startBoardSandbox()
    const own = await openOAuthWorld({
      sandbox: world.sandbox,
      wire: {
        'work-board': {
          baseUrl: other.origin,
          authUrl: other.origin,
          authorizeReturn: { return_url: '{returnUrl}', callback_method: 'fragment' },
        },
      },
      egress: { ownOrigins: [other.origin] },
    })
    try {
      const tenant = { tenant: 'second' }
      await own.pack.tenants.create({ id: 'second', name: 'Second' })
      const { state } = await own.pack.connections.authorize(tenant, { integration: 'work-board', type: 'key-token' })
      const browser = newBrowser()
      expect(await own.pack.connect.open(state, browser)).toMatchObject({
        form: { authorizeUrl: null, workspace: 'Second' },
      })
      const next = (await own.pack.connect.submit(state, browser, { key: other.credentials.key })) as Extract<
        ConnectPage,
        { kind: 'form' }
      >
      const address = new URL(next.form.authorizeUrl!)
      expect(Object.fromEntries(address.searchParams)).toMatchObject({
        key: other.credentials.key,
        return_url: `http://127.0.0.1:8750/connect/${state}`,
        callback_method: 'fragment',
      })
      const back = await decide(address.href, 'allow')
      expect(back.pathname).toBe(`/connect/${state}`)
      const token = new URLSearchParams(back.hash.slice(1)).get('token')!
      expect((await own.pack.connect.submit(state, browser, { key: other.credentials.key, token })).kind).toBe('done')
    } finally {
      await own.close()
      await other.close()
    }
  })

  it('an API key without a free test is unverified until the first match, and no lookup is paid to find out', async () => {
    world = await openOAuthWorld()
    const { pack, sandbox } = world
    const browser = newBrowser()
    const { state } = await pack.connections.authorize(caller, { integration: 'anz-data' })
    expect(await pack.connect.open(state, browser)).toMatchObject({
      form: { authorizeUrl: undefined, fields: [{ name: 'apiKey' }] },
    })
    const made = connected(await pack.connect.submit(state, browser, sandbox.anz.credentials))
    expect(made).toMatchObject({ state: 'unverified', name: 'ANZ data' })
    expect(await pack.connections.test(caller, made.id)).toMatchObject({ state: 'unverified' })
    expect(sandbox.anz.control.state().counters).toMatchObject({ requests: 0 })
    const find = (email: string) =>
      pack.steps.run(caller, { integration: 'anz-data', step: 'people-enrichment', input: { email } })
    expect(await find('nobody@no-such-host.example')).toMatchObject({ ok: true, value: { matched: false } })
    expect(await pack.connections.get(caller, made.id)).toMatchObject({ state: 'unverified' })
    expect(await find(knownPerson.workEmail!)).toMatchObject({ ok: true, value: { matched: true } })
    expect(await pack.connections.get(caller, made.id)).toMatchObject({ state: 'connected' })
  })

  it('a page that asks for secrets finishes no OAuth, and the other way round', async () => {
    world = await openOAuthWorld()
    const { pack } = world
    const browser = newBrowser()
    const oauth = await pack.connections.authorize(caller, { integration: 'work-board', type: 'oauth' })
    await pack.connect.open(oauth.state, browser)
    expect(refusalOf(await pack.connect.submit(oauth.state, browser, { key: 'k', token: 't' }))).toBe('mixed-up')
    const keyToken = await pack.connections.authorize(caller, { integration: 'work-board', type: 'key-token' })
    await pack.connect.open(keyToken.state, browser)
    const answer = new URL(
      `http://127.0.0.1:8750/v1/oauth/work-board/callback?state=${keyToken.state}&oauth_token=t&oauth_verifier=v`,
    )
    expect(refusalOf(await pack.connect.finish('work-board', browser, answer))).toBe('mixed-up')
  })
})

describe('beginning', () => {
  it('chooses the recommended type that is set up', async () => {
    world = await openOAuthWorld()
    const { pack } = world
    const typeOf = async (tenant: string, integration: string) => {
      const { state } = await pack.connections.authorize({ tenant }, { integration })
      return (await pack.connect.open(state, newBrowser())).kind
    }
    await pack.tenants.create({ id: 'bare', name: 'Bare' })
    expect([
      await typeOf('default', 'work-board'),
      await typeOf('bare', 'work-board'),
      await typeOf('bare', 'contact-data'),
    ]).toEqual(['leave', 'form', 'form'])
    await expect(
      pack.connections.authorize({ tenant: 'bare' }, { integration: 'work-board', type: 'oauth' }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('/v1/apps/work-board'),
    })
    await pack.apps.put(caller, 'work-board', {
      key: world.sandbox.board.credentials.key,
      secret: world.sandbox.board.credentials.appSecret,
      owner: 'operator',
    })
    expect(await typeOf('bare', 'work-board')).toBe('leave')
  })

  it.each([
    ['a token bound to accounts', { tenant: 'default', connections: ['con_x'] }, {}, 'not_allowed'],
    ['a token that only runs steps', { tenant: 'default', scopes: ['run' as const] }, {}, 'not_allowed'],
    ['a connection that is not there', { tenant: 'default' }, { connection: 'con_none' }, 'not_found'],
    ['nothing said', { tenant: 'default' }, { integration: undefined }, 'invalid_input'],
    ['an unknown type', { tenant: 'default' }, { type: 'api-key' }, 'invalid_input'],
    ['a place elsewhere to go on to', { tenant: 'default' }, { returnTo: 'https://evil.example/' }, 'invalid_input'],
  ])('refuses %s', async (_, by, request, code) => {
    world = await openOAuthWorld()
    await expect(world.pack.connections.authorize(by, { integration: 'work-board', ...request })).rejects.toMatchObject(
      { code },
    )
  })
})

describe('the way on afterwards', () => {
  it.each(['/console', '/console#/connections/con_1', '/a/b?x=1&y=2', '/%2e'])('takes %s', (path) =>
    expect(checkReturnTo(path)).toBeTruthy(),
  )
  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'javascript:alert(1)',
    '',
    'console',
    '/a b',
    `/${'a'.repeat(600)}`,
    '/..//evil.example',
    '/.//evil.example',
    '/\u0000',
  ])('refuses %j', (path) => expect(() => checkReturnTo(path)).toThrow(/returnTo/))
})
