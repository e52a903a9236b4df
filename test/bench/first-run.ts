/**
 * A newcomer's first success, in a real browser and with nothing set up: `node test/bench/first-run.ts`. Each round
 * starts a server with the sandbox on a fresh data directory. Without Chromium it measures nothing and says so.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, launch } from '../e2e/browser.ts'
import { isDone, takeFirstSteps } from '../e2e/console/first-steps.ts'
import { start, toolyard } from '../faces/process.ts'
import { median, report, row } from './support.ts'

if (chromium === undefined) {
  console.log(
    'Skipped: there is no Chromium here, or test/tools is not installed (npm ci --prefix test/tools; apt-get install -y --no-install-recommends chromium).',
  )
  process.exit(0)
}

const rounds = 3
const browser = await launch()
const seconds: number[] = []
const shown: number[] = []
for (let round = 0; round < rounds; round += 1) {
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-first-'))
  const env = { TOOLYARD_DATA: directory, TOOLYARD_PORT: '0' }
  const began = Date.now()
  const server = start(['serve', '--sandbox'], env)
  try {
    await server.printed('Try:')
    const link = /http:\S+#code=\S+/.exec((await toolyard(['console'], env)).out)![0]
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    await page.goto(link)
    const { drag, other } = await takeFirstSteps(page, context)
    await other.evaluate(() =>
      document.addEventListener('drop', () => Object.assign(globalThis, { droppedAt: Date.now() }), true),
    )
    // Waited for beside the drag, which returns some time after the drop.
    const seen = page
      .getByRole('table', { name: 'Latest starts' })
      .waitFor()
      .then(() => Date.now())
    await drag()
    shown.push((await seen) - (await other.evaluate(() => (globalThis as unknown as { droppedAt: number }).droppedAt)))
    await isDone(page, 'See the agent start')
    seconds.push((Date.now() - began) / 1000)
    await context.close()
  } finally {
    server.kill('SIGTERM')
    await server.ended
    rmSync(directory, { recursive: true, force: true })
  }
}
await browser.close()
report('first-run', [
  row(
    'first success from a fresh data directory, start of the server included, slowest of 3',
    Math.max(...seconds),
    's',
    '<= 60',
  ),
  row('a card dragged in the other window until its start shows', median(shown), 'ms', '<= 1000'),
])
