/** Signing in to the console and out of it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chromium } from '../browser.ts'
import type { Browser, BrowserContext, Page } from '../browser.ts'
import { axe, launch, openConsole, openServer } from './setup.ts'
import type { Server } from './setup.ts'

let ahead = 0
const clock = {
  now: () => Date.now() + ahead,
  monotonic: () => performance.now(),
  sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
}

/** Another program on this machine, whose pages are of the same site. */
const serveElsewhere = async () => {
  const other = createServer(
    (_, reply) => void reply.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Elsewhere</h1>'),
  )
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
  return {
    origin: `http://127.0.0.1:${(other.address() as AddressInfo).port}`,
    close: () => new Promise((done) => other.close(done).closeAllConnections()),
  }
}

describe.skipIf(!chromium)('signing in', () => {
  let server: Server
  let browser: Browser
  let elsewhere: Awaited<ReturnType<typeof serveElsewhere>>
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    ;[server, browser, elsewhere] = await Promise.all([
      openServer({ clock, connect: false }),
      launch(),
      serveElsewhere(),
    ])
  })
  afterAll(async () => {
    await browser.close()
    await elsewhere.close()
    await server.close()
  })
  const open = async (url: string) => {
    context = await browser.newContext()
    page = await context.newPage()
    await page.goto(url)
    return page
  }
  afterEach(() => context?.close())

  const link = async () => (await server.api('POST', 'sign-in-codes')).body.url as string
  const navigation = () => page.getByRole('navigation', { name: 'Main' })
  const signInPage = () => page.getByRole('heading', { level: 1, name: 'Sign in' })

  it('a link works once, and leaves its code neither in the address nor in the history', async () => {
    const url = await link()
    await open(url)
    await navigation().waitFor()
    expect(page.url()).toBe(`${server.origin}/console/`)
    // Nothing that opens the API is where scripts of a page could find it later.
    const stored = await page.evaluate(() =>
      JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML]),
    )
    expect(stored).not.toMatch(/ty[cs]_/)
    await page.reload()
    await navigation().waitFor()
    await context.close()
    await open(url)
    await signInPage().waitFor()
    const problem = page.getByRole('alert')
    expect(await problem.textContent()).toMatch(/already used.*toolyard console/)
    expect(page.url()).toBe(`${server.origin}/console/`)
  })

  it('the link of somebody else does not take the place of a session unasked', async () => {
    await server.pack.tenants.create({ id: 'stranger', name: 'Stranger' })
    const { text } = await server.pack.tokens.create('stranger', { name: 'Lure', scopes: ['read', 'connections'] })
    const lure = async () => {
      const reply = await fetch(`${server.origin}/v1/sign-in-codes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${text}` },
      })
      return ((await reply.json()) as { url: string }).url
    }
    const tenant = async () =>
      page.evaluate(async () => ((await (await fetch('/v1/session')).json()) as { tenant: { id: string } }).tenant.id)
    await open(await link())
    await navigation().waitFor()
    await page.goto('about:blank')
    await page.goto(await lure())
    await page.getByRole('heading', { level: 1, name: 'Sign in again?' }).waitFor()
    expect(page.url()).toBe(`${server.origin}/console/`)
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Stay signed in' }).click()
    await navigation().waitFor()
    expect(await tenant()).toBe('default')
    // In a tab that shows the console already, only the fragment changes.
    await page.goto(await lure())
    await page.getByRole('heading', { level: 1, name: 'Sign in again?' }).waitFor()
    expect(page.url()).toBe(`${server.origin}/console/`)
    await page.getByRole('button', { name: 'Use the link' }).click()
    await navigation().waitFor()
    await page.getByText('Stranger', { exact: true }).waitFor()
    expect(await tenant()).toBe('stranger')
  })

  it('an expired link says what to do', async () => {
    const url = await link()
    ahead += 601_000
    await open(url)
    await signInPage().waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('Get a new link with "toolyard console"')
    expect(await axe(page)).toEqual([])
  })

  it('a pasted token signs in; a wrong one is refused and leaves the field empty', async () => {
    await open(`${server.origin}/console/runs`)
    await signInPage().waitFor()
    const field = page.getByLabel('Or paste an API token')
    await field.fill('ty_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').textContent()).toContain('token is missing, unknown, expired or revoked')
    expect(await field.inputValue()).toBe('')
    await field.fill(server.token)
    await field.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    expect(page.url()).toBe(`${server.origin}/console/runs`)
    expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(server.token)
  })

  it('signing out ends the session, in this browser and for whoever kept the cookie', async () => {
    await open(await link())
    await navigation().waitFor()
    const cookies = await context.cookies(`${server.origin}/v1/session`)
    expect(cookies).toEqual([
      expect.objectContaining({
        httpOnly: true,
        sameSite: 'Lax',
        path: '/v1',
        name: `toolyard_session_${new URL(server.origin).port}`,
      }),
    ])
    await page.getByText('Default', { exact: true }).click()
    await page.evaluate(() => Object.assign(globalThis, { kept: 'what was read' }))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signInPage().waitFor()
    // A new page: nothing that was read is in its memory.
    await expect.poll(() => page.evaluate(() => 'kept' in globalThis)).toBe(false)
    expect(await context.cookies(`${server.origin}/v1/session`)).toEqual([])
    const kept = await fetch(`${server.origin}/v1/session`, {
      headers: { cookie: `${cookies[0]!.name}=${cookies[0]!.value}` },
    })
    expect(kept.status).toBe(401)
    await page.goBack().catch(() => null)
    await page.goto(`${server.origin}/console/runs`)
    await signInPage().waitFor()
  })

  it('an address that needs a new sign-in goes on where it leads', async () => {
    const { text, token } = await server.pack.tokens.create('default', { name: 'Brief', scopes: ['read', 'run'] })
    await open(`${server.origin}/console/`)
    await page.getByLabel('Or paste an API token').fill(text)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await navigation().waitFor()
    await server.pack.tokens.revoke('default', token.id)
    await page.goto(`${server.origin}/console/usage?by=step`)
    await signInPage().waitFor()
    await page.getByLabel('Or paste an API token').fill(server.token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
    expect(page.url()).toBe(`${server.origin}/console/usage?by=step`)
  })

  it('shows nothing of the operator to a token without the scope admin', async () => {
    const { text } = await server.pack.tokens.create('default', { name: 'Builder', scopes: ['read', 'run'] })
    await open(`${server.origin}/console/operator/tokens`)
    await page.getByLabel('Or paste an API token').fill(text)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Operator' }).waitFor()
    expect(await navigation().getByRole('link', { name: 'Operator' }).count()).toBe(0)
    expect(await page.getByRole('main').textContent()).toContain('scope “admin”')
  })

  it('another site can neither use the session nor sign somebody in', async () => {
    const view = await openConsole(browser, server)
    context = view.context
    const { port } = new URL(server.origin)
    // The same host at another port is the same site to a browser, which then sends the cookie.
    const foreign = await view.context.newPage()
    await foreign.goto(elsewhere.origin)
    const statuses = await foreign.evaluate(
      async ([origin, token]) => {
        const ask = (path: string, init: RequestInit) =>
          fetch(`${origin}/v1/${path}`, { credentials: 'include', ...init }).then(
            ({ status, type }) => [status, type],
            () => 'blocked',
          )
        return [
          await ask('session', {}),
          await ask('session', { mode: 'no-cors' }),
          await ask('session', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ token }),
          }),
          await ask('admin/tenants', {
            method: 'POST',
            mode: 'no-cors',
            body: JSON.stringify({ id: 'evil', name: 'Evil' }),
          }),
        ]
      },
      [server.origin, server.token],
    )
    expect(statuses).toEqual(['blocked', [0, 'opaque'], 'blocked', [0, 'opaque']])
    expect(port).not.toBe('')
    expect((await server.api('GET', 'admin/tenants')).body.items.map(({ id }: { id: string }) => id)).not.toContain(
      'evil',
    )
  })
})
