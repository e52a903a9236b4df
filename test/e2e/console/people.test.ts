/** The end users of the platform, as the console lists them and shows one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer, sidewaysAt360 } from './setup.ts'
import type { Console, Server } from './setup.ts'

const hostile = 'Bo <img src=x onerror=alert(1)>'

describe.skipIf(chromium === undefined)('people', () => {
  let server: Server
  let browser: Browser
  let view: Console
  beforeAll(async () => {
    server = await openServer()
    browser = await launch()
    view = await openConsole(browser, server)
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
  })

  const enrich = (person: string) =>
    server.api('POST', 'steps/anz-data/company-enrichment/run', {
      person,
      input: { domain: 'quandong-robotics.example' },
    })
  const main = () => view.page.locator('main').innerText()

  it('says who they are when there is nobody', async () => {
    await view.open('people')
    await view.page.getByRole('heading', { name: 'Nobody has been named yet' }).waitFor()
    expect(await lookAtAllViews(view.page)).toEqual([])
  })

  it('lists them with what they have, and shows what one spent this month, one click further', async () => {
    const { page, open } = view
    expect((await enrich('mara')).status).toBe(200)
    await server.api('POST', 'budgets', { scope: 'person', subject: hostile, credits: 3, period: 'week' })
    await server.api('POST', 'steps/work-board/get-boards/run', { person: hostile, input: {} })
    await open('people')
    const row = (name: string) =>
      page.getByRole('region', { name: 'People' }).locator('tbody tr').filter({ hasText: name })
    await expect.poll(() => row('mara').innerText()).toMatch(/^mara\s+none of their own\s+none\s+1\s+\d/)
    await expect.poll(() => row(hostile).innerText()).toContain('at most 3 credits a week')
    expect(await lookAtAllViews(page)).toEqual([])
    expect(await sidewaysAt360(page, 'People')).toBe(0)
    await row('mara').getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'mara' }).waitFor()
    await page.getByRole('heading', { name: /^Use in / }).waitFor()
    await page.getByText('No budget limits what they spend.').waitFor()
    await expect.poll(main).toMatch(/1 run: \d.* credits? (was|were) spent/)
    await expect.poll(main).toMatch(/Company Enrichment \(.+\)\s+1\s+\d/)
    expect(await main()).not.toMatch(/con_|bud_|run_/)
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('limits what one may spend', async () => {
    const { page, open } = view
    await open('people/mara')
    await page.getByRole('button', { name: 'Make a budget' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Person', { exact: true }).inputValue()).toBe('mara')
    await dialog.getByLabel('Credits').fill('0')
    await dialog.getByRole('button', { name: 'Make the budget' }).click()
    await page.getByRole('list', { name: 'Budgets' }).getByText('Runs for mara').waitFor()
    expect(
      (
        await server.api('POST', 'steps/anz-data/company-enrichment/run', {
          person: 'mara',
          input: { domain: 'wattle.example' },
        })
      ).body.code,
    ).toBe('budget_exceeded')
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('shows a person whose name looks like markup as text', async () => {
    await view.open(`people/${encodeURIComponent(hostile)}`)
    await expect.poll(() => view.page.getByRole('heading', { level: 1 }).innerText()).toBe(hostile)
    expect(await lookAtAllViews(view.page)).toEqual([])
  })
})
