/** `toolyard-connect.js` on pages of a platform, in Chromium. */
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { HttpApp } from '../../shared/faces/http/parts.ts'
import { caller } from '../support/world.ts'
import { openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'
import type { ConnectOptions, ConnectOutcome } from '../../shared/faces/http/connect/toolyard-connect.d.ts'
import { chromium, launch, requireBrowser } from './browser.ts'
import type { Browser, BrowserContext, Page } from './browser.ts'

requireBrowser()

type Platform = {
  go: (link: string, options?: ConnectOptions) => void
  outcome?: ConnectOutcome
  stop?: AbortController
}

let browser: Browser
let world: OAuthWorld
let http: HttpApp
let port: number
let context: BrowserContext
const servers: Server[] = []

/** A page of a platform, which gets the script from the server. */
const servePlatform = async () => {
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><div id="place" style="height:600px"></div>
      <script type="module">
        import { connect } from 'http://127.0.0.1:${port}/connect/assets/toolyard-connect.js'
        window.go = (link, options) => void connect(link, options).then((outcome) => (window.outcome = outcome))
      </script>`)
  })
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const openPlatform = async (origin: string) => {
  const page = await context.newPage()
  await page.goto(origin)
  await page.waitForFunction(() => 'go' in window)
  return page
}
/** `host`: with another name than the platform's, the server is another site. */
const linkFor = async (request: object, host = 'localhost') => {
  world.pack.servedAt(`http://${host}:${port}`)
  return (await world.pack.connections.authorize(caller, { ...request, person: 'person-3' })).url
}
const dataKey = { integration: 'anz-data', type: 'api-key' }
const inWindow = async (page: Page, link: string) => {
  const [shown] = await Promise.all([
    context.waitForEvent('page'),
    page.evaluate((url) => (window as unknown as Platform).go(url), link),
  ])
  await shown.waitForLoadState()
  return shown
}
const outcomeOf = async (page: Page) =>
  (await page.waitForFunction(() => (window as unknown as Platform).outcome)).jsonValue()
const enterKey = async (shown: Pick<Page, 'getByLabel' | 'getByRole'>) => {
  await shown.getByLabel('API key').fill(world.sandbox.anz.credentials.apiKey)
  await shown.getByRole('button', { name: 'Connect' }).click()
}
const connectionsOf = async () => (await world.pack.connections.list(caller)).filter(({ person }) => person !== null)

describe.skipIf(!chromium)('connecting within the page of a platform', () => {
  let allowed: string
  let foreign: string
  beforeAll(async () => void (browser = await launch()))
  afterAll(() => browser?.close())
  beforeEach(async () => {
    const spare = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => spare.once('listening', resolve))
    port = (spare.address() as AddressInfo).port
    await new Promise((resolve) => spare.close(resolve))
    allowed = await servePlatform()
    foreign = await servePlatform()
    world = await openOAuthWorld({ isServed: true })
    http = await createHttp({ pack: world.pack, version: '0.0.0', log: world.log, embedOrigins: [allowed] })
    await http.listen({ host: '127.0.0.1', port })
    context = await browser.newContext()
  })
  afterEach(async () => {
    await context.close()
    await http.close()
    await world.close()
    for (const server of servers.splice(0)) server.close()
  })

  it('in a window: by a key, at the provider, denied there, and closed', async () => {
    const page = await openPlatform(allowed)
    const shown = await inWindow(page, await linkFor(dataKey))
    const closed = shown.waitForEvent('close')
    await enterKey(shown)
    const outcome = await outcomeOf(page)
    const [{ id } = { id: '' }] = await connectionsOf()
    expect(outcome).toEqual({ result: 'connected', connection: id })
    await closed
    for (const [choice, expected] of [
      ['Deny', { result: 'cancelled', reason: 'denied' }],
      ['Allow', { result: 'connected', connection: expect.stringMatching(/^con_/) }],
    ] as const) {
      await page.reload()
      await page.waitForFunction(() => 'go' in window)
      const away = await inWindow(page, await linkFor({ integration: 'work-board', type: 'oauth' }))
      await away.getByRole('button', { name: 'Continue to Work board' }).click()
      await away.getByRole('button', { name: choice }).click()
      expect(await outcomeOf(page)).toEqual(expected)
    }
    await page.reload()
    await page.waitForFunction(() => 'go' in window)
    const left = await inWindow(page, await linkFor(dataKey))
    // What the page itself, or another window, says does not count.
    await page.evaluate(() => postMessage({ toolyard: 'connect', result: 'connected', connection: 'con_made_up' }))
    await left.close()
    expect(await outcomeOf(page)).toEqual({ result: 'cancelled', reason: 'closed' })
  })

  it('in a frame of an origin that is listed', async () => {
    const page = await openPlatform(allowed)
    await page.evaluate(
      (url) => (window as unknown as Platform).go(url, { frame: document.querySelector('#place')! }),
      await linkFor(dataKey, '127.0.0.1'),
    )
    await enterKey(page.frameLocator('iframe') as unknown as Page)
    const outcome = await outcomeOf(page)
    expect(outcome).toEqual({ result: 'connected', connection: (await connectionsOf())[0]?.id })
    expect(await page.locator('iframe').count()).toBe(0)
    await page.evaluate(
      (url) => {
        const stop = new AbortController()
        Object.assign(window, { outcome: undefined, stop })
        ;(window as unknown as Platform).go(url, { frame: document.body, signal: stop.signal })
      },
      await linkFor(dataKey, '127.0.0.1'),
    )
    await page.frameLocator('iframe').getByLabel('API key').waitFor()
    await page.evaluate(() => (window as unknown as Platform).stop!.abort())
    expect(await outcomeOf(page)).toEqual({ result: 'cancelled', reason: 'closed' })
  })

  it('shows nothing in a frame of another origin, and tells its window nothing', async () => {
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(foreign)
    await page.waitForFunction(() => 'go' in window)
    const refusal = page.waitForEvent('console', { predicate: (message) => message.text().includes('frame-ancestors') })
    await page.evaluate(
      (url) => (window as unknown as Platform).go(url, { frame: document.querySelector('#place')! }),
      await linkFor(dataKey, '127.0.0.1'),
    )
    await refusal
    expect(await page.frameLocator('iframe').getByLabel('API key').count()).toBe(0)
    await page.clock.fastForward(15_000)
    expect(await outcomeOf(page)).toEqual({ result: 'failed', reason: 'not-shown' })

    const other = await openPlatform(foreign)
    const shown = await inWindow(other, await linkFor(dataKey))
    await enterKey(shown)
    await shown.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(async () => (await connectionsOf()).length).toBe(1)
    await shown.close()
    expect(await outcomeOf(other)).toEqual({ result: 'cancelled', reason: 'closed' })
  })
})
