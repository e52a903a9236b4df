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

/** How many pixels of the chart have each colour of the legend. */
const drawn = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.chart canvas')!
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
    return [...document.querySelectorAll('.legend .mark')].map((mark) => {
      const [r, g, b] = getComputedStyle(mark).backgroundColor.match(/\d+/g)!.map(Number)
      let pixels = 0
      for (let at = 0; at < data.length; at += 4)
        if (data[at] === r && data[at + 1] === g && data[at + 2] === b) pixels += 1
      return pixels
    })
  })

describe.skipIf(chromium === undefined)('usage', () => {
  beforeAll(async () => {
    server = await openServer({ store })
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
    await page.locator('.chart canvas').waitFor()
    expect(await page.getByRole('img').getAttribute('aria-label')).toMatch(/Requests to providers per day/)
    // Five steps and what is left of them.
    expect((await page.locator('.legend li').allInnerTexts()).map((text) => text.trim())).toEqual([
      expect.stringMatching(/Create Card/),
      ...Array.from({ length: 4 }, () => expect.any(String)),
      '4 others',
    ])
    for (const pixels of await drawn(page)) expect(pixels).toBeGreaterThan(50)
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
    await page.locator('.chart canvas').waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
  })

  it('draws with enough contrast in light and dark, in the colours of either', async () => {
    const { page, open } = view
    await open('usage')
    await page.locator('.chart canvas').waitFor()
    const colours: string[] = []
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const ratio of await contrast(page, '.legend .mark', '.panel')) expect(ratio).toBeGreaterThanOrEqual(3)
      // Drawn again when the scheme changes while the page is open.
      await expect.poll(async () => Math.min(...(await drawn(page)))).toBeGreaterThan(50)
      colours.push(
        await page
          .locator('.legend .mark')
          .first()
          .evaluate((mark) => getComputedStyle(mark).backgroundColor),
      )
    }
    expect(colours[0]).not.toBe(colours[1])
  })

  it('loads the chart only where one is drawn', async () => {
    const { page } = view
    const hasChart = async (path: string) => {
      await page.goto('about:blank')
      await view.open(path)
      await page.waitForLoadState('networkidle')
      return page.evaluate(async () => {
        const scripts = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'))
        const texts = await Promise.all(scripts.map(async ({ name }) => (await fetch(name)).text()))
        return texts.some((text) => text.includes('u-wrap'))
      })
    }
    expect([await hasChart('runs'), await hasChart('usage')]).toEqual([false, true])
  })
})
