/** From `toolyard serve --sandbox` on an empty directory to the printed address: `node test/bench/startup.ts`. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, report, row } from './support.ts'

const entry = fileURLToPath(new URL('../../shared/toolyard.js', import.meta.url))

const start = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-bench-'))
  const began = performance.now()
  const child = spawn(process.execPath, [entry, 'serve', '--sandbox'], {
    env: { PATH: process.env.PATH ?? '', TOOLYARD_DATA: folder, TOOLYARD_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let printed = ''
  await new Promise<void>((done, failed) => {
    child.stdout.on('data', (text: Buffer) => {
      printed += text.toString()
      if (printed.includes('is running')) done()
    })
    child.once('exit', () => failed(new Error(`It ended before it was up: ${printed}`)))
  })
  const took = performance.now() - began
  child.removeAllListeners('exit')
  child.kill('SIGINT')
  await new Promise((done) => child.once('exit', done))
  rmSync(folder, { recursive: true, force: true })
  return took
}

const times: number[] = []
for (let n = 0; n < 5; n += 1) times.push(await start())
report('startup', [row('serve --sandbox on an empty directory, until it is up', median(times), 'ms', '<= 3000')])
