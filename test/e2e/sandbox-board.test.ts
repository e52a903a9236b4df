/** The sandbox's own pages: a board to work on by hand, and the example agent. */
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { chromium } from './browser.ts'
import type { Browser, BrowserContext, Page } from './browser.ts'
import { axe, launch, lookAtAllViews } from './console/setup.ts'

const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>'

describe.skipIf(!chromium)('pages of the sandbox', () => {
  let sandbox: Sandbox
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const complaints: string[] = []
  beforeAll(async () => {
    ;[sandbox, browser] = await Promise.all([startSandbox(), launch()])
    context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      locale: 'en-AU',
      timezoneId: 'Australia/Sydney',
    })
    page = await context.newPage()
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
    page.on('pageerror', (error) => void complaints.push(String(error)))
    await page.goto(sandbox.places[0]!.page!)
    await card('Press kit').waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.close()
  })

  const list = (name: string) => page.getByRole('region', { name })
  const card = (name: string) => page.locator('.card', { hasText: name })
  const dialog = () => page.getByRole('dialog')
  const stored = (name: string) => [...sandbox.board.state.cards.values()].find((one) => one.name === name)!
  const nameOfList = (id: string) => sandbox.board.state.lists.get(id)!.name
  const actionsOf = (name: string) => sandbox.board.state.actions.filter(({ refs }) => refs.idCard === stored(name).id)
  const open = async (name: string) => {
    await card(name).click()
    await dialog().getByRole('heading', { name }).waitFor()
  }

  it('a card dragged to another list is moved as a person moves it', async () => {
    const before = actionsOf('Press kit').length
    await card('Press kit').dragTo(list('Done').getByRole('heading'))
    await list('Done').locator('.card', { hasText: 'Press kit' }).waitFor()
    const [action] = actionsOf('Press kit').slice(before)
    expect(action).toMatchObject({
      type: 'updateCard',
      appId: null,
      idMemberCreator: sandbox.board.credentials.member.id,
    })
    expect(action!.data).toMatchObject({ listBefore: { name: 'Review' }, listAfter: { name: 'Done' } })
  })

  it('a card dropped above another one stays above it', async () => {
    await card('Sticker sheet').dragTo(card('Ask early users'), { targetPosition: { x: 20, y: 4 } })
    await vi.waitFor(
      async () => expect(await list('Ideas').locator('.card').first().textContent()).toContain('Sticker sheet'),
      30_000,
    )
    expect(nameOfList(stored('Sticker sheet for the welcome parcel').idList)).toBe('Ideas')
  })

  it('everything works by keyboard, and the focus stays with the card', async () => {
    await card('Short film').focus()
    await page.keyboard.press('Enter')
    await dialog().getByLabel('List').focus()
    await page.keyboard.type('Rev')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await list('Review').locator('.card', { hasText: 'Short film' }).waitFor()
    expect(await page.getByRole('status').textContent()).toBe(
      '“Short film about the workshop” is on the list “Review”.',
    )
    await vi.waitFor(
      async () => expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Short film'),
      30_000,
    )
    await page.getByLabel('New card on Ideas').focus()
    await page.keyboard.type('Made by keyboard')
    await page.keyboard.press('Enter')
    await card('Made by keyboard').waitFor()
    await card('Made by keyboard').press('Enter')
    await dialog().getByRole('button', { name: 'Archive' }).press('Enter')
    await card('Made by keyboard').waitFor({ state: 'detached' })
    await dialog().waitFor({ state: 'hidden' })
    expect(stored('Made by keyboard').closed).toBe(true)
  })

  it('comments, labels and due dates, as the person who was chosen', async () => {
    await page.getByLabel('You are').selectOption({ label: 'Odette Quill' })
    await open('Price list for three sizes')
    await dialog().getByLabel('New comment').fill('Two sizes are enough')
    await dialog().getByRole('button', { name: 'Comment' }).click()
    await dialog().getByText('Two sizes are enough').waitFor()
    await dialog().getByLabel('Urgent').check()
    await expect.poll(() => stored('Price list for three sizes').idLabels).toHaveLength(1)
    await dialog().getByLabel('Due').fill('2027-02-03T09:30')
    await dialog().getByRole('button', { name: 'Set' }).click()
    await expect.poll(() => stored('Price list for three sizes').due).toBe('2027-02-02T22:30:00.000Z')
    await dialog().getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => stored('Price list for three sizes').due).toBeNull()
    await dialog().getByLabel('Urgent').uncheck()
    await expect.poll(() => stored('Price list for three sizes').idLabels).toHaveLength(0)
    const comment = actionsOf('Price list for three sizes').find(({ type }) => type === 'commentCard')!
    expect(comment).toMatchObject({
      idMemberCreator: sandbox.board.credentials.secondMember.id,
      data: { text: 'Two sizes are enough' },
    })
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  it('shows what others change, as text', async () => {
    const { control } = sandbox.board
    const { id } = stored('Price list for three sizes')
    control.renameCard({ idCard: id, name: hostile })
    control.comment({ idCard: id, text: hostile })
    await page.getByText(hostile).waitFor()
    await page.getByText(hostile).click()
    await dialog().getByRole('listitem').filter({ hasText: hostile }).waitFor()
    expect(await page.title()).toBe('Sandbox board')
    expect(await page.locator('img, dialog script').count()).toBe(0)
    await page.keyboard.press('Escape')
    control.renameCard({ idCard: id, name: 'Price list' })
    await page.getByText('Price list').waitFor()
  })

  it('an answer that is late takes back nothing that was shown since', async () => {
    const { promise: isMade, resolve: letGo } = Promise.withResolvers<void>()
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
    await page.route(
      '**/sandbox/state',
      async (route) => {
        const response = await route.fetch()
        hold()
        await isMade
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await isHeld
    await page.getByLabel('New card on Ideas').fill('Made meanwhile')
    await page.keyboard.press('Enter')
    await card('Made meanwhile').waitFor()
    await page.evaluate(() => {
      const lists = document.getElementById('lists')!
      const look = () => lists.textContent.includes('Made meanwhile') || Object.assign(globalThis, { isGone: true })
      new MutationObserver(look).observe(lists, { childList: true })
    })
    const next = page.waitForRequest('**/sandbox/state')
    letGo()
    // It was dealt with when the page asks again, a second later.
    await next
    expect(await page.evaluate(() => (globalThis as { isGone?: boolean }).isGone)).toBeUndefined()
  })

  it('has no fault in light and dark, wide and narrow', async () => {
    expect(await lookAtAllViews(page)).toEqual([])
    await open('Press kit')
    expect(await lookAtAllViews(page)).toEqual([])
    await page.keyboard.press('Escape')
  })

  it('takes no change from another site, from a foreign name, or that makes no sense', async () => {
    const { origin } = sandbox.board
    const write = (name: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(`${origin}/sandbox/${name}`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const comment = { idCard: stored('Press kit').id, text: 'Injected' }
    expect((await write('comment', comment, { origin: 'http://127.0.0.1:1' })).status).toBe(403)
    expect((await write('comment', comment, { origin: 'null' })).status).toBe(403)
    expect((await fetch(`${origin}/sandbox/comment`, { method: 'POST', body: JSON.stringify(comment) })).status).toBe(
      403,
    )
    expect((await write('comment', { ...comment, text: {} })).status).toBe(400)
    expect(await (await write('comment', { ...comment, other: 1 })).json()).toEqual({
      message: '"other" is none of idCard, text, by',
    })
    expect((await write('updateCard', { idCard: comment.idCard, due: 'soon' })).status).toBe(400)
    expect((await write('comment', null)).status).toBe(400)
    expect((await write('reset', {})).status).toBe(404)
    const named = (path: string, host: string) =>
      new Promise((done) =>
        get(origin + path, { headers: { host } }, (reply) => reply.resume().on('end', () => done(reply.statusCode))),
      )
    for (const path of ['/', '/sandbox/state'])
      expect([await named(path, 'rebound.example'), await named(path, 'localhost')]).toEqual([403, 200])
    expect((await write('moveCard', { idCard: 'x', idList: 'y' })).status).toBe(404)

    const other = createServer(
      (_, reply) => void reply.writeHead(200, { 'content-type': 'text/html' }).end('<title>Elsewhere</title>'),
    )
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const foreign = await context.newPage()
    await foreign.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}`)
    const seen = await foreign.evaluate(
      async ([to, agent, body]) => {
        const ask = (url: string, init: RequestInit = {}) =>
          fetch(url, init).then(
            ({ type }) => type,
            () => 'blocked',
          )
        return [
          await ask(`${to}/sandbox/state`),
          await ask(`${to}/sandbox/comment`, { method: 'POST', mode: 'no-cors', body: body! }),
          await ask(agent!, { method: 'POST', mode: 'no-cors', body: '{}' }),
        ]
      },
      [origin, sandbox.agent.url, JSON.stringify(comment)],
    )
    expect(seen).toEqual(['blocked', 'opaque', 'opaque'])
    await foreign.close()
    await new Promise((done) => other.close(done).closeAllConnections())
    expect(actionsOf('Press kit').filter(({ data }) => data['text'] === 'Injected')).toEqual([])
    expect(sandbox.agent.received()).toEqual([])
  })

  it('the example agent shows what it received, and fails when told to', async () => {
    const { url } = sandbox.agent
    const start = (key: string, body: unknown) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'webhook-id': key },
        body: JSON.stringify(body),
      })
    await page.goto(url)
    await page.getByText('Nothing received yet.').waitFor()
    expect(await (await start('one', { type: 'agent.start', note: hostile })).json()).toEqual({
      message: 'Received. This is start number 1.',
    })
    expect((await start('one', {})).status).toBe(409)
    await page.getByText('<img src=x').first().waitFor()
    expect(await page.title()).toBe('Example agent')
    expect(await lookAtAllViews(page)).toEqual([])
    await page.getByLabel('Answers').selectOption('with status 500')
    // A key is accepted once, and the page may take a moment to say what was chosen.
    let tries = 0
    await vi.waitFor(async () => expect((await start(`two ${(tries += 1)}`, {})).status).toBe(500), 30_000)
    const told = await fetch(new URL('/_control/behave', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status: 200, waitMs: 30 }),
    })
    expect(await told.json()).toEqual({ status: 200, waitMs: 30 })
    const at = performance.now()
    expect((await start(`two ${tries}`, {})).status).toBe(200)
    expect(performance.now() - at).toBeGreaterThan(25)
    expect(() => sandbox.agent.behave({ status: 1 })).toThrow('"status" must be')
    for (let n = 0; n < 120; n += 1) await start(`more ${n}`, {})
    expect(sandbox.agent.received()).toHaveLength(100)
  })

  it('complained of nothing', () => expect(complaints).toEqual([]))
})
