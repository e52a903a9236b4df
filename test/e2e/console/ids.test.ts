/** No page shows an id as text: names are read, ids are copied, or looked at in details and JSON. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { openBusyWorld } from './busy-world.ts'
import type { BusyWorld } from './busy-world.ts'
import { launch, openConsole } from './setup.ts'
import type { Console } from './setup.ts'

/** Lists of the API whose rows have ids, each with the pages that show one row. */
const lists: [list: string, page?: (row: Record<string, any>) => string][] = [
  ['subscriptions', ({ id }) => `subscriptions/${id}`],
  ['events', ({ id, connection }) => `events/${encodeURIComponent(id)}?connection=${connection}`],
  ['starts', ({ id }) => `starts/${id}`],
  ['runs', ({ id }) => `runs/${id}`],
  ['jobs', ({ id }) => `jobs/${id}`],
  ['approvals', ({ id }) => `approvals/${id}`],
  ['connections', ({ id }) => `connections/${id}`],
  ['hooks'],
  ['budgets'],
  ['approval-rules'],
  ['grants'],
  ['admin/tokens'],
]

const pages = [
  '',
  'steps',
  'triggers',
  'agents',
  'events',
  'events/paste',
  'starts',
  'runs',
  'jobs',
  'jobs/new',
  'approvals',
  'connections',
  'usage',
  'people',
  'programs',
  'operator/tenants',
  'operator/tokens',
  'operator/keys',
  'operator/policies',
  'operator/notifications',
  'operator/audit',
  'operator/checks',
  'steps/work-board/create-card',
  'steps/contact-data/search-contacts',
  'triggers/work-board/card-moved/attach',
]

/** What a reader sees: text, choices and values of fields, without what is there to be copied or is JSON. */
const readable = () => {
  for (const element of document.querySelectorAll('details.details, details:not([open]) > :not(summary), .json, pre'))
    element.remove()
  const choices = [...document.querySelectorAll('option')].map(({ textContent }) => textContent)
  const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(({ value }) => value)
  return [document.title, document.body.innerText, ...choices, ...fields].join('\n')
}

describe.skipIf(chromium === undefined)('ids', () => {
  let world: BusyWorld
  let browser: Browser
  let view: Console
  const ids = new Set<string>()
  const rowPages: string[] = []

  beforeAll(async () => {
    world = await openBusyWorld()
    for (const [list, pageOf] of lists) {
      const rows = await world.items(`${list}?limit=100`)
      expect(rows.length, list).toBeGreaterThan(0)
      for (const { id } of rows) ids.add(String(id))
      const shown = new Set<string>()
      for (const row of rows) {
        // A page for each kind of row is enough: one of each state, step, trigger and type.
        const kind = [row['state'], row['step'], row['trigger'], row['type']].join()
        if (pageOf && !shown.has(kind)) rowPages.push(pageOf(row))
        shown.add(kind)
      }
    }
    const { state } = world.board
    for (const objects of [state.boards, state.lists, state.cards, state.members])
      for (const id of (objects as Map<string, unknown>).keys()) ids.add(id)
    browser = await launch()
    view = await openConsole(browser, world.server)
  })
  afterAll(async () => {
    await view?.close()
    await browser?.close()
    await world?.close()
  })

  it('of rows and of things at the provider are many', () => expect(ids.size).toBeGreaterThan(50))

  it('stand on no page', { timeout: 400_000 }, async () => {
    const seen: string[] = []
    for (const path of [...pages, ...rowPages]) {
      await view.open(path)
      await expect.poll(() => view.page.locator('.loading').count()).toBe(0)
      const text = await view.page.evaluate(readable)
      const page = path.replace(/\/[^/]{16,}/, '/…')
      for (const id of ids)
        if (id.length > 7 && text.includes(id)) {
          const at = text.indexOf(id)
          seen.push(`${page}: ${text.slice(Math.max(0, at - 40), at + id.length + 10).replace(/\s+/g, ' ')}`)
        }
    }
    expect(seen).toEqual([])
  })
})
