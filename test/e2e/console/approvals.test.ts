import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { heldId, holdRuns } from '../../support/held-runs.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

const held = holdRuns()

let server: Server
let browser: Browser
let view: Console

const heading = () => view.page.getByRole('heading', { level: 1 })
const dialog = () => view.page.getByRole('dialog')
const decisions = () => held.calls.filter(([verb]) => verb !== 'list')

describe.skipIf(chromium === undefined)('approvals', () => {
  beforeAll(async () => {
    server = await openServer({ change: held.change })
    browser = await launch()
    view = await openConsole(browser, server)
  })
  beforeEach(held.reset)
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
  })

  it('lists what waits, and opens it', async () => {
    const { page, open } = view
    await open('approvals')
    const rows = page.getByRole('region', { name: 'Waiting runs' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.innerText()).toMatch(/Create List[\s\S]*Waits for a decision[\s\S]*up to 3/)
    expect(await lookAtAllViews(page)).toEqual([])
    await rows.getByRole('link').click()
    await page.waitForURL(`**/console/approvals/${heldId}`)
  })

  it('shows what would be sent, and decides nothing by that', async () => {
    const { page, open } = view
    await open(`approvals/${heldId}`)
    await expect.poll(() => heading().innerText()).toBe('Create List with the account "Launch"')
    const text = await page.locator('main').innerText()
    const order = ['tok_1', 'up to 3', 'Until', 'https://board.test/1/lists', 'Later requests depend', 'Input']
    expect(order.map((part) => text.indexOf(part))).toEqual(
      order.map((part) => text.indexOf(part)).toSorted((a, b) => a - b),
    )
    expect(order.filter((part) => !text.includes(part))).toEqual([])
    expect(await lookAtAllViews(page)).toEqual([])
    expect(held.calls).toEqual([])
  })

  it('approves within a smaller limit', async () => {
    const { page, open } = view
    await open(`approvals/${heldId}`)
    await page.getByRole('button', { name: 'Approve' }).click()
    await dialog().getByLabel('Spend at most').fill('2')
    await dialog().getByRole('button', { name: 'Approve' }).click()
    await page.getByText('It was approved and sent.').waitFor()
    expect(decisions()).toEqual([['approve', heldId, { maxCredits: 2 }]])
    expect(await page.getByRole('button', { name: 'Deny' }).count()).toBe(0)
  })

  it('denies with a reason', async () => {
    const { page, open } = view
    await open(`approvals/${heldId}`)
    await page.getByRole('button', { name: 'Deny' }).click()
    await dialog().getByLabel('Reason').fill('Not now')
    await dialog().getByRole('button', { name: 'Deny' }).click()
    await page.getByText('It was denied; nothing was sent.').waitFor()
    expect(decisions()).toEqual([['deny', heldId, { reason: 'Not now' }]])
    expect(await page.locator('main').innerText()).toContain('Not now')
  })

  it('creates and deletes a rule', async () => {
    const { page, open } = view
    await open('approvals')
    await page.getByRole('button', { name: 'Create a rule' }).click()
    await dialog().getByLabel('deletes something').check()
    await dialog().getByRole('button', { name: 'Create the rule' }).click()
    await expect.poll(() => dialog().count()).toBe(0)
    await page.getByRole('region', { name: 'Rules' }).getByRole('button', { name: 'Delete' }).click()
    await dialog().getByRole('button', { name: 'Delete' }).click()
    await expect.poll(() => dialog().count()).toBe(0)
    expect(decisions()).toEqual([
      ['create', { when: { effects: ['delete'] }, by: 'approvers', expiresMinutes: 1440 }],
      ['remove', 'rule_1'],
    ])
  })
})
