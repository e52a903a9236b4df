/** The frame: navigation at the side, in one row on a phone, and the palette that goes anywhere. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { cutOff, delayFrames, launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

const phone = { width: 360, height: 740 }
const wide = { width: 1280, height: 900 }

describe.skipIf(chromium === undefined)('the frame around the pages', () => {
  let server: Server
  let browser: Browser
  let view: Console

  beforeAll(async () => {
    server = await openServer()
    browser = await launch()
    view = await openConsole(browser, server)
    const { boards } = (await server.api('POST', 'steps/work-board/get-boards/run', { input: { lists: 'open' } })).body
      .output
    const [{ lists }] = boards
    await server.api('POST', 'subscriptions', {
      integration: 'work-board',
      trigger: 'new-card',
      config: { boards: [boards[0].id] },
      agent: { url: server.sandbox.agent.url },
      options: { ownEvents: true },
    })
    await server.api('POST', 'steps/work-board/create-card/run', {
      input: { idList: lists[0].id, name: 'Call the printer' },
    })
    await vi.waitFor(async () => expect((await server.api('GET', 'events')).body.items.length).toBeGreaterThan(0), {
      timeout: 30_000,
      interval: 100,
    })
  })
  afterAll(async () => {
    await view.close()
    await browser.close()
    await server.close()
  })
  afterEach(() => expect(view.complaints).toEqual([]))

  const navigation = () => view.page.getByRole('navigation', { name: 'Main' })
  const palette = () => view.page.getByRole('dialog', { name: 'Go to' })
  const options = () => palette().getByRole('option')
  const heading = (name: string) => view.page.getByRole('heading', { level: 1, name, exact: true })

  it('names the pages in groups and marks the one that is shown', async () => {
    await view.page.setViewportSize(wide)
    await view.open('steps/work-board/create-card')
    for (const group of ['Build', 'Watch', 'Account', 'Operate'])
      await navigation().getByRole('list', { name: group }).waitFor()
    const current = navigation().locator('[aria-current="page"]')
    expect(await current.allInnerTexts()).toEqual(['Steps'])
    await navigation().getByRole('link', { name: 'Runs' }).click()
    await heading('Runs').waitFor()
    expect(await current.allInnerTexts()).toEqual(['Runs'])
  })

  it('can show its icons only, also after the page is loaded again', async () => {
    const widthOf = async () => (await navigation().boundingBox())!.width
    const before = await widthOf()
    await view.page.getByRole('button', { name: 'Show icons only' }).click()
    expect(await widthOf()).toBeLessThan(before / 3)
    expect(await lookAtAllViews(view.page)).toEqual([])
    await view.page.reload()
    await heading('Runs').waitFor()
    expect(await widthOf()).toBeLessThan(before / 3)
    // Names are there for whoever cannot see icons.
    await navigation().getByRole('link', { name: 'Steps', exact: true }).click()
    await heading('Steps').waitFor()
    await view.page.getByRole('button', { name: 'Show icons only' }).click()
    expect(await widthOf()).toBe(before)
  })

  it('takes one row on a phone, and opens and closes by keyboard', async () => {
    const { page } = view
    await page.setViewportSize(phone)
    await view.open('events')
    expect((await page.getByRole('banner').boundingBox())!.height).toBeLessThanOrEqual(64)
    expect(await navigation().isVisible()).toBe(false)
    const menu = page.getByRole('button', { name: 'Navigation' })
    await menu.focus()
    await page.keyboard.press('Enter')
    await navigation().waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.setViewportSize(phone)
    await page.keyboard.press('Escape')
    await expect.poll(() => navigation().isVisible()).toBe(false)
    expect(await menu.evaluate((element) => element === document.activeElement)).toBe(true)
    await menu.click()
    await navigation().getByRole('link', { name: 'Jobs' }).click()
    await heading('Jobs').waitFor()
    expect(await navigation().isVisible()).toBe(false)
    await page.setViewportSize(wide)
  })

  it.each([
    '',
    'steps',
    'steps/work-board/create-card',
    'triggers',
    'triggers/work-board/new-card/attach',
    'events',
    'events/paste',
    'starts',
    'runs',
    'jobs',
    'jobs/new',
    'approvals',
    'connections',
    'usage',
    'programs',
    'operator/tenants',
    'operator/tokens',
    'operator/audit',
    'operator/checks',
  ])('clips nothing of the page “%s” on a phone', async (path) => {
    await view.page.setViewportSize(phone)
    await view.open(path)
    await expect.poll(() => view.page.locator('.loading').count()).toBe(0)
    expect(await cutOff(view.page)).toEqual([])
    // A text that is cut short still says something.
    const collapsed = await view.page.evaluate(() =>
      [...document.body.querySelectorAll<HTMLElement>('*')]
        .filter(
          (element) =>
            getComputedStyle(element).textOverflow === 'ellipsis' &&
            // What only screen readers find is a pixel wide.
            element.clientWidth > 1 &&
            element.closest('.virtual-head') === null &&
            element.clientWidth < 56 &&
            element.scrollWidth > element.clientWidth + 1,
        )
        .map((element) => `${element.className}: ${element.textContent}`),
    )
    expect(collapsed).toEqual([])
    await view.page.setViewportSize(wide)
  })

  it('the palette opens a page by keyboard alone, and gives the focus to its heading', async () => {
    const { page } = view
    await view.open('')
    await page.keyboard.press('Control+k')
    await options().first().waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.keyboard.type('operator chec')
    await expect.poll(() => options().first().innerText()).toContain('Checks')
    await page.keyboard.press('Enter')
    await heading('Checks').waitFor()
    expect(await palette().count()).toBe(0)
    await expect.poll(() => heading('Checks').evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('the palette keeps every letter, from the first one after the keys that open it', async () => {
    const { page } = view
    await page.reload()
    const button = page.getByRole('button', { name: 'Go to…' })
    await button.waitFor()
    // In one task of the page, as with a fast hand on a slow machine; a browser gives the letters to what has the focus.
    const hasFocus = await page.evaluate(async () => {
      dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, cancelable: true }))
      await Promise.resolve()
      return document.activeElement?.getAttribute('role')
    })
    expect(hasFocus).toBe('combobox')
    await page.keyboard.press('Escape')
  })

  it('an arrow key right after a letter is not lost in the palette, nor a press of the menu on a new page', async () => {
    const { page } = view
    await view.open('')
    await page.keyboard.press('Control+k')
    await options().first().waitFor()
    // Each in one task of the page, as with a fast hand on a slow machine.
    await page.getByRole('combobox', { name: /Go to/ }).evaluate(async (element) => {
      const input = element as HTMLInputElement
      const settle = async () => {
        for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
      }
      input.value = 'o'
      input.dispatchEvent(new InputEvent('input', { bubbles: true }))
      await settle()
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }))
      await new Promise((done) => setTimeout(done, 500))
    })
    expect(await options().nth(1).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Escape')
    await page.setViewportSize(phone)
    await page.getByRole('button', { name: 'Navigation' }).evaluate(async (button) => {
      document.querySelector<HTMLElement>('nav a[href$="/runs"]')!.click()
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
      ;(button as HTMLElement).click()
      await new Promise((done) => setTimeout(done, 500))
    })
    expect(await navigation().isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => navigation().isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Navigation' }).evaluate(async (button) => {
      ;(button as HTMLElement).click()
      for (let turns = 0; turns < 20; turns += 1) await Promise.resolve()
      dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))
      await new Promise((done) => setTimeout(done, 500))
    })
    expect(await navigation().isVisible()).toBe(false)
    await page.setViewportSize(wide)
  })

  it('the palette opens by the first key that is pressed on a page', async () => {
    const page = await view.context.newPage()
    await page.addInitScript(delayFrames, 1_000)
    await page.goto(`${server.origin}/console/runs`)
    await page.getByRole('button', { name: 'Go to…' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to' }).waitFor({ timeout: 10_000 })
    await page.close()
  })

  it('the palette finds steps and triggers by meaning, misspelt too, with the mouse', async () => {
    const { page } = view
    await page.getByRole('button', { name: 'Go to…' }).click()
    await page.getByRole('combobox', { name: /Go to/ }).fill('make a new tikcet')
    const steps = palette().getByRole('group', { name: 'Steps' })
    await steps.getByRole('option', { name: /Create Card\b/ }).click()
    await heading('Create Card').waitFor()
  })

  it('the palette finds connections and events by their names', async () => {
    const { page } = view
    const [connection] = (await server.api('GET', 'connections?integration=work-board')).body.items
    await page.keyboard.press('Control+k')
    await page.keyboard.type(connection.name)
    await palette().getByRole('group', { name: 'Connections' }).getByRole('option').first().waitFor()
    const [event] = (await server.api('GET', 'events')).body.items
    const words = (event.summary?.text ?? event.type) as string
    await page.getByRole('combobox', { name: /Go to/ }).fill(words.slice(0, 40))
    await palette().getByRole('group', { name: 'Events' }).getByRole('option').first().click()
    await page.waitForURL(/\/events\//)
  })

  it('the palette says when it finds nothing, and Escape gives the focus back', async () => {
    const { page } = view
    await view.open('steps')
    await page.getByRole('button', { name: 'Go to…' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('xyzzyx')
    await palette().getByText('Nothing is called “xyzzyx”.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => palette().count()).toBe(0)
    const button = page.getByRole('button', { name: 'Go to…' })
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('the arrow keys go round the palette, and the active option is announced', async () => {
    const { page } = view
    await page.keyboard.press('Control+k')
    // They come last: an option more would be the last one.
    await palette().getByText('Latest events').waitFor()
    const active = () => page.getByRole('combobox', { name: /Go to/ }).getAttribute('aria-activedescendant')
    const first = await active()
    await page.keyboard.press('ArrowUp')
    await expect.poll(active).not.toBe(first)
    expect(await page.locator(`[id="${await active()}"]`).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowDown')
    await expect.poll(active).toBe(first)
    await page.keyboard.press('Escape')
  })
})
