/**
 * Texts of others on every page that shows any: names, comments, answers of agents, error pages of providers, pasted
 * deliveries. None of them runs.
 */
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startProvider } from '../../support/provider.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { payloads } from './payloads.ts'
import { launch, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

const anzKey = 'anz-key-of-this-test-0816'
const all = payloads.join(' ')
/** What a browser would have done; read after the page has settled. */
const traces = () => {
  const foreign = (address: string | null) =>
    address !== null && address !== '' && !/^(https?:\/\/|\/|#|[\w.-]+$)/i.test(address)
  return {
    executed: (globalThis as { executed?: unknown }).executed ?? null,
    elements: [
      ...document.querySelectorAll(
        'iframe, object, embed, base, style, meta[http-equiv], form[action], body script, [onerror], [onload], [onclick]',
      ),
    ].map((element) => element.outerHTML.slice(0, 120)),
    links: [...document.querySelectorAll('[href], [src]')]
      .map((element) => element.getAttribute('href') ?? element.getAttribute('src'))
      .filter(foreign),
    unsafeTargets: [...document.querySelectorAll('a[target="_blank"]:not([rel~="noopener"])')].length,
  }
}

describe.skipIf(chromium === undefined)('texts of others', () => {
  let server: Server
  let browser: Browser
  let view: Console
  let provider: Awaited<ReturnType<typeof startProvider>>
  let agent: Awaited<ReturnType<typeof startProvider>>
  let subscription: string
  const asked = new Set<string>()
  let isBroken = false

  const run = async (step: string, input: object) => {
    const { body } = await server.api('POST', `steps/${step}/run`, { input })
    if (body.output === undefined) throw new Error(`${step}: ${JSON.stringify(body)}`)
    return body.output
  }
  const settled = async () => {
    await expect.poll(() => view.page.locator('.loading').count()).toBe(0)
    await view.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  }
  const expectHarmless = async () => {
    const { page, complaints } = view
    expect(await page.evaluate(traces)).toEqual({ executed: null, elements: [], links: [], unsafeTargets: 0 })
    expect(complaints).toEqual([])
    expect([...asked].filter((origin) => origin !== server.origin)).toEqual([])
  }
  /** The page shows a text, as text. */
  const expectShown = (text: string) => expect.poll(() => view.page.locator('body').innerText()).toContain(text)

  beforeAll(async () => {
    // Stands in for a data provider whose records, and whose error page, somebody hostile has written.
    provider = await startProvider((_request, response) => {
      if (isBroken)
        return void response
          .writeHead(500, { 'content-type': 'text/html' })
          .end(`<!doctype html><title>${all}</title>${payloads.join('<hr>')}`)
      const company = {
        id: '1',
        name: all,
        domain: 'wattle.example',
        website: payloads[11],
        description: all,
        industry: payloads[1],
      }
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ company, credits_charged: 1 }))
    })
    agent = await startProvider(
      (_request, response) => void response.writeHead(422, { 'content-type': 'text/html' }).end(payloads.join('\n')),
    )
    const over = {
      baseUrl: provider.origin,
      auth: { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } },
    }
    server = await openServer({
      over: () => ({ 'anz-data': over }),
      egress: { privateOrigins: [provider.origin] },
      agentOrigins: [agent.origin],
    })
    const { body: connections } = await server.api('GET', 'connections?integration=anz-data')
    await server.api('DELETE', `connections/${connections.items[0].id}`)
    await server.api('POST', 'connections', {
      integration: 'anz-data',
      type: 'api-key',
      name: payloads[1]!.slice(0, 128),
      secrets: { apiKey: anzKey },
    })
    await server.api('POST', 'admin/tenants', { name: payloads[4] })
    await server.api('POST', 'admin/tokens', { name: payloads[0] })

    const { boards } = await run('work-board/get-boards', { lists: 'open' })
    const [{ id: board, lists }] = boards
    await run('work-board/api-call', {
      method: 'PUT',
      path: `/1/boards/${board}`,
      query: { name: payloads[1], desc: all },
    })
    await server.api('POST', 'subscriptions', {
      integration: 'work-board',
      trigger: 'new-card',
      config: { boards: [board] },
      agent: { id: payloads[2], url: `${agent.origin}/agent` },
      options: { ownEvents: true },
      externalId: payloads[3],
      labels: { note: payloads[1] },
    })
    const made = await Promise.all(
      payloads.map((name) => run('work-board/create-card', { idList: lists[0].id, name, desc: all })),
    )
    await run('work-board/add-comment-to-card', { idCard: made[0].id, text: all })
    await run('work-board/update-card', { idCard: made[1].id, name: `${payloads[1]} again` })
    const { body: known } = await server.api('GET', 'subscriptions')
    subscription = known.items[0].id
    await vi.waitFor(() => expect(agent.seen.length).toBeGreaterThan(0), { timeout: 30_000, interval: 100 })

    browser = await launch()
    view = await openConsole(browser, server)
    view.page.on('request', (request) => void asked.add(new URL(request.url()).origin))
    view.page.on('dialog', (dialog) => void asked.add(`dialog: ${dialog.message()}`))
  })
  afterAll(async () => {
    await view.close()
    await browser.close()
    await server.close()
    await provider.close()
    await agent.close()
  })

  it('are more than thirty', () => expect(new Set(payloads).size).toBeGreaterThanOrEqual(32))

  it.each([
    '',
    'steps',
    'triggers',
    'events',
    'starts',
    'connections',
    'runs',
    'usage',
    'operator/tenants',
    'operator/tokens',
    'operator/audit',
    'operator/checks',
  ])('do nothing on the page %s', async (path) => {
    await view.open(path)
    await settled()
    await expectHarmless()
  })

  it('do nothing in the output of a step, in any of its views', async () => {
    const { page } = view
    await view.open('steps/work-board/get-boards')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expectShown(payloads[1]!)
    for (const name of ['Tree', 'JSON', 'Result']) {
      await page.getByRole('tab', { name, exact: true }).click()
      await settled()
      await expectHarmless()
    }
  })

  it('do nothing in a record of a company, or in the error page of its provider', async () => {
    const { page } = view
    const look = async (domain: string) => {
      await page.getByRole('textbox', { name: /^Domain/ }).fill(domain)
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      // A lookup that costs credits is confirmed first.
      await page.getByRole('dialog').getByRole('button', { name: /run/i }).click()
    }
    await view.open('steps/anz-data/company-enrichment')
    await look('wattle.example')
    await expectShown(payloads[1]!)
    await expectHarmless()
    isBroken = true
    await view.open('steps/anz-data/company-enrichment')
    // What was found is not asked for again.
    await look('acacia.example')
    await page.getByRole('alert').first().waitFor()
    await expectHarmless()
    isBroken = false
  })

  it('do nothing in events, in what they changed and in starts with their answers', { timeout: 300_000 }, async () => {
    const events = (await server.api('GET', 'events?limit=50')).body.items as { id: string; type: string }[]
    const starts = (await server.api('GET', 'starts?limit=50')).body.items as { id: string }[]
    const changed = events.find(({ type }) => type === 'updateCard') ?? events[0]!
    const commented = events.find(({ type }) => type === 'commentCard') ?? events[1]!
    for (const path of [
      `events/${changed.id}`,
      `events/${commented.id}`,
      `events/${events.at(-1)!.id}`,
      `starts/${starts[0]!.id}`,
      `subscriptions/${subscription}`,
    ]) {
      await view.open(path)
      await settled()
      const closed = view.page.locator('main details:not([open]) > summary').filter({ visible: true })
      while ((await closed.count()) > 0) await closed.first().click()
      await settled()
      await expectHarmless()
    }
  })

  it('do nothing in dropdowns that are loaded from the account', async () => {
    const { page } = view
    await view.open('steps/work-board/create-card')
    await page.getByRole('combobox', { name: 'Board' }).click()
    await page.getByRole('listbox').getByRole('option').first().waitFor()
    await expectShown(payloads[1]!)
    await expectHarmless()
  })

  it('cannot frame the console in another page', async () => {
    const other = createServer((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<iframe src="${server.origin}/console/" name="framed"></iframe>`),
    )
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done))
    const page = await view.context.newPage()
    await page.goto(`http://127.0.0.1:${(other.address() as { port: number }).port}/`)
    const frame = page.frame('framed')!
    expect(await frame.locator('#app').count()).toBe(0)
    expect(frame.url()).not.toContain('/console/')
    await page.close()
    await new Promise((done) => other.close(done))
  })
})
