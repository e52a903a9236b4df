import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../shared/store/index.ts'
import { run } from '../../store/make.ts'
import { chromium } from '../browser.ts'
import type { Browser, Page } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

const dayMs = 86_400_000
const store = createMemoryStore()
let server: Server
let browser: Browser
let view: Console

/** Runs of the last months: of each step on several days, some refused, some with credits. */
const recordRuns = async () => {
  const [board, other] = (await server.api('GET', 'connections')).body.items as { id: string; integration: string }[]
  const steps = [
    'create-card',
    'get-card',
    'get-boards',
    'get-list-cards',
    'update-card',
    'add-comment-to-card',
    'archive-card',
    'create-list',
  ]
  const noon = Math.floor(Date.now() / dayMs) * dayMs
  for (const [index, step] of steps.entries())
    for (let day = 0; day < 25; day += 1 + index)
      await store.runs.record(
        run('default', `${step}-${day}`, {
          step,
          connection: board!.id,
          calls: 9 - index,
          credits: 0,
          createdAt: noon - day * dayMs,
        }),
      )
  const lookup = { integration: 'anz-data', step: 'people-enrichment', connection: other!.id, calls: 2 }
  await store.runs.record(run('default', 'paid', { ...lookup, credits: 3, creditsEstimated: false, createdAt: noon }))
  await store.runs.record(run('default', 'guessed', { ...lookup, credits: 1.5, createdAt: noon - 60 * dayMs }))
  await store.runs.record(
    run('default', 'refused', {
      ...lookup,
      credits: 0,
      waitedMs: 61_000,
      refused: 2,
      state: 'failed',
      createdAt: noon - dayMs,
    }),
  )
}

/** Contrast of two colours as WCAG 2 has it. */
const contrast = (page: Page, selector: string, surface: string) =>
  page.evaluate(
    ([one, other]) => {
      const canvas = document.createElement('canvas').getContext('2d')!
      const luminance = (colour: string) => {
        canvas.fillStyle = colour
        canvas.fillRect(0, 0, 1, 1)
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((part) =>
          part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
        )
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
      }
      const base = luminance(getComputedStyle(document.querySelector(other!)!).backgroundColor)
      return [...document.querySelectorAll(one!)].map((element) => {
        const own = luminance(getComputedStyle(element).backgroundColor)
        return (Math.max(own, base) + 0.05) / (Math.min(own, base) + 0.05)
      })
    },
    [selector, surface],
  )

/** The heights of the bars in each colour of the legend, in pixels altogether. */
const drawn = (page: Page) =>
  page.evaluate(() => {
    const bars = [...document.querySelectorAll('.chart rect')]
    return [...document.querySelectorAll('.legend .mark')].map((mark) => {
      const colour = getComputedStyle(mark).backgroundColor
      const inColour = bars.filter((bar) => getComputedStyle(bar).fill === colour)
      return inColour.reduce((sum, bar) => sum + bar.getBoundingClientRect().height, 0)
    })
  })

