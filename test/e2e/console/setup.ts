/** The console on a server with the sandbox, in this process, and a browser signed in to it. */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { buildConsole } from '../../../scripts/console.ts'
import { allScopes } from '../../../shared/api/rules.ts'
import { createHttp } from '../../../shared/faces/http/index.ts'
import { createPack } from '../../../shared/pack.ts'
import type { Pack, PackOptions } from '../../../shared/pack.ts'
import { startSandbox } from '../../../shared/sandbox/index.ts'
import { launch, requireBrowser } from '../browser.ts'
import type { Browser, BrowserContext, Page } from '../browser.ts'

const tenant = { tenant: 'default' }
const axeSource = readFileSync(
  fileURLToPath(new URL('../../tools/node_modules/axe-core/axe.min.js', import.meta.url)),
  'utf8',
)

requireBrowser()

export type View = { dark?: boolean; width?: number; height?: number; zoom?: number }
type Violation = { id: string; nodes: { target: unknown; failureSummary?: string }[] }

let built: ReturnType<typeof buildConsole> | undefined

/** What a real board allows per ten seconds would only make the tests wait. */
const plentiful = { limits: { token: 100_000, key: 100_000, memberRoute: 100_000 } }

type Sandbox = Awaited<ReturnType<typeof startSandbox>>
/** `over`: wire overrides beside those of the sandbox. */
type ServerOptions = PackOptions & {
  connect?: boolean
  /** Stands between the pack and its server. */
  change?(pack: Pack): Pack
  over?: (sandbox: Sandbox) => NonNullable<PackOptions['wire']>
}

/** A served pack with the sandbox, its accounts connected as `npm start` does. */
export const openServer = async ({ connect = true, change = (pack) => pack, over, ...options }: ServerOptions = {}) => {
  const sandbox = await startSandbox({ board: plentiful })
  const pack = await createPack({
    wire: { ...sandbox.wire, ...over?.(sandbox) },
    ...options,
    egress: { loopbackAgents: true, ownOrigins: sandbox.places.map(({ origin }) => origin), ...options.egress },
  })
  for (const { integration, app, ...given } of sandbox.accounts) {
    if (app) await pack.apps.put(tenant, integration, app)
    if (connect) await pack.connections.create(tenant, { integration, ...given, externalId: 'sandbox' })
  }
  built ??= buildConsole()
  const http = await createHttp({
    pack: change(pack),
    version: '0.0.0',
    console: async () => (await built!).files,
    sandbox: { places: sandbox.places, agent: sandbox.agent.url },
  })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const origin = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`
  pack.servedAt(origin)
  await pack.start()
  const { text: token } = await pack.tokens.create('default', { name: 'Test', scopes: [...allScopes] })
  return {
    sandbox,
    pack,
    origin,
    token,
    /** A request to the API with the token. */
    async api(method: string, path: string, body?: unknown) {
      const reply = await fetch(`${origin}/v1/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: reply.status, body: (reply.status === 204 ? undefined : await reply.json()) as any }
    },
    async close() {
      await http.close()
      await pack.close()
      await sandbox.close()
    },
  }
}
export type Server = Awaited<ReturnType<typeof openServer>>

