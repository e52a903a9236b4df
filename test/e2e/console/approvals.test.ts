/** Runs that a rule holds, as the console shows and decides them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findIds } from '../../sandbox/board-client.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

type Reply = { status: number; body: Record<string, any> }

describe.skipIf(chromium === undefined)('approvals', () => {
  let server: Server
  let browser: Browser
  let view: Console
  let agent: string
  beforeAll(async () => {
    server = await openServer()
    browser = await launch()
    view = await openConsole(browser, server)
    agent = (await server.pack.tokens.create('default', { name: 'CRM agent', scopes: ['run'] })).text
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
  })

  /** The call of an agent, or of who is signed in to the console. */
  const run = async (step: string, input: object, token = agent): Promise<Reply> => {
    const reply = await fetch(`${server.origin}/v1/steps/${step}/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input }),
    })
    return { status: reply.status, body: (await reply.json()) as Record<string, any> }
  }
  const createCard = (name: string, token?: string) =>
    run('work-board/create-card', { idList: findIds(server.sandbox.board).list('Ideas'), name }, token)
  const enrich = () => run('anz-data/company-enrichment', { domain: 'quandong-robotics.example' })
  const hold = async (call: Promise<Reply>): Promise<string> => {
    const { status, body } = await call
    expect([status, body['code']]).toEqual([424, 'approval_pending'])
    return body['approval'].id
  }
  const heading = () => view.page.getByRole('heading', { level: 1 })
  const main = () => view.page.locator('main').innerText()
  const dialog = () => view.page.getByRole('dialog')
  const button = (name: string) => view.page.getByRole('button', { name, exact: true })
  const confirm = (name: string) => dialog().getByRole('button', { name }).click()
  const closes = () => expect.poll(() => dialog().count()).toBe(0)
  const waiting = () => view.page.getByRole('list', { name: 'Waiting runs' }).locator(':scope > li')
  const cards = () => [...server.sandbox.board.state.cards.values()].map(({ name }) => name)

  it('are asked for by a rule that is made here', async () => {
    const { page, open } = view
    await open('approvals')
    await page.getByText('There is no rule, so nothing is held.').waitFor()
    await button('Create a rule').click()
    for (const effect of ['writes something new', 'deletes something', 'looks something up for credits'])
      await dialog().getByLabel(effect).check()
    await dialog().getByLabel('Name (optional)').fill('Ask before writes')
    expect(await lookAtAllViews(page)).toEqual([])
    await confirm('Create the rule')
    await closes()
    const rule = page.getByRole('list', { name: 'Rules' }).locator(':scope > li')
    await expect
      .poll(() => rule.innerText())
      .toMatch(
        /Ask before writes\s+Every run that writes something new, deletes something, or looks .* waits up to 1 day/,
      )
    expect((await server.api('GET', 'approval-rules')).body.items).toMatchObject([
      { when: { effects: ['create', 'delete', 'read'] }, by: 'approvers', expiresMinutes: 1440 },
    ])
  })

  it('are listed while they wait, and show what would be sent; looking decides nothing', async () => {
    const { page, open } = view
    const id = await hold(createCard('Press kit 2'))
    await hold(enrich())
    await open('approvals')
    await expect.poll(() => waiting().count()).toBe(2)
    const row = waiting().filter({ hasText: 'Press kit 2' })
    expect(await row.innerText()).toMatch(
      /CRM agent wants to create the card Press kit 2\s.*Nothing was sent\. It costs nothing\./s,
    )
    const costly = waiting().filter({ hasText: 'quandong-robotics.example' })
    await expect
      .poll(() => costly.innerText())
      .toMatch(/CRM agent wants to look up the company quandong-robotics\.example\s.*It may cost up to \d/s)
    expect(await lookAtAllViews(page)).toEqual([])
    await row.getByRole('link').click()
    await page.waitForURL(`**/console/approvals/${id}`)
    await expect.poll(() => heading().innerText()).toContain('CRM agent wants to create the card Press kit 2')
    await page.getByText('Nothing was sent. You can decide about it.').waitFor()
    const text = await main()
    const order = [
      'Press kit 2',
      'CRM agent',
      'Sandbox board',
      'It costs nothing.',
      'Expires',
      'Ask before writes',
      'everybody who may approve',
    ]
    expect(order.filter((part) => !text.includes(part))).toEqual([])
    const places = order.map((part) => text.lastIndexOf(part))
    expect(places).toEqual(places.toSorted((x, y) => x - y))
    // Ids and requests are behind the details.
    expect(text).not.toMatch(/apr_|tok_|con_|rule_|\/1\/cards/)
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByText('Details', { exact: true }).click()
    await page.getByText('/1/cards').first().waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    expect((await server.api('GET', `approvals/${id}`)).body.state).toBe('open')
    expect(cards()).not.toContain('Press kit 2')
  })

  it('are sent once they are approved, and the repeated call gets the answer', async () => {
    const { page, open } = view
    const id = await hold(createCard('Press kit 2'))
    await open(`approvals/${id}`)
    expect(await button('Approve with a limit').count()).toBe(0)
    await button('Approve').click()
    await page.getByText('It was approved and sent.').waitFor()
    expect(cards().filter((name) => name === 'Press kit 2')).toHaveLength(1)
    expect(await button('Deny').count()).toBe(0)
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByRole('link', { name: 'View the run' }).click()
    await page.waitForURL('**/console/runs/*')
    expect((await createCard('Press kit 2')).body['output']).toMatchObject({ name: 'Press kit 2' })
  })

  it('are approved with a smaller limit, never with a larger one', async () => {
    const { page, open } = view
    const id = await hold(enrich())
    await open(`approvals/${id}`)
    await button('Approve with a limit').click()
    const limit = dialog().getByLabel('Spend at most')
    await limit.fill('1000')
    await confirm('Approve with this limit')
    await dialog().locator('.field-error', { hasText: 'can lower that' }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await limit.fill('0.5')
    await confirm('Approve with this limit')
    await closes()
    await page.getByText('It was approved, and ended with budget_exceeded.').waitFor()
    expect((await server.api('GET', `approvals/${id}`)).body.maxCredits).toBe(0.5)
  })

  it('are denied with a reason, which the caller learns', async () => {
    const { page, open } = view
    const id = await hold(createCard('Not this one'))
    await open(`approvals/${id}`)
    await button('Deny').click()
    await dialog().getByLabel('Reason').fill('Not this week.')
    await confirm('Deny')
    await page.getByText('It was denied; nothing was sent.').waitFor()
    expect(await main()).toContain('Not this week.')
    const { status, body } = await createCard('Not this one')
    expect([status, body['code']]).toEqual([403, 'approval_denied'])
    expect(body['detail']).toContain('Not this week.')
    expect(cards()).not.toContain('Not this one')
  })

  it('of one’s own are not approved, and can be withdrawn', async () => {
    const { page, open } = view
    const id = await hold(createCard('My own', server.token))
    await open(`approvals/${id}`)
    await page.getByText('Somebody else has to decide about it. You can withdraw it.').waitFor()
    expect(await button('Approve').count()).toBe(0)
    await button('Withdraw').click()
    await confirm('Withdraw')
    await page.getByText('It was denied; nothing was sent.').waitFor()
    expect(cards()).not.toContain('My own')
  })

  it('are reached from the step that was run here', async () => {
    const { page, open } = view
    await open('steps/work-board/create-board')
    await page.getByLabel(/^Name/).fill('A board of my own')
    await button('Run').click()
    await page.getByRole('alert').getByText('waits for a decision').waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByRole('link', { name: 'View what waits' }).click()
    await expect.poll(() => heading().innerText()).toContain('wants to create the board A board of my own')
    await button('Withdraw').click()
    await confirm('Withdraw')
    await page.getByText('It was denied; nothing was sent.').waitFor()
  })

  it('are approved where they are listed, two clicks from the overview', async () => {
    const { page, open } = view
    await hold(createCard('From the list'))
    await open('')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Approvals' }).click()
    await waiting().filter({ hasText: 'From the list' }).getByRole('button', { name: 'Approve', exact: true }).click()
    await expect.poll(() => cards().filter((name) => name === 'From the list').length).toBe(1)
    await page.getByText('Nothing waits for a decision.').waitFor()
  })

  it('are held by a rule that was changed by choosing names', async () => {
    const { page, open } = view
    await open('approvals')
    await page.getByRole('list', { name: 'Rules' }).getByRole('button', { name: 'Change' }).click()
    expect(await dialog().getByLabel('Name (optional)').inputValue()).toBe('Ask before writes')
    await dialog().getByText('Only some steps').click()
    await dialog().getByLabel('Find among the steps').fill('create card')
    await dialog()
      .getByRole('checkbox', { name: /^Create Card\b/ })
      .check()
    await dialog().getByText('Only some connections').click()
    await dialog()
      .getByRole('checkbox', { name: /^Sandbox board/ })
      .check()
    await dialog().getByLabel('A run waits for').selectOption({ label: '4 hours' })
    expect(await lookAtAllViews(page)).toEqual([])
    await confirm('Save the rule')
    await closes()
    const rule = page.getByRole('list', { name: 'Rules' }).locator(':scope > li')
    await expect
      .poll(() => rule.innerText())
      .toMatch(/and runs Create Card \(.+\), and uses the connection “Sandbox board” waits up to 4 hours/)
    expect(await rule.innerText()).not.toMatch(/con_|create-card/)
    expect((await server.api('GET', 'approval-rules')).body.items).toMatchObject([
      { when: { effects: ['create', 'delete', 'read'], steps: ['work-board/create-card'] }, expiresMinutes: 240 },
    ])
  })

  it('are no longer asked for without the rule, and those that were decided stay listed', async () => {
    const { page, open } = view
    await open('approvals')
    await page.getByRole('list', { name: 'Rules' }).getByRole('button', { name: 'Delete' }).click()
    await confirm('Delete')
    await closes()
    await page.getByText('There is no rule, so nothing is held.').waitFor()
    await page.getByText('Nothing waits for a decision.').waitFor()
    const others = page.getByRole('region', { name: 'Other runs' }).locator('tbody tr')
    expect((await others.allInnerTexts()).map((text) => /Sent|Denied|Failed/.exec(text)?.[0])).toEqual([
      'Sent',
      'Denied',
      'Denied',
      'Denied',
      'Failed',
      'Sent',
    ])
    expect(await lookAtAllViews(page)).toEqual([])
    expect((await createCard('Without asking')).status).toBe(200)
  })
})