describe.skipIf(chromium === undefined)('usage', () => {
  beforeAll(async () => {
    server = await openServer({ store, creditPrices: { 'anz-data': { amount: 0.25, currency: 'EUR' } } })
    browser = await launch()
    view = await openConsole(browser, server)
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
  })

  it('says what to do when there are no runs', async () => {
    await view.open('usage')
    await view.page.getByRole('heading', { name: 'No runs in the last 30 days' }).waitFor()
    await view.page.getByRole('link', { name: 'Choose a step to run' }).waitFor()
    expect(await lookAtAllViews(view.page)).toEqual([])
  })

  it('draws the requests of each day by step, and has the same figures as tables', async () => {
    await recordRuns()
    const { page, open } = view
    await open('usage')
    await page.locator('.chart rect').first().waitFor()
    expect(await page.getByRole('img').getAttribute('aria-label')).toMatch(/Requests to providers per day/)
    // Five steps and what is left of them.
    expect((await page.locator('.legend li').allInnerTexts()).map((text) => text.trim())).toEqual([
      expect.stringMatching(/Create Card/),
      ...Array.from({ length: 4 }, () => expect.any(String)),
      '4 others',
    ])
    const heights = await drawn(page)
    for (const pixels of heights) expect(pixels).toBeGreaterThan(10)
    // 225 requests of the first step, 104 of the second.
    expect(heights[0]! / heights[1]!).toBeCloseTo(225 / 104, 1)
    const sums = page.getByRole('region', { name: 'Usage by step' })
    expect(await sums.getByRole('row').nth(1).innerText()).toMatch(/^Create Card \(.+\)\s+25\s+0\s+225\s/)
    expect(await sums.getByRole('link', { name: /Create Card/ }).getAttribute('href')).toBe(
      '/console/runs?integration=work-board&step=create-card',
    )
    await page.getByText('Daily figures').click()
    const days = page.getByRole('region', { name: 'Requests to providers per day' })
    expect(await days.getByRole('row').count()).toBe(26)
    expect(await days.getByRole('row').nth(1).innerText()).toMatch(
      new RegExp(`^${new Date().toISOString().slice(0, 10)}\\s+9\\s`),
    )
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('marks estimated credits, and counts waits and refusals', async () => {
    const { page, open } = view
    await open('usage')
    await page.getByLabel('Time').selectOption('90')
    await page.getByLabel('By', { exact: true }).selectOption('integration')
    await page.getByLabel('In the chart').selectOption('credits')
    await expect
      .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
      .toEqual({ days: '90', by: 'integration', of: 'credits' })
    const row = page.getByRole('region', { name: 'Usage by integration' }).getByRole('row').nth(1)
    await expect.poll(() => row.innerText()).toMatch(/\s3\s+1\s+6\s+4\.5 \(1\.5 estimated\)\s+1 min\s+2$/)
    await page.reload()
    await expect.poll(() => row.innerText()).toMatch(/4\.5 \(1\.5 estimated\)/)
    await page.getByLabel('In the chart').selectOption('refused')
    await expect.poll(() => page.locator('.legend li').count()).toBe(1)
    await page.getByLabel('Time').selectOption('7')
    await expect.poll(() => row.innerText()).toMatch(/\s2\s+1\s+4\s+3\s+1 min\s+2$/)
    await page.getByLabel('By', { exact: true }).selectOption('connection')
    await page.getByRole('region', { name: 'Usage by connection' }).getByRole('link').first().waitFor()
    await page.getByLabel('In the chart').selectOption('failed')
    await open('usage?days=365&of=waitedMs')
    await page.locator('.chart rect').first().waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('has budgets that are made, changed and removed by names', async () => {
    const { page, open } = view
    const dialog = page.getByRole('dialog')
    const budgets = page.getByRole('list', { name: 'Budgets' }).locator(':scope > li')
    await open('usage')
    await page.getByRole('button', { name: 'Make a budget' }).click()
    await dialog.getByLabel('Credits').fill('100')
    expect(await lookAtAllViews(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Make the budget' }).click()
    await expect.poll(() => budgets.first().innerText()).toMatch(/All runs together: at most 100 credits a month/)
    await page.getByRole('button', { name: 'Make a budget' }).click()
    await dialog.getByLabel('Credits').fill('5')
    await dialog.getByLabel('For each').selectOption({ label: 'Day' })
    await dialog.getByLabel('Counts').selectOption({ label: 'Runs with one connection' })
    await dialog.getByLabel('Connection', { exact: true }).selectOption({ label: 'Sandbox board' })
    await dialog.getByRole('button', { name: 'Make the budget' }).click()
    await expect.poll(() => budgets.nth(1).innerText()).toMatch(/Runs with “Sandbox board”: at most 5 credits a day/)
    expect(await page.locator('main').innerText()).not.toMatch(/con_|bud_/)
    expect(await lookAtAllViews(page)).toEqual([])
    await budgets.nth(1).getByRole('button', { name: 'Change' }).click()
    await dialog.getByLabel('Credits').fill('7')
    await dialog.getByRole('button', { name: 'Save the budget' }).click()
    await expect.poll(() => budgets.nth(1).innerText()).toMatch(/at most 7 credits a day/)
    await budgets.nth(1).getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => budgets.count()).toBe(1)
    expect((await server.api('GET', 'budgets')).body.items).toMatchObject([
      { scope: 'tenant', credits: 100, period: 'month', timeZone: 'Australia/Sydney' },
    ])
  })

  it('says what the month has cost by step, connection and person, in money too, and saves it as CSV', async () => {
    const { page, open } = view
    await server.api('POST', 'steps/anz-data/company-enrichment/run', {
      input: { domain: 'quandong-robotics.example' },
    })
    await open('usage')
    const table = (by: string) => page.getByRole('region', { name: `Spent by ${by}` }).locator('tbody tr')
    const row = (by: string, name: RegExp) => table(by).filter({ hasText: name }).first()
    await expect.poll(() => row('step', /^Company Enrichment/).innerText()).toMatch(/\s\d+\s+\d.*€|EUR/s)
    await page.getByLabel('Spent by', { exact: true }).selectOption('connection')
    await expect.poll(() => row('connection', /^Sandbox/).innerText()).toMatch(/\s\d+\s+\d/)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ])
    expect(readFileSync((await download.path())!, 'utf8')).toMatch(/Sandbox/)
    await page.getByLabel('Spent by', { exact: true }).selectOption('person')
    await expect.poll(() => row('person', /^Nobody in particular/).count()).toBe(1)
    await page.locator('summary', { hasText: 'Credits by token' }).click()
    await page.getByRole('region', { name: 'Credits by token' }).getByText('Test', { exact: true }).waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/con_|tok_/)
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('draws with enough contrast in light and dark, in the colours of either', async () => {
    const { page, open } = view
    await open('usage')
    await page.locator('.chart rect').first().waitFor()
    const colours: string[] = []
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const ratio of await contrast(page, '.legend .mark', '.panel')) expect(ratio).toBeGreaterThanOrEqual(3)
      // In the other colours as soon as the scheme changes.
      await expect.poll(async () => Math.min(...(await drawn(page)))).toBeGreaterThan(10)
      colours.push(
        await page
          .locator('.legend .mark')
          .first()
          .evaluate((mark) => getComputedStyle(mark).backgroundColor),
      )
    }
    expect(colours[0]).not.toBe(colours[1])
  })
})
