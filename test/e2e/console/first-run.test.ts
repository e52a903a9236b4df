/** The shortest way from a fresh data directory to an agent that was started. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chromium } from '../browser.ts'
import type { Browser, Page } from '../browser.ts'
import { isDone, isNext, takeFirstSteps } from './first-steps.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

describe.skipIf(!chromium)('first run', () => {
  let browser: Browser
  let server: Server
  let view: Console
  beforeAll(async () => void (browser = await launch()))
  afterAll(() => browser?.close())
  afterEach(async () => {
    await view?.close()
    await server?.close()
  })
  const begin = async (options: Parameters<typeof openServer>[0] = {}) => {
    server = await openServer(options)
    view = await openConsole(browser, server)
    await view.page.getByRole('heading', { name: 'First steps' }).waitFor()
    return view.page
  }

  it('a step runs, a trigger is attached, and a card dragged in the other window starts the agent, with the mouse', async () => {
    const page = await begin()
    const { actions, drag } = await takeFirstSteps(page, view.context, async () =>
      expect(await lookAtAllViews(page)).toEqual([]),
    )
    await drag()
    await isDone(page, 'See the agent start')
    await page.getByText('That is all it takes.').waitFor()
    expect(await page.getByRole('table', { name: 'Latest starts' }).textContent()).toMatch(/moved.*done.*200/)
    expect(server.sandbox.agent.received()).toHaveLength(1)
    // The bench of the first run has the time that these take; nothing may be added to them unnoticed.
    expect(actions).toEqual(['run', 'trigger', 'open the choices', 'choose', 'attach', 'open the other window', 'drag'])
    expect(await lookAtAllViews(page)).toEqual([])

    // From then on the page says what there is.
    await page.reload()
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
    expect(await page.getByRole('table', { name: 'Latest runs' }).getByRole('row').count()).toBe(2)
    expect(await lookAtAllViews(page)).toEqual([])
    expect(view.complaints).toEqual([])
  })

  it('the same by keyboard alone', async () => {
    const page = await begin()
    /** Tab until the focus is where it should be. */
    const tabTo = async (on: Page, name: string) => {
      for (let presses = 0; presses < 60; presses += 1) {
        await on.keyboard.press('Tab')
        const [label, tag] = await on.evaluate(() => {
          const element = document.activeElement as HTMLInputElement | null
          return [
            `${element?.labels?.[0]?.textContent ?? ''} ${element?.getAttribute('aria-label') ?? ''} ${element?.textContent ?? ''}`,
            element?.tagName,
          ]
        })
        if (tag !== 'BODY' && label!.includes(name)) return
      }
      throw new Error(`Tab never reached ${name}`)
    }
    await tabTo(page, 'Run “')
    await page.keyboard.press('Enter')
    await isNext(page, 'Attach a trigger to an agent')
    await tabTo(page, 'Trigger')
    await page.keyboard.type('Card Moved')
    await tabTo(page, 'Boards')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: /Launch plan/ }).waitFor()
    await page.keyboard.type('Launch')
    await page.getByRole('option', { name: /Support/ }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Attach to the example agent')
    await page.keyboard.press('Enter')
    await isNext(page, 'Make something happen')
    const opening = view.context.waitForEvent('page')
    await tabTo(page, 'Open “Sandbox board”')
    await page.keyboard.press('Enter')
    const other = await opening
    await other.locator('.card').first().waitFor()
    await tabTo(other, 'Press kit')
    await other.keyboard.press('Enter')
    await tabTo(other, 'List')
    await other.keyboard.type('Done')
    await tabTo(other, 'Move')
    await other.keyboard.press('Enter')
    await isDone(page, 'See the agent start')
    expect(server.sandbox.agent.received()).toHaveLength(1)
    expect(view.complaints).toEqual([])
  })

  it('what needs attention is said, with a link to it', async () => {
    const page = await begin()
    const { body } = await server.api('GET', 'connections?integration=work-board')
    await server.api('PATCH', `connections/${body.items[0].id}`, { disabled: true })
    await page.reload()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    expect(
      await page.getByRole('listitem').filter({ hasText: 'does not work' }).getByRole('link').getAttribute('href'),
    ).toContain(body.items[0].id)
    expect(await lookAtAllViews(page)).toEqual([])
  })
})
