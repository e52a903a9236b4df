/**
 * The short form of the comparison: instructions for a step and for a delivery, counted by valgrind, against those that
 * the last release kept. A machine's speed and load do not change them. `node test/bench/instructions.ts`
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundle } from '../../scripts/build.ts'
import { instructionsIn, judgeCounts } from './comparison.ts'
import type { Counts } from './comparison.ts'
import { readLedgers } from './ledger.ts'
import { openProviders, startWork } from './work-clients.ts'
import type { Work } from './work-clients.ts'

const counted: Partial<Record<Work, string>> = {
  create: 'full Create Card step',
  delivery: 'delivery until it is answered',
}
/** Enough that what happens once is over, and few enough that it takes seconds. */
const counts = { warm: 40, counted: 5 }
/**
 * The cheapest tells: in the others the engine collected garbage or a timer fired, which on a busy machine happens in
 * most of them when they are long.
 */
const windows = 24
/**
 * The same work comes out the same: no threads beside the main one, collections after so many allocations, and no
 * compilers, since what they compile when would be counted to whatever runs then.
 */
const steady = [
  '--single-threaded',
  '--predictable-gc-schedule',
  '--hash-seed=1',
  '--random-seed=1',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--no-wasm-dynamic-tiering',
]

/** Undefined where valgrind is missing. */
const valgrindVersion = (): string | undefined => {
  const { status, stdout } = spawnSync('valgrind', ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** Instructions for each of what is done; undefined without valgrind. */
export const countInstructions = async (dist: string): Promise<Counts | undefined> => {
  const valgrind = valgrindVersion()
  if (valgrind === undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-instructions-'))
  const providers = await openProviders()
  const count = async (work: Work): Promise<number> => {
    const file = join(folder, work)
    const before = ['valgrind', '--tool=callgrind', '--dump-before=uv_os_getpriority', `--callgrind-out-file=${file}`]
    // Reading compiled code takes less than compiling it again under valgrind.
    const node = ['env', `NODE_COMPILE_CACHE=${join(folder, 'cache')}`]
    const uncounted = await startWork(dist, work, providers.of(work), [...node, process.execPath, ...steady])
    await uncounted.run(1)
    await uncounted.end()
    const client = await startWork(dist, work, providers.of(work), [...node, ...before, process.execPath, ...steady])
    await client.run(counts.warm)
    await client.mark()
    for (let window = 0; window < windows; window += 1) {
      await client.run(counts.counted)
      await client.mark()
    }
    await client.end()
    const dumps = Array.from({ length: windows }, (_, window) => readFileSync(`${file}.${2 + window}`, 'utf8'))
    return Math.round(Math.min(...dumps.map(instructionsIn)) / counts.counted)
  }
  try {
    const entries = Object.entries(counted) as [Work, string][]
    const instructions = await Promise.all(entries.map(async ([work, what]) => [what, await count(work)] as const))
    return { node: process.version, arch: process.arch, valgrind, instructions: Object.fromEntries(instructions) }
  } finally {
    await providers.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Builds what is counted; a checkout that has no build has none afterwards either. */
export const countPresent = async (): Promise<Counts | undefined> => {
  const dist = fileURLToPath(new URL('../../dist', import.meta.url))
  const isBuilt = existsSync(dist)
  await bundle()
  try {
    return await countInstructions(dist)
  } finally {
    if (!isBuilt) rmSync(dist, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const present = await countPresent()
  const last = readLedgers().findLast(({ counts: kept }) => kept !== undefined)
  const { lines, isRed } = present
    ? judgeCounts(present, last && { ...last.counts!, version: last.version })
    : { lines: ['not measured: valgrind is missing'], isRed: false }
  console.log(lines.join('\n'))
  if (isRed) {
    console.log(
      'Find what takes more instructions. If it is worth them, store the new counts with npm run bench -- keep.',
    )
    process.exitCode = 1
  }
}
