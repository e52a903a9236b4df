import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * One figure: ratios within one run, so that a slow or shared machine does not decide. `bound` null: shown, not judged.
 */
export type Row = { what: string; value: number; unit: string; bound: string | null; holds: boolean | null }

const compare = (value: number, bound: string) => {
  const [sign, limit] = bound.split(' ') as ['<=' | '>=' | '<' | '=', string]
  const at = Number(limit)
  return sign === '<=' ? value <= at : sign === '<' ? value < at : sign === '>=' ? value >= at : value === at
}

export const row = (what: string, value: number, unit: string, bound: string | null = null): Row => ({
  what,
  value: Number(value.toPrecision(4)),
  unit,
  bound,
  holds: bound === null ? null : compare(value, bound),
})

export const median = (values: number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Prints the rows and keeps them in `test/bench/results/<name>.json`. */
export const report = (name: string, rows: Row[]) => {
  for (const { what, value, unit, bound, holds } of rows) {
    console.log(
      `${holds === false ? 'MISSED ' : holds ? 'holds  ' : '       '} ${what}: ${value} ${unit}${bound === null ? '' : ` (bound ${bound})`}`,
    )
  }
  const folder = new URL('./results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(rows, null, 2)}\n`)
  return rows
}

/** Starts a script that prints its origin, in a process of its own. */
export const startMock = async (script = './mock.ts') => {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()))
    child.once('exit', () => reject(new Error('The mock ended before it listened.')))
  })
  return { origin, stop: () => void child.kill() }
}

/** Runs `work` `count` times, `width` at once; gives wall and CPU ms per run. */
export const drive = async (width: number, count: number, work: () => Promise<unknown>) => {
  let started = 0
  const lane = async () => {
    while (started < count) {
      started += 1
      await work()
    }
  }
  const cpu = process.cpuUsage()
  const began = performance.now()
  await Promise.all(Array.from({ length: width }, lane))
  const { user, system } = process.cpuUsage(cpu)
  return { wallMs: (performance.now() - began) / count, cpuMs: (user + system) / 1000 / count }
}

/** Median latency of `count` runs one after the other, ms. */
export const p50 = async (count: number, work: () => Promise<unknown>) => {
  const times: number[] = []
  for (let n = 0; n < count; n += 1) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return median(times)
}
