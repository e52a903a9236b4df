import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OAuth1Profile, OAuth2Profile } from '#kit'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { createWire } from '../../shared/wire/index.ts'
import { signOAuth1 } from '../../shared/wire/oauth/oauth1.ts'
import { startProvider } from '../support/provider.ts'
import { startDoor, until } from '../support/agent-world.ts'
import { decide } from './provider-pages.ts'
import { caller } from '../support/world.ts'
import { connectByOAuth, connected, firstListOf, openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'

const back = 'http://127.0.0.1:5555/v1/oauth/work-board/callback'

describe('signing', () => {
  it('gives the published HMAC-SHA1 example', () => {
    const header = signOAuth1(
      { key: 'xvz1evFS4wEEPTGEFPHBog', secret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw' },
      {
        token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
        secret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
      },
      {
        method: 'POST',
        url: 'https://api.twitter.com/1.1/statuses/update.json?include_entities=true',
        data: { status: 'Hello Ladies + Gentlemen, a signed OAuth request!' },
      },
      { timestamp: 1_318_622_958, nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg' },
    )
    expect(header).toContain(`oauth_signature="${encodeURIComponent('hCtSmYh+iHYCEqBWrE7C7hYmtUk=')}"`)
    expect(header).not.toContain('status')
  })
})

describe('over the wire', () => {
  let sandbox: BoardSandbox
  let wire: ReturnType<typeof createWire>
  const listed: string[] = []
  beforeAll(async () => {
    sandbox = await startBoardSandbox()
    listed.push(sandbox.origin)
    wire = createWire({
      now: Date.now,
      monotonic: () => performance.now(),
      sleep: async () => {},
      random: Math.random,
      egress: { privateOrigins: [], ownOrigins: listed, production: true },
    })
  })
  afterAll(async () => {
    await wire.close()
    await sandbox.close()
  })
  const v1 = (over: Partial<OAuth1Profile> = {}): OAuth1Profile => ({
    requestUrl: `${sandbox.origin}/1/OAuthGetRequestToken`,
    authorizeUrl: `${sandbox.origin}/1/OAuthAuthorizeToken`,
    tokenUrl: `${sandbox.origin}/1/OAuthGetAccessToken`,
    ...over,
  })
  const v2 = (over: Partial<OAuth2Profile> = {}): OAuth2Profile => ({
    authorizeUrl: `${sandbox.origin}/authorize`,
    tokenUrl: `${sandbox.origin}/oauth/token`,
    scopes: ['read:board:trello', 'read:member:trello', 'offline_access'],
    tokenBody: 'json',
    ...over,
  })
  const app1 = () => ({ key: sandbox.credentials.key, secret: sandbox.credentials.appSecret })
  const app2 = () => ({ key: sandbox.credentials.oauth2.clientId, secret: sandbox.credentials.oauth2.clientSecret })

  it('1.0a: three legs give a token that works', async () => {
    const { oauth1 } = wire.unauthenticated
    const request = await oauth1.begin('work-board', v1(), app1(), `${back}?state=s1`)
    const returned = await decide(
      `${sandbox.origin}/1/OAuthAuthorizeToken?oauth_token=${request.token}&scope=read,write`,
      'allow',
    )
    expect(returned.searchParams.get('state')).toBe('s1')
    const verifier = returned.searchParams.get('oauth_verifier')!
    await expect(
      oauth1.finish('work-board', v1(), app1(), { ...request, secret: 'other' }, verifier),
    ).rejects.toMatchObject({ code: 'rejected' })
    const access = await oauth1.finish('work-board', v1(), app1(), request, verifier)
    expect(sandbox.state.tokens.has(access.token)).toBe(true)
  })

  it.each([
    ['a wrong secret', { app: { secret: 'a-wrong-secret-0123456789' } }, 'rejected'],
    ['an address that is not set', { facts: { requestUrl: null } }, 'wire_unset'],
    ['an address on this machine that is not listed', { facts: { requestUrl: 'http://127.0.0.1:9/x' } }, 'not_allowed'],
  ])(
    '1.0a: %s is refused',
    async (_, { app = {}, facts = {} }: { app?: object; facts?: Partial<OAuth1Profile> }, code) => {
      const failed = await wire.unauthenticated.oauth1
        .begin('work-board', v1(facts), { ...app1(), ...app }, back)
        .catch((error: unknown) => error as Error)
      expect(failed).toMatchObject({ code })
      expect(JSON.stringify(failed) + String((failed as Error).message)).not.toContain('a-wrong-secret')
    },
  )

  it('2.0: code, PKCE and refresh; a used refresh token says so', async () => {
    const { oauth2 } = wire.unauthenticated
    const verifier = await oauth2.verifier()
    const address = await oauth2.address('work-board', v2(), app2(), {
      redirectUri: back,
      state: 's2',
      verifier,
      params: { prompt: 'consent' },
    })
    const returned = await decide(address, 'allow')
    const tokens = await oauth2.redeem('work-board', v2(), app2(), { returned, state: 's2', verifier })
    expect(tokens).toMatchObject({ expiresInMs: 3_600_000, refreshToken: expect.any(String) })
    const next = await oauth2.refresh('work-board', v2(), app2(), tokens.refreshToken!)
    expect(next.accessToken).not.toBe(tokens.accessToken)
    const burnt = await oauth2
      .refresh('work-board', v2(), app2(), tokens.refreshToken!)
      .catch((error: unknown) => error as Error & { details: object })
    expect(burnt).toMatchObject({ code: 'not_connected', details: { providerStatus: 400 } })
    expect(JSON.stringify(burnt)).not.toContain(tokens.refreshToken)
  })

  it.each<
    [
      string,
      { change?: (returned: URL) => void; verifier?: string; app?: object; facts?: Partial<OAuth2Profile> },
      string,
    ]
  >([
    ['another state', { change: (returned) => returned.searchParams.set('state', 'other') }, 'bad_reply'],
    [
      'the issuer of another provider',
      { change: (returned) => returned.searchParams.set('iss', 'https://other.example') },
      'bad_reply',
    ],
    ['another verifier', { verifier: 'a'.repeat(43) }, 'not_connected'],
    ['a wrong client secret', { app: { secret: 'wrong-client-secret-0123' } }, 'rejected'],
    ['a form body where the provider wants JSON', { facts: { tokenBody: 'form' } }, 'rejected'],
    [
      'the denial of the person',
      { change: (returned) => (returned.search = '?error=access_denied&state=s3') },
      'access_denied',
    ],
  ])('2.0: %s gives nothing', async (_, { change, verifier: other, app = {}, facts = {} }, code) => {
    const { oauth2 } = wire.unauthenticated
    const verifier = await oauth2.verifier()
    const returned = await decide(
      await oauth2.address('work-board', v2(), app2(), { redirectUri: back, state: 's3', verifier, params: {} }),
      'allow',
    )
    change?.(returned)
    const before = sandbox.state.grants.size
    const failed = await oauth2
      .redeem('work-board', v2(facts), { ...app2(), ...app }, { returned, state: 's3', verifier: other ?? verifier })
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ code })
    expect(JSON.stringify(failed)).not.toContain('wrong-client-secret')
    expect(sandbox.state.grants.size).toBe(before)
  })

  it.each([1e18, '1e300', 86_400 * 36_500])(
    '2.0: a life of %s seconds is taken as ten years, so that its end is a date',
    async (seconds) => {
      const answer = { access_token: 'a', token_type: 'Bearer', expires_in: seconds }
      const provider = await startProvider((_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      )
      const own = createWire({
        now: Date.now,
        monotonic: () => performance.now(),
        sleep: async () => {},
        random: Math.random,
        egress: { privateOrigins: [provider.origin], production: false },
      })
      try {
        const facts = v2({ authorizeUrl: `${provider.origin}/a`, tokenUrl: `${provider.origin}/token` })
        expect(await own.unauthenticated.oauth2.refresh('work-board', facts, app2(), 'r')).toMatchObject({
          accessToken: 'a',
          expiresInMs: 10 * 365 * 86_400_000,
        })
      } finally {
        await own.close()
        await provider.close()
      }
    },
  )

  it('follows no redirect with a secret in hand', async () => {
    const elsewhere = await startProvider((_, response) => response.end('{}'))
    const provider = await startProvider((_, response) =>
      response.writeHead(307, { location: `${elsewhere.origin}/steal` }).end(),
    )
    const own = createWire({
      now: Date.now,
      monotonic: () => performance.now(),
      sleep: async () => {},
      random: Math.random,
      egress: { privateOrigins: [provider.origin, elsewhere.origin], production: false },
    })
    try {
      await expect(
        own.unauthenticated.oauth1.begin('work-board', v1({ requestUrl: `${provider.origin}/request` }), app1(), back),
      ).rejects.toMatchObject({
        code: 'rejected',
      })
      await expect(
        own.unauthenticated.oauth2.refresh(
          'work-board',
          v2({ authorizeUrl: `${provider.origin}/a`, tokenUrl: `${provider.origin}/token` }),
          app2(),
          'r',
        ),
      ).rejects.toMatchObject({ code: 'bad_reply' })
      await expect(own.unauthenticated.getJson(`${provider.origin}/keys`, 'jwt')).resolves.toMatchObject({
        status: 307,
      })
      expect(provider.seen).toHaveLength(3)
      expect(elsewhere.seen).toEqual([])
    } finally {
      await own.close()
      await provider.close()
      await elsewhere.close()
    }
  })

  it('a 1.0a provider that does not confirm the callback is refused', async () => {
    const provider = await startProvider((_, response) => response.end('oauth_token=t&oauth_token_secret=s'))
    const own = createWire({
      now: Date.now,
      monotonic: () => performance.now(),
      sleep: async () => {},
      random: Math.random,
      egress: { privateOrigins: [provider.origin], production: false },
    })
    try {
      await expect(
        own.unauthenticated.oauth1.begin('work-board', v1({ requestUrl: `${provider.origin}/request` }), app1(), back),
      ).rejects.toMatchObject({
        code: 'bad_reply',
      })
    } finally {
      await own.close()
      await provider.close()
    }
  })
})

describe('deliveries to an account connected by OAuth 2.0', () => {
  it('are signed with the client secret and start the agent, also over a rotation of it', async () => {
    const started: string[] = []
    let world: OAuthWorld | undefined
    const door = await startDoor(() => world?.pack)
    world = await openOAuthWorld({
      oauth: '2.0',
      publicUrl: door.origin,
      onStart: async ({ data }) => void started.push(data.id),
    })
    const { pack, sandbox } = world
    const { control, credentials, state } = sandbox.board
    const { key, appSecret, oauth2 } = credentials
    try {
      expect(oauth2.clientSecret).not.toBe(appSecret)
      const connection = connected((await connectByOAuth(world)).page)
      const idList = firstListOf(world)
      const { idBoard } = state.lists.get(idList)!
      await pack.start()
      await pack.subscriptions.create(caller, {
        integration: 'work-board',
        trigger: 'new-card',
        connection: connection.id,
        config: { boards: [idBoard] },
      })
      const happen = async (name: string) => {
        const before = started.length
        control.createCard({ by: connection.account!.id, idList, name })
        await control.settle()
        await until(name, () => started.length > before)
      }
      await happen('One')
      await pack.apps.put(caller, 'work-board', { key, clientSecret: 'the client secret that comes next' })
      await happen('While the former client secret still signs')
      state.apps.get(key)!.oauth2.clientSecret = 'the client secret that comes next'
      await happen('With the next one')
      expect(await pack.triggers.counts()).toMatchObject({ received: 3, refused: 0 })
      expect(started).toHaveLength(3)
      await pack.apps.put(caller, 'work-board', { key, clientSecret: 'and yet another one', keepPrevious: false })
      control.createCard({ by: connection.account!.id, idList, name: 'Signed with a secret that was dropped' })
      await control.settle()
      expect(await pack.triggers.counts()).toMatchObject({ received: 4, refused: 1 })
    } finally {
      await world.close()
      await door.close()
    }
  })
})
