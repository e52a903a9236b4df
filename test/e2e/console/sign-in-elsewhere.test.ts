/** Signing in to the console at an OpenID provider, and at the console for another page of the server. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { clientOf, startOpenIdProvider } from '../../login/openid-provider.ts'
import { chromium } from '../browser.ts'
import type { Browser, BrowserContext, Page } from '../browser.ts'
import { axe, launch, openServer } from './setup.ts'
import type { Server } from './setup.ts'

describe.skipIf(!chromium)('signing in', () => {
  let provider: Awaited<ReturnType<typeof startOpenIdProvider>>
  let [server, bare]: (Server | undefined)[] = []
  let browser: Browser
  let context: BrowserContext
  let page: Page
  beforeAll(async () => {
    provider = await startOpenIdProvider()
    const login = {
      issuer: provider.origin,
      name: 'Example & Co',
      ...clientOf,
      domains: ['example.org'],
      firstUse: { people: true },
    }
    ;[browser, server, bare] = await Promise.all([
      launch(),
      openServer({ connect: false, login, egress: { ownOrigins: [provider.origin] } }),
      openServer({ connect: false }),
    ])
  })
  afterAll(async () => {
    await browser.close()
    await Promise.all([server?.close(), bare?.close(), provider.close()])
  })
  const open = async (url: string) => {
    context = await browser.newContext()
    page = await context.newPage()
    await page.goto(url)
  }
  afterEach(() => context?.close())
  const button = () => page.getByRole('link', { name: 'Sign in with Example & Co' })

  it('at the provider leads back to the page that was open, and out again by signing out', async () => {
    await open(`${server!.origin}/console/runs?state=failed`)
    await button().waitFor()
    expect(await axe(page)).toEqual([])
    await button().click()
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor()
    expect(page.url()).toBe(`${server!.origin}/console/runs?state=failed`)
    await page.locator('details.who summary').click()
    expect(await page.locator('details.who').textContent()).toContain('Sign-in of ada-1')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await button().waitFor()
  })

  it('refused, shows a page that says so and leads to the other ways', async () => {
    provider.behaviour.claims['email_verified'] = false
    await open(`${server!.origin}/console/`)
    await button().click()
    await page.getByRole('heading', { level: 1, name: 'Your account may not sign in here' }).waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(await axe(page)).toEqual([])
    provider.behaviour.claims['email_verified'] = true
    await page.getByRole('link', { name: 'Other ways to sign in' }).click()
    await button().waitFor()
  })

  it('without a provider, a page that needs somebody signed in is come back to by a pasted token', async () => {
    const next = '/livez?from=sign-in'
    await open(`${bare!.origin}/login?next=${encodeURIComponent(next)}`)
    expect(await button().count()).toBe(0)
    await page.getByLabel('Or paste an API token').fill(bare!.token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(bare!.origin + next)
    // Signed in already: the person decides, so that two pages cannot send the browser around for ever.
    await page.goto(`${bare!.origin}/login?next=${encodeURIComponent(next)}`)
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.waitForURL(bare!.origin + next)
  })
})