/** A browser context signed in by a one-time link, and what its pages complained about. */
export const openConsole = async (
  browser: Browser,
  server: Server,
  { dark = false, width = 1280, height = 900, zoom = 1 }: View = {},
) => {
  const context: BrowserContext = await browser.newContext({
    viewport: { width: Math.round(width / zoom), height: Math.round(height / zoom) },
    deviceScaleFactor: zoom,
    colorScheme: dark ? 'dark' : 'light',
    // What moves is not yet where, or as visible, as a test expects it.
    reducedMotion: 'reduce',
    locale: 'en-AU',
    timezoneId: 'Australia/Sydney',
  })
  const complaints: string[] = []
  // Every breach of the content security policy, whatever the console says of it.
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) =>
      console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    )
  })
  const page: Page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of [45]\d\d|ERR_CONNECTION|ERR_INCOMPLETE/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('pageerror', (error) => void complaints.push(String(error)))
  const { body } = await server.api('POST', 'sign-in-codes')
  await page.goto(body.url as string)
  // On narrow screens the navigation is behind a button.
  await page.getByRole('link', { name: 'toolyard', exact: true }).waitFor()
  return {
    context,
    page,
    complaints,
    /** Opens a page of the console, such as `steps`. */
    async open(path: string) {
      await page.goto(`${server.origin}/console/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
    close: () => context.close(),
  }
}
export type Console = Awaited<ReturnType<typeof openConsole>>

/**
 * In the page: what waits for the next frame, or for the 35 ms that Preact waits without any, runs this much later, in
 * ms. So does an effect that runs too late for a fast hand.
 */
export const delayFrames = (ms: number) => {
  const [timeout, frame] = [globalThis.setTimeout, globalThis.requestAnimationFrame]
  globalThis.requestAnimationFrame = (work) => timeout(() => frame(work), ms) as unknown as number
  globalThis.setTimeout = ((work: () => void, after?: number) => timeout(work, after === 35 ? ms : after)) as never
}

/** What axe finds against WCAG 2.2 AA on the page as it is now: a line for each place. */
export const axe = async (page: Page): Promise<string[]> => {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource)
  const violations = await page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    return (
      (await (globalThis as any).axe.run(document, { runOnly: { type: 'tag', values: tags } })) as {
        violations: Violation[]
      }
    ).violations
  })
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${JSON.stringify(target)} ${failureSummary ?? ''}`),
  )
}

/** Elements that stick out of the viewport sideways, other than inside what scrolls by itself. */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const width = document.documentElement.clientWidth
    const scrolls = (element: Element | null): boolean =>
      element !== null &&
      element !== document.body &&
      (/auto|scroll|hidden/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
    return [...document.body.querySelectorAll('*')]
      .filter((element) => {
        const box = element.getBoundingClientRect()
        return (
          box.width > 0 &&
          box.right > width + 1 &&
          !element.closest('.hidden, .skip') &&
          !scrolls(element.parentElement)
        )
      })
      .map((element) => `${element.tagName} ${element.className} ${element.textContent?.slice(0, 40)}`)
  })

/**
 * The same page in light and dark, wide, at 360 px, and as wide as it is at 200 % zoom: nothing that axe finds, nothing
 * cut off.
 */
export const lookAtAllViews = async (page: Page): Promise<string[]> => {
  const positionalWords: string[] = []
  const before = page.viewportSize()!
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [before.width, 360]) {
      await page.setViewportSize({ width, height: before.height })
      // Where the page is scrolled to depends on when its parts came; the head of a narrow page covers what is there.
      await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
      const all = [...(await axe(page)), ...(await cutOff(page)).map((text) => `cut off: ${text}`)]
      positionalWords.push(...all.map((text) => `${colorScheme} ${width}: ${text}`))
    }
  }
  await page.setViewportSize({ width: Math.round(before.width / 2), height: Math.round(before.height / 2) })
  positionalWords.push(...(await cutOff(page)).map((text) => `200 %: cut off: ${text}`))
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(before)
  return positionalWords
}

/** How far, in px, a list or the page around it scrolls sideways at 360 px. */
export const sidewaysAt360 = async (page: Page, name: string): Promise<number> => {
  const before = page.viewportSize()!
  await page.setViewportSize({ width: 360, height: before.height })
  const px = await page.getByRole('region', { name }).evaluate((region) => {
    const { scrollWidth, clientWidth } = document.documentElement
    return Math.max(region.scrollWidth - region.clientWidth, scrollWidth - clientWidth)
  })
  await page.setViewportSize(before)
  return px
}

export { launch }
