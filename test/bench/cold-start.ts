/**
 * From the start of a process to its first completed step, with what `npm run build` makes: `node
 * test/bench/cold-start.ts`.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAll } from '../../scripts/build.ts'
import { median, report, row, startMock } from './support.ts'

const rounds = 21
const cache = mkdtempSync(join(tmpdir(), 'toolyard-cache-'))
await buildAll()
const { origin, stop } = await startMock()

/** Wall ms from spawning the process to its answer, and its resident memory then. */
const start = (script: string) =>
  new Promise<{ ms: number; bytes: number }>((resolve, reject) => {
    const began = performance.now()
    const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), origin, cache], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let ms = NaN
    let text = ''
    child.stdout.on('data', (part: Buffer) => {
      ms = performance.now() - began
      text += part.toString()
    })
    child.once('exit', (code) =>
      code === 0 ? resolve({ ms, bytes: Number(text) }) : reject(new Error(`${script} ended with ${code}`)),
    )
  })

const step = './cold/step.js'
const bare = './cold/bare.js'
// The first start of each fills the compile cache, the second is the first to read all of it.
for (const script of [step, bare, step, bare]) await start(script)

const times = { step: [] as number[], bare: [] as number[] }
const memory = { step: [] as number[], bare: [] as number[] }
for (let round = 0; round < rounds; round += 1) {
  for (const [name, script] of [
    ['step', step],
    ['bare', bare],
  ] as const) {
    const { ms, bytes } = await start(script)
    times[name].push(ms)
    memory[name].push(bytes / 1e6)
  }
}

report('cold-start', [
  row(
    'cold start to the first completed step, against bare undici request',
    median(times.step.map((ms, index) => ms / times.bare[index]!)),
    'x',
    '<= 1.3',
  ),
  row('resident memory after the first step', median(memory.step), 'MB', '<= 80'),
  row('cold start to the first completed step', median(times.step), 'ms'),
  row('cold start of bare undici request', median(times.bare), 'ms'),
  row('resident memory after bare undici request', median(memory.bare), 'MB'),
])
stop()
rmSync(cache, { recursive: true, force: true })
