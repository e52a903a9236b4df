/**
 * The console in a real browser, over a server with the sandbox: `node test/bench/console.ts`. Without Chromium it
 * measures nothing and says so.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { buildConsole } from '../../scripts/console.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { chromium } from '../e2e/browser.ts'
import type { Page } from '../e2e/browser.ts'
import { launch, openConsole, openServer } from '../e2e/console/setup.ts'
import { event } from '../store/make.ts'
import { consoleSizes } from '../support/console-sizes.ts'
import { median, report, row } from './support.ts'

if (chromium === undefined) {
  console.log(
    'Skipped: there is no Chromium here, or test/tools is not installed (npm ci --prefix test/tools; apt-get install -y --no-install-recommends chromium).',
  )
  process.exit(0)
}

const rounds = 5
const moves = 15
const many = 10_000

const store = createMemoryStore()
const server = await openServer({ store })
const browser = await launch()
const { body: connections } = await server.api('GET', 'connections?integration=work-board')
const connection = connections.items[0].id as string

// ---- the first page

// Signed in once, in a window that is closed again: its page would take part of what is measured.
const signedIn = await openConsole(browser, server)
const cookies = await signedIn.context.cookies()
await signedIn.close()

/** Ms from the navigation until the page has its heading and nothing of it is loading any more. */
const firstPage = async () => {
  // A browser that has seen nothing of the console.
  const fresh = await browser.newContext()
  await fresh.addCookies(cookies)
  const page = await fresh.newPage()
  await page.addInitScript(() => {
    const look = () => {
      if (document.querySelector('main h1') && !document.querySelector('.loading'))
        Object.assign(globalThis, { usableAt: performance.now() })
      else requestAnimationFrame(look)
    }
    look()
  })
  // With each window Chromium loads pages of its own, of its address bar, for about a second.
  await wait(2_000)
  await page.goto(`${server.origin}/console/`)
  await page.waitForFunction(() => 'usableAt' in globalThis)
  const usableAt = await page.evaluate(() => (globalThis as unknown as { usableAt: number }).usableAt)
  await fresh.close()
  return usableAt
}
const usable: number[] = []
for (let round = 0; round <= rounds; round += 1) usable.push(await firstPage())
// The first of all also waits for the server to build the console.
usable.shift()

// ---- from a card that is moved to its start on the page

const agent = createServer((request, response) => request.resume().on('end', () => response.writeHead(200).end()))
await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
const [board] = server.sandbox.board.control.overview().flatMap(({ id, closed, lists }) => {
  const from = lists.find(({ cards }) => cards.some((card) => !card.closed))
  const to = lists.find((list) => list !== from)
  return closed || !from || !to ? [] : [{ id, from, to }]
})
await server.api('POST', 'subscriptions', {
  integration: 'work-board',
  trigger: 'card-moved',
  config: { boards: [board!.id] },
  agent: { url: `http://127.0.0.1:${(agent.address() as AddressInfo).port}/` },
})
const view = await openConsole(browser, server)
const { page, open } = view
await open('starts')
await page.getByText('Live', { exact: true }).waitFor()
const idCard = board!.from.cards.find((card) => !card.closed)!.id
const shown: number[] = []
for (let n = 0; n < moves; n += 1) {
  // At any moment between two looks of the stream.
  await wait(400 + ((n * 37) % 500))
  const appears = page.evaluate(
    (count) =>
      new Promise<number>((resolve) => {
        const look = () =>
          document.querySelectorAll('[data-row]').length > count ? resolve(Date.now()) : requestAnimationFrame(look)
        look()
      }),
    n,
  )
  const at = Date.now()
  server.sandbox.board.control.moveCard({ by: 'odettequill', idCard, idList: n % 2 ? board!.from.id : board!.to.id })
  shown.push((await appears) - at)
}

// ---- 10,000 events

const put = (prefix: string, count: number, at: number) =>
  store.ingest({
    events: Array.from({ length: count }, (_, n) =>
      event('default', `${prefix}-${n}`, {
        connection,
        subject: `card-${prefix}-${n}`,
        at: at + n,
        receivedAt: at + n,
      }),
    ),
  })
const began = Date.now() - many * 1000
for (let n = 0; n < many / 500; n += 1) await put(`old-${n}`, 500, began + n * 500_000)
await open('events')
await page.getByText('Live', { exact: true }).waitFor()
const table = page.getByRole('table', { name: 'Events' })
while ((await table.getAttribute('aria-rowcount')) === '-1') {
  await table.evaluate((element) => (element.scrollTop = element.scrollHeight))
  await wait(30)
}

/** The longest time between two frames while the whole list goes by, from end to end, in about three seconds. */
const longestFrame = (on: Page) =>
  on.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const list = document.querySelector('.virtual')!
        const length = list.scrollHeight - list.clientHeight
        const up = list.scrollTop > length / 2
        const frames = 180
        let frame = 0
        let longest = 0
        let before: number | undefined
        const next = (at: number) => {
          if (before !== undefined) longest = Math.max(longest, at - before)
          before = at
          frame += 1
          if (frame > frames) return resolve(longest)
          list.scrollTop = (length * (up ? frames - frame : frame)) / frames
          requestAnimationFrame(next)
        }
        requestAnimationFrame(next)
      }),
  )
const quiet: number[] = []
for (let round = 0; round <= rounds; round += 1) quiet.push(await longestFrame(page))
quiet.shift()

const live: number[] = []
let batch = 0
const flood = setInterval(() => void put(`live-${(batch += 1)}`, 10, Date.now()), 100)
for (let round = 0; round < rounds; round += 1) {
  await wait(1000)
  live.push(await longestFrame(page))
}
clearInterval(flood)
const arrived = batch * 10
await page.waitForFunction(
  (least) => Number(document.querySelector('[role=table]')?.getAttribute('aria-rowcount')) >= least,
  many + arrived,
)

// ---- what is sent to the browser

const { everyPage, all } = consoleSizes(await buildConsole())

report('console', [
  row('console, first page usable in a browser that has not seen it', median(usable), 'ms', '<= 1000'),
  row('console, a card moved until its start shows', median(shown), 'ms', '<= 1000'),
  row('the same, slowest of 15', Math.max(...shown), 'ms', '<= 1000'),
  row('console, longest frame while 10,000 events scroll', median(quiet), 'ms', '<= 50'),
  row('the same while 100 events a second arrive', median(live), 'ms', '<= 50'),
  row('console, what every page loads, gzip', everyPage, 'kB', '<= 90'),
  row('console, all of it, gzip', all, 'kB', '<= 150'),
])
await view.close()
await browser.close()
agent.close()
await server.close()
