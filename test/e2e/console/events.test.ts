import { createServer } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server as TcpServer, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../shared/store/index.ts'
import { event } from '../../store/make.ts'
import { chromium } from '../browser.ts'
import type { Browser } from '../browser.ts'
import { delayFrames, launch, lookAtAllViews, openConsole, openServer } from './setup.ts'
import type { Console, Server } from './setup.ts'

const store = createMemoryStore()
let server: Server
let browser: Browser
let view: Console
let connection: string
let subscription: string
type List = { id: string; name: string; cards: { id: string; name: string }[] }
let board: { id: string; from: List; to: List }
/** What the agent answers. */
let status = 200
const seen: string[] = []

const agent = createServer(async (request, response) => {
  await text(request)
  seen.push(String(request.headers['webhook-id']))
  response.writeHead(status).end('as told')
})

/** A person moves a card back and forth. */
const move = (n = 0) => {
  const { from, to } = board
  const { id } = from.cards[n]!
  server.sandbox.board.control.moveCard({ by: 'odettequill', idCard: id, idList: to.id })
  server.sandbox.board.control.moveCard({ by: 'odettequill', idCard: id, idList: from.id })
}

const deadStarts = async () =>
  (await server.api('GET', `starts?state=dead&subscription=${subscription}`)).body.items as {
    id: string
    event: string
  }[]
const rows = (name: string) => view.page.getByRole('table', { name }).locator('[data-row]')
const isLive = () => view.page.getByText('Live', { exact: true }).waitFor()

/** A way to the server that can be cut. */
const openLine = async (port: number) => {
  const sockets = new Set<Socket>()
  let line: TcpServer
  const open = (at: number) =>
    new Promise<number>((resolve) => {
      line = createTcpServer((near) => {
        const far = connect(port, '127.0.0.1')
        for (const socket of [near, far]) {
          sockets.add(socket)
          socket.on('error', () => undefined)
        }
        near.pipe(far).pipe(near)
      }).listen(at, '127.0.0.1', () => resolve((line.address() as AddressInfo).port))
    })
  const at = await open(0)
  const cut = () => {
    line.close()
    for (const socket of sockets) socket.destroy()
  }
  return { origin: `http://127.0.0.1:${at}`, cut, mend: async () => void (await open(at)) }
}

