import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startProvider } from '../support/provider.ts'
import { decide } from '../connections/provider-pages.ts'
import { caller } from '../support/world.ts'
import { firstListOf, openOAuthWorld, peopleOf, serve } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'
import { movableClock } from '../support/clock.ts'
import { chromium, launch, picture, requireBrowser } from './browser.ts'
import type { Browser, BrowserContext, Page } from './browser.ts'

const wantsPictures = process.env['TOOLYARD_PICTURES'] === '1'
requireBrowser()
if (!chromium)
  console.warn(
    'skipped: no Chromium, or test/tools is not installed (npm ci --prefix test/tools; apt-get install -y --no-install-recommends chromium)',
  )

let browser: Browser
let world: OAuthWorld
let server: Awaited<ReturnType<typeof serve>>
let context: BrowserContext
let page: Page
let token: string
let clock: ReturnType<typeof movableClock>
/** What the pages complained about, and whom they asked. */
const complaints: string[] = []
const asked: string[] = []

const watch = (watched: Page) => {
  watched.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d|status of 5\d\d/.test(message.text()))
      complaints.push(message.text())
  })
  watched.on('pageerror', (error) => void complaints.push(String(error)))
  watched.on('request', (request) => void asked.push(new URL(request.url()).origin))
}

/** Another name than the sandbox's, so that the provider's pages are another site, as they are in life. */
const open = async (options: Parameters<typeof openOAuthWorld>[0] = {}) => {
  clock = movableClock()
  world = await openOAuthWorld({ isServed: true, clock, ...options })
  server = await serve(world, 'localhost')
  token = (await world.pack.tokens.create('default', { name: 'Test' })).text
}
const ask = async (path: string, body: object) => {
  const reply = await fetch(`${server.origin.replace('localhost', '127.0.0.1')}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await reply.json()) as Record<string, any>
}
const authorize = async (wanted: object = {}) =>
  (await ask('/v1/connections/authorize', { integration: 'work-board', ...wanted })) as { url: string; state: string }
const createCard = async (name: string) =>
  ask('/v1/steps/work-board/create-card/run', { input: { idList: firstListOf(world), name } })
const heading = () => page.getByRole('heading', { level: 1 }).innerText()
const todo = () => page.locator('#todo').innerText()
/** Opens the link, reads who wants what, and goes on to the provider. */
const leave = async (url: string) => {
  await page.goto(url)
  expect(await page.locator('#workspace').innerText()).toBe('Default')
  expect(await page.locator('#requester').innerText()).toBe('Test')
  await page.getByRole('button', { name: 'Continue to Work board' }).click()
  await page.waitForURL(`${world.sandbox.board.origin}/**`)
}
const consent = (on: Page, choice: 'Allow' | 'Deny') => on.getByRole('button', { name: choice }).click()

describe.skipIf(!chromium)('connecting in a browser', () => {
  beforeAll(async () => void (browser = await launch()))
  afterAll(() => browser?.close())
  beforeEach(async () => {
    complaints.length = asked.length = 0
    context = await browser.newContext({ viewport: { width: 640, height: 420 } })
    page = await context.newPage()
    watch(page)
  })
  afterEach(async () => {
    await context.close()
    await server?.close()
    await world?.close()
    expect(complaints).toEqual([])
  })

  it.each(['1.0a', '2.0'] as const)(
    'OAuth %s ends on a page that names the account, and the account creates a card',
    async (oauth) => {
      await open({ oauth })
      const { url } = await authorize({ returnTo: '/console#/connections' })
      await leave(url)
      expect(new URL(page.url()).origin).toBe(world.sandbox.board.origin)
      await consent(page, 'Allow')
      await page.waitForURL(`${server.origin}/**`)
      const [person] = peopleOf(world)
      expect(await heading()).toBe(`${person!.fullName} (@${person!.username})`)
      expect(await page.locator('#state').innerText()).toBe('Connected and tested')
      // What the provider sent along is spent, and is not left in the address bar or the history either.
      expect(page.url()).toBe(`${server.origin}/v1/oauth/work-board/callback`)
      if (oauth === '1.0a') await picture(page, 'connected', wantsPictures)
      const made = await createCard('By OAuth')
      expect(made.output).toMatchObject({ name: 'By OAuth' })
      expect(world.sandbox.board.state.cards.get(made.output.id)).toMatchObject({ name: 'By OAuth' })
      const href = await page.locator('#continue').getAttribute('href')
      expect(href).toMatch(/^\/console\?connection=con_[\w-]+#\/connections$/)
      expect([...new Set(asked)].sort()).toEqual([server.origin, world.sandbox.board.origin].sort())
    },
  )

  it('key and token: opens the provider’s page with the parameters of the document, takes the pasted token, and creates a card', async () => {
    await open()
    const { url } = await authorize({ type: 'key-token', name: 'Server' })
    await page.goto(url)
    expect(await heading()).toBe('Connect Work board')
    await picture(page, 'key-and-token', wantsPictures)
    const opening = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Open the authorize page' }).click()
    const provider = await opening
    watch(provider)
    await provider.waitForLoadState()
    const address = new URL(provider.url())
    expect([address.pathname, [...address.searchParams.keys()]]).toEqual([
      '/1/authorize',
      ['expiration', 'name', 'scope', 'response_type', 'key'],
    ])
    expect(await provider.evaluate('window.opener === null && document.referrer === ""')).toBe(true)
    await consent(provider, 'Allow')
    const given = await provider.locator('pre').innerText()
    await page.getByLabel('Token').fill('ATTAnot-the-right-one-0123456789')
    await page.getByRole('button', { name: 'Connect' }).click()
    expect(await page.getByRole('alert').filter({ visible: true }).innerText()).toMatch(
      /does not accept this API key and Token\. Check that each was copied completely.*“invalid token”/s,
    )
    expect(await page.content()).not.toContain('ATTAnot')
    await page.getByLabel('Token').fill(given)
    await page.getByRole('button', { name: 'Connect' }).click()
    expect(await page.locator('#name').innerText()).toBe('Server')
    expect(await page.content()).not.toContain(given)
    expect((await createCard('By key and token')).output).toMatchObject({ name: 'By key and token' })
    const referers = world.sandbox.board.control
      .requests()
      .map(({ headers }) => (headers as Record<string, string>)['referer'])
      .filter((referer) => referer?.includes('localhost'))
    expect(referers).toEqual([])
  })

  it('a token in the fragment leaves address and history at once and goes into its field', async () => {
    await open({ wire: {} })
    const wire = {
      ...(world.sandbox.wire['work-board'] as object),
      authorizeReturn: { return_url: '{returnUrl}', callback_method: 'fragment' },
    }
    const { sandbox } = world
    await server.close()
    await world.pack.close()
    await open({ sandbox, wire: { 'work-board': wire } })
    const { url } = await authorize({ type: 'key-token' })
    await page.goto(url)
    const opening = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Open the authorize page' }).click()
    const back = await opening
    watch(back)
    await consent(back, 'Allow')
    await back.waitForURL(url)
    expect(back.url()).toBe(url)
    expect(await back.getByRole('status').innerText()).toContain('The token was returned')
    expect(await back.getByLabel('Token').inputValue()).toMatch(/^ATTA/)
    await back.getByRole('button', { name: 'Connect' }).click()
    expect(await back.locator('#state').innerText()).toBe('Connected and tested')
    await page.goto(`${(await authorize({ type: 'key-token' })).url}#error=Token%20request%20rejected`)
    expect(await page.getByRole('alert').innerText()).toContain('Open it again and choose “Allow”')
    await sandbox.close()
  })

  it('works without scripts, and where the key has to be asked for first', async () => {
    await open()
    await world.pack.tenants.create({ id: 'plain', name: 'Plain' })
    const { url } = await world.pack.connections.authorize(
      { tenant: 'plain' },
      { integration: 'work-board', type: 'key-token' },
    )
    const plain = await browser.newContext({ javaScriptEnabled: false })
    const shown = await plain.newPage()
    await shown.goto(url)
    await shown.getByLabel('API key').fill(world.sandbox.board.credentials.key)
    await shown.getByRole('button', { name: 'Next' }).click()
    expect(await shown.locator('#authorize').getAttribute('href')).toContain(
      `key=${world.sandbox.board.credentials.key}`,
    )
    await shown.getByLabel('Token').fill(world.sandbox.board.credentials.token)
    await shown.getByRole('button', { name: 'Connect' }).click()
    expect(await shown.locator('#state').innerText()).toBe('Connected and tested')
    expect(await world.pack.connections.list({ tenant: 'plain' })).toHaveLength(1)
    await plain.close()
  })

  it('an API key is taken by the keyboard alone and said to be untested', async () => {
    await open()
    const { url } = await authorize({ integration: 'anz-data' })
    await page.goto(url)
    await picture(page, 'api-key', wantsPictures)
    await page.getByLabel('API key').focus()
    await page.keyboard.type(world.sandbox.anz.credentials.apiKey)
    await page.keyboard.press('Enter')
    expect(await page.locator('#state').innerText()).toContain('the first successful step verifies it')
    expect(await world.pack.connections.list(caller, { integration: 'anz-data' })).toHaveLength(1)
  })

  it('a denied request is told with what to do, and the link is spent', async () => {
    await open()
    const { url } = await authorize({ returnTo: '/console' })
    await leave(url)
    await consent(page, 'Deny')
    await page.waitForURL(`${server.origin}/**`)
    expect([await heading(), await todo()]).toEqual(['Access was not allowed', expect.stringContaining('“Allow”')])
    expect(await page.getByRole('link', { name: 'Back' }).getAttribute('href')).toBe('/console')
    await page.goto(url)
    expect(await heading()).toBe('This link was used already or has expired')
    expect(await world.pack.connections.list(caller)).toEqual([])
  })

  it('replayed, expired, foreign-session and mixed-up answers are refused with what to do', async () => {
    await open()
    const first = await authorize()
    // The address the provider sends the browser to, with what it holds.
    let callback = ''
    page.on('request', (request) => {
      if (request.url().includes('/callback?')) callback = request.url()
    })
    await leave(first.url)
    await consent(page, 'Allow')
    await page.waitForURL(`${server.origin}/**`)
    expect(await page.locator('#state').innerText()).toBe('Connected and tested')
    await page.goto(callback)
    expect([await heading(), await todo()]).toEqual([
      'This link was used already or has expired',
      expect.stringContaining('choose “Connect” again'),
    ])

    // This browser has opened the link; the answer comes without it.
    const next = async () => {
      await leave((await authorize()).url)
      return (await decide(page.url(), 'allow')).href
    }
    const foreign = await next()
    const other = await browser.newContext()
    const stranger = await other.newPage()
    await stranger.goto(foreign)
    expect(await stranger.getByRole('heading', { level: 1 }).innerText()).toBe(
      'This link was opened in another browser',
    )
    expect(await stranger.locator('#todo').innerText()).toContain('close this window')
    await other.close()

    await page.goto(foreign.replace('/oauth/work-board/', '/oauth/anz-data/'))
    expect([await heading(), await todo()]).toEqual([
      'This response belongs to another request',
      expect.stringContaining('“Connect”'),
    ])
    await page.goto(`${server.origin}/v1/oauth/work-board/callback?oauth_token=x&oauth_verifier=y`)
    expect(await heading()).toBe('This link is incomplete')
    const late = await next()
    clock.advance(10 * 60_000)
    await page.goto(late)
    expect([await heading(), await todo()]).toEqual([
      'This link was used already or has expired',
      expect.stringContaining('new link'),
    ])
    expect(await world.pack.connections.list(caller)).toHaveLength(1)
  })

  it('another account is not taken for one that is reconnected', async () => {
    await open()
    const [first, second] = peopleOf(world)
    await leave((await authorize({ name: 'Team' })).url)
    await page.getByLabel('Signed in as').selectOption(first!.id)
    await consent(page, 'Allow')
    await page.waitForURL(`${server.origin}/**`)
    await leave((await authorize({ connection: 'Team' })).url)
    await page.getByLabel('Signed in as').selectOption(second!.id)
    await consent(page, 'Allow')
    await page.waitForURL(`${server.origin}/**`)
    expect(await heading()).toBe('This is a different account')
    expect(await page.getByRole('alert').innerText()).toContain(second!.fullName)
    expect(await todo()).toContain('Sign out at the provider')
    await picture(page, 'another-account', wantsPictures)
  })

  it('other sites can neither send its form nor show it in a frame', async () => {
    await open()
    const { url } = await authorize({ type: 'key-token' })
    await page.goto(url)
    const { key, token: good } = world.sandbox.board.credentials
    const evil = await startProvider((_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          `<iframe src="${url}"></iframe><form method="post" action="${url}"><input name="key" value="${key}"><input name="token" value="${good}"><button>Win</button></form>`,
        ),
    )
    await page.goto(evil.origin)
    const framed = page.frames().find((frame) => frame !== page.mainFrame())
    expect(await framed!.content()).not.toContain('Connect Work board')
    await page.getByRole('button', { name: 'Win' }).click()
    await page.waitForURL(url)
    expect(await heading()).toBe('This link was opened in another browser')
    expect(await world.pack.connections.list(caller)).toEqual([])
    await evil.close()
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !/frame/i.test(text)))
  })

  it('can be read in the dark and on a phone', async () => {
    await open()
    const phone = await browser.newContext({ viewport: { width: 375, height: 667 }, colorScheme: 'dark' })
    const shown = await phone.newPage()
    watch(shown)
    await shown.goto((await authorize({ type: 'key-token' })).url)
    expect(await shown.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await shown.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(17, 18, 22)')
    await phone.close()
  })
})