describe.skipIf(chromium === undefined)('events and starts', () => {
  beforeAll(async () => {
    server = await openServer({ store })
    browser = await launch()
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/start`
    const boards = server.sandbox.board.control.overview().flatMap(({ id, closed, lists }) => {
      const from = lists.find(({ cards }) => cards.filter((card) => !card.closed).length > 2)
      const to = lists.find((list) => list !== from)
      return closed || !from || !to ? [] : [{ id, from, to }]
    })
    board = boards[0]!
    const { body: connections } = await server.api('GET', 'connections?integration=work-board')
    connection = connections.items[0].id
    const { body } = await server.api('POST', 'subscriptions', {
      integration: 'work-board',
      trigger: 'card-moved',
      config: { boards: [board.id] },
      agent: { url },
    })
    subscription = body.id
    // The search for missed events begins now: those of the sandbox's past would come between the rows at any moment.
    const cursor = (await store.cursors.get('default', connection, `board:${board.id}`))!
    await store.cursors.put({ ...cursor, position: null, at: Date.now() })
    view = await openConsole(browser, server)
  })
  afterAll(async () => {
    expect(view.complaints).toEqual([])
    await view.close()
    await browser.close()
    await server.close()
    agent.close()
  })

  it('says what to do while there is nothing', async () => {
    await view.open('events')
    await view.page.getByRole('heading', { name: 'No events yet' }).waitFor()
    await isLive()
    expect(await lookAtAllViews(view.page)).toEqual([])
  })

  it('shows an event and its start as they happen', async () => {
    move()
    await expect.poll(() => rows('Events').count()).toBe(2)
    await expect
      .poll(() => rows('Events').first().innerText())
      .toMatch(/Odette Quill moved[\s\S]*Sandbox board[\s\S]*127\.0\.0\.1/)
    expect(await view.page.getByRole('table', { name: 'Events' }).getAttribute('aria-rowcount')).toBe('3')
  })

  it('holds still while paused, and goes on with what came meanwhile', async () => {
    const { page } = view
    await page.evaluate(delayFrames, 1_000)
    await page.getByRole('button', { name: 'Pause' }).click()
    move(1)
    await page.getByText(/Waiting changes: \d+/).waitFor()
    expect(await rows('Events').count()).toBe(2)
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => rows('Events').count()).toBe(4)
  })

  it('keeps its filters in the address', async () => {
    const { page } = view
    const { id: about, name } = board.from.cards[1]!
    // By its name, which the server learned from the delivery.
    await page.getByLabel('About').fill(name.slice(0, 4))
    await page.locator(`datalist option[value="${name}"]`).waitFor({ state: 'attached' })
    await page.getByLabel('About').fill(name)
    await page.getByLabel('About').press('Enter')
    await expect.poll(() => rows('Events').count()).toBe(2)
    await page.getByLabel('State').selectOption('matched')
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ about, state: 'matched' })
    await page.reload()
    await isLive()
    await expect.poll(() => rows('Events').count()).toBe(2)
    await expect.poll(() => page.getByLabel('About').inputValue()).toBe(name)
    // Live events that do not fit stay out.
    move(0)
    move(1)
    await expect.poll(() => rows('Events').count()).toBe(4)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(() => rows('Events').count()).toBe(8)
    expect(new URL(page.url()).search).toBe('')
  })

  it('tells the story of an event: what changed, the attempts of its start, its payload', async () => {
    const { page } = view
    await rows('Events').first().getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Time line' }).waitFor()
    const story = await page.locator('.timeline').first().innerText()
    expect(story).toMatch(
      /Happened[\s\S]*Received[\s\S]*Verified[\s\S]*Matched[\s\S]*It started one agent[\s\S]*Started[\s\S]*Card Moved[\s\S]*Attempt 1[\s\S]*answered 200/,
    )
    await page.getByText('Details', { exact: true }).click()
    const change = page.getByRole('region', { name: 'What changed' })
    expect(await change.innerText()).toContain(board.from.id)
    expect(await change.innerText()).toContain(board.to.id)
    await page.getByText('payload', { exact: true }).waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    const before = seen.length
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await page.getByText('1 replayed, 0 new.').waitFor()
    await expect.poll(() => seen.length).toBe(before + 1)
    await expect.poll(() => page.locator('.timeline').first().innerText()).toContain('Attempt 2')
  })

  it('says why it started nothing else, with what to do about it', async () => {
    const { page, open } = view
    const attach = async (more: object) =>
      (
        await server.api('POST', 'subscriptions', {
          integration: 'work-board',
          trigger: 'card-moved',
          config: { boards: [board.id] },
          agent: { id: 'helper', url: 'https://agents.example/start' },
          ...more,
        })
      ).body.id as string
    const paused = await attach({})
    await server.api('POST', `subscriptions/${paused}/pause`)
    const filtered = await attach({ config: { boards: [board.id], toLists: ['5'.repeat(24)] } })
    move(2)
    await open('events')
    await isLive()
    const [moved] = (await server.api('GET', 'events?limit=1')).body.items as { id: string }[]
    await expect.poll(() => rows('Events').count()).toBeGreaterThan(9)
    await rows('Events').first().getByRole('link').first().click()
    const why = page.locator('.why > li')
    await expect.poll(() => why.count()).toBe(3)
    expect(new URL(page.url()).pathname).toContain(moved!.id)
    // What the subscription is comes after the verdicts.
    await expect.poll(() => why.nth(0).innerText()).toMatch(/started[\s\S]*127\.0\.0\.1/)
    const says = (text: string) => why.filter({ hasText: text })
    await says('Its filter “To lists” does not let this event through.')
      .getByRole('button', { name: 'Edit the filter' })
      .waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    await says('It is paused.').getByRole('button', { name: 'Resume' }).click()
    await says('It was paused when this happened, and was resumed later.').waitFor()
    await page.getByRole('link', { name: 'Paste a delivery' }).waitFor()
    for (const id of [paused, filtered]) await server.api('DELETE', `subscriptions/${id}`)
  })

  it('lists dead letters and replays one: its agent gets the same key, or with force a new one', async () => {
    const { page, open } = view
    status = 400
    move(0)
    move(1)
    move(2)
    await expect.poll(async () => (await deadStarts()).length).toBe(6)
    await open('starts')
    await isLive()
    await page.getByRole('button', { name: 'Dead letters' }).click()
    await expect.poll(() => rows('Starts').count()).toBe(6)
    expect(new URL(page.url()).search).toBe('?state=dead')
    expect(await rows('Starts').first().innerText()).toMatch(/moved[\s\S]*dead letter[\s\S]*400/)
    expect(await lookAtAllViews(page)).toEqual([])

    await rows('Starts').first().getByRole('link').first().click()
    await page.getByText('answered 400').waitFor()
    await page.getByText('Given up after the last attempt').waitFor()
    expect(await lookAtAllViews(page)).toEqual([])
    const key = new URL(page.url()).pathname.split('/').at(-1)!
    status = 200
    seen.length = 0
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay this start' }).click()
    await page.getByText('answered 200').waitFor()
    expect(seen).toEqual([key])
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByLabel('With a new key').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay this start' }).click()
    await expect.poll(() => seen.length).toBe(2)
    expect(seen[1]).not.toBe(key)
  })

  it('replays many that were selected, and all of a subscription', async () => {
    const { page, open } = view
    await open(`starts?state=dead&subscription=${subscription}`)
    await isLive()
    await expect.poll(() => rows('Starts').count()).toBe(5)
    await rows('Starts').nth(0).getByRole('checkbox').check()
    await rows('Starts').nth(1).getByRole('checkbox').check()
    seen.length = 0
    await page.getByRole('button', { name: 'Replay 2' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay 2 starts' }).click()
    await page.getByText('2 replayed.').waitFor()
    // They are dead letters no more.
    await expect.poll(() => rows('Starts').count()).toBe(3)
    await page.getByRole('button', { name: 'Replay all dead letters of the subscription' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay all' }).click()
    await page.getByText('3 replayed.').waitFor()
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor()
    await expect.poll(() => new Set(seen).size).toBe(5)
  })

  it('shows gaps and undecodable deliveries between the events', async () => {
    const { page, open } = view
    const now = Date.now()
    const gap = { tenant: 'default', connection, model: `board:${board.id}`, kind: 'events', createdAt: now }
    await store.ingest({
      gaps: [
        {
          ...gap,
          id: 'gap-1',
          fromAt: now - 9_000_000,
          toAt: now - 8_000_000,
          reason: 'The history does not reach back so far.',
        },
      ],
    })
    await store.undecodable.add({
      tenant: 'default',
      id: 'odd-1',
      integration: 'work-board',
      connection,
      hook: 'h1',
      receivedAt: now,
      reason: 'It has no action.',
      raw: Buffer.from('{"model":{"name":"<b>odd</b>"}}'),
    })
    await open('events')
    // Events of the history may still arrive above it.
    const odd = rows('Events').filter({ hasText: 'Undecodable' })
    await expect.poll(() => odd.allInnerTexts()).toEqual([expect.stringMatching(/It has no action/)])
    await expect.poll(() => rows('Events').last().innerText()).toMatch(/Gap[\s\S]*does not reach back/)
    await odd.getByRole('button').click()
    expect(await page.getByRole('dialog').innerText()).toContain('{"model":{"name":"<b>odd</b>"}}')
    expect(await lookAtAllViews(page)).toEqual([])
    await page.keyboard.press('Escape')
    await rows('Events').last().getByRole('button').click()
    expect(await page.getByRole('dialog').innerText()).toMatch(
      /could not be recovered[\s\S]*The history does not reach back so far/,
    )
    await page.keyboard.press('Escape')
  })

  it('stays where it is read while events arrive, and reads older pages at the end', async () => {
    const { page, open } = view
    const at = Date.now() - 100_000
    const many = (from: number, count: number, time: number) =>
      store.ingest({
        events: Array.from({ length: count }, (_, n) =>
          event('default', `many-${from + n}`, {
            connection,
            type: `many-${from + n}`,
            at: time,
            receivedAt: time + n,
          }),
        ),
      })
    await many(0, 250, at)
    await open('events')
    await isLive()
    const table = page.getByRole('table', { name: 'Events' })
    await table.focus()
    // By keyboard to the end: the next pages are read on the way.
    await expect
      .poll(async () => {
        await page.keyboard.press('End')
        return page.getByText('Gap', { exact: true }).count()
      })
      .toBe(1)
    expect(Number(await table.getAttribute('aria-rowcount'))).toBeGreaterThan(250)
    expect(await rows('Events').count()).toBeLessThan(80)
    await table.evaluate((element) => (element.scrollTop = 3000))
    /** The first row below the head; none until the rows of this place are drawn. */
    const inSight = () =>
      table.evaluate((element) => {
        const top = element.getBoundingClientRect().top + 60
        const isFirst = (row: HTMLElement) =>
          row.getBoundingClientRect().top >= top && row.getBoundingClientRect().top < top + 120
        return [...element.querySelectorAll<HTMLElement>('[data-row]')].find(isFirst)?.innerText ?? ''
      })
    await expect.poll(inSight).toContain('Many ')
    const read = await inSight()
    await many(1000, 15, Date.now())
    await page.getByRole('button', { name: 'Show 15 new' }).waitFor()
    expect(await inSight()).toBe(read)
    await page.getByRole('button', { name: 'Show 15 new' }).click()
    await expect.poll(() => rows('Events').first().innerText()).toContain('Many 1014')
    // The arrow keys go from row to row.
    await rows('Events').first().getByRole('link').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(
      await page.evaluate(() => document.activeElement?.closest('[data-row]')?.getAttribute('aria-rowindex')),
    ).toBe('4')
  })

  it('says what a pasted delivery would start, and why the others would not', async () => {
    const { page, open } = view
    const other = await server.api('POST', 'subscriptions', {
      integration: 'work-board',
      trigger: 'new-comment-added-to-card',
      config: { boards: [board.id] },
      agent: { url: 'https://agents.example/start' },
    })
    expect(other.status).toBe(201)
    const { items } = (await server.api('GET', 'events?limit=200')).body as {
      items: { id: string; starts: { subscription: string }[] }[]
    }
    const moved = items.find(({ starts }) => starts.some((start) => start.subscription === subscription))!
    const { raw } = (await server.api('GET', `events/${moved.id}`)).body as { raw: Record<string, unknown> }
    const action = { ...raw, id: '6b01f63f00000000000000ff' }
    await open('events/paste?integration=work-board')
    await page.getByLabel('Body of the delivery').fill(JSON.stringify({ action, model: { id: board.id } }))
    await page.getByRole('button', { name: 'Show what it would start' }).click()
    const verdicts = page.locator('.would-fire > li')
    await expect.poll(() => verdicts.count()).toBe(2)
    await expect.poll(() => verdicts.nth(0).innerText()).toMatch(/would start[\s\S]*127\.0\.0\.1/)
    await expect
      .poll(() => verdicts.nth(1).innerText())
      .toMatch(/would not start[\s\S]*“New Comment Added to Card” does not look for events of this kind\.$/)
    await page.getByText('Details', { exact: true }).click()
    expect(await page.getByRole('region', { name: 'What changed' }).innerText()).toContain(board.to.id)
    expect(await lookAtAllViews(page)).toEqual([])
    // Nothing was stored.
    expect((await server.api('GET', `events/${action.id}`)).status).toBe(404)
    // Its own delivery again would start nothing new.
    await page.getByLabel('Body of the delivery').fill(JSON.stringify({ action: raw, model: { id: board.id } }))
    await page.getByRole('button', { name: 'Show what it would start' }).click()
    await page.getByText('stored already').waitFor()
    await page.getByRole('link', { name: 'View its start' }).waitFor()
    await page.getByLabel('Body of the delivery').fill('{')
    await page.getByRole('button', { name: 'Show what it would start' }).click()
    await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/JSON/)
  })

  it('says that the server is lost, and reads what was missed when it is back', async () => {
    const { page } = view
    const line = await openLine(Number(new URL(server.origin).port))
    const { body } = await server.api('POST', 'sign-in-codes')
    await page.goto((body.url as string).replace(server.origin, line.origin))
    await page.getByRole('link', { name: 'Events' }).click()
    await isLive()
    line.cut()
    await page.getByText('Not live: reconnecting…').waitFor()
    await page.getByText('The server does not answer.', { exact: false }).waitFor()
    await store.ingest({
      events: [event('default', 'missed', { connection, type: 'missed', at: Date.now(), receivedAt: Date.now() })],
    })
    await line.mend()
    await isLive()
    await expect.poll(() => rows('Events').first().innerText()).toContain('Missed')
    line.cut()
  })
})
