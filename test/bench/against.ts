/**
 * This version against a former one: `npm run bench -- against <commit or tag>`. The former one is built from its
 * commit, with the packages that are installed, or with its own where its lockfile has others. Each round starts a
 * process of each and gives a pair of figures; processes come out quick or slow, by a third, and stay so. Exits 1 when
 * something is slower with its whole 95 % interval.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAll } from '../../scripts/build.ts'
import { judge, sentenceOf } from './comparison.ts'
import type { Verdict } from './comparison.ts'
import { openProviders, startWork } from './work-clients.ts'
import type { Work } from './work-clients.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const rounds = 15
const warmMs = 3_000
const cellMs = 1_500
/** Starts that fill the compile cache, and the first that reads all of it. */
const coldWarmups = 2

const works: Record<Work, string> = {
  create: 'full Create Card step, CPU at 32 at once',
  stored: 'full step with the embedded store, CPU at 32 at once',
  keyed: 'full step with the embedded store and an idempotency key, CPU at 32 at once',
  '100': 'list of 100 cards, every card checked, CPU',
  '1000': 'list of 1000 cards, every card checked, CPU',
  delivery: 'delivery until it is answered (signature, match, commit), CPU at 32 at once',
}

const run = (command: string, commandArguments: string[], cwd = root): boolean =>
  spawnSync(command, commandArguments, { cwd, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0

/** A build of the commit in a folder of its own, which is removed at the end. */
const buildFormer = (commit: string): string => {
  if (!run('git', ['rev-parse', '--quiet', '--verify', `${commit}^{commit}`]))
    throw new Error(
      `This repository has no commit or tag "${commit}"; fetch it first, for example with git fetch --tags.`,
    )
  // On the disk of the checkout, whose packages can then be linked. A link to their folder would not do: the build
  // identifies packages by their path.
  const parent = join(root, '.toolyard')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'against-'))
  const former = join(folder, 'former')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  process.once('exit', () => {
    run('git', ['worktree', 'remove', '--force', former])
    rmSync(folder, { recursive: true, force: true })
  })
  if (!run('git', ['worktree', 'add', '--quiet', '--detach', former, commit]))
    throw new Error(`"${commit}" could not be checked out.`)
  const lockfile = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8')
  const hasPackages =
    lockfile(former) === lockfile(root)
      ? run('cp', ['-al', join(root, 'node_modules'), former])
      : run('npm', ['ci', '--silent'], former)
  if (!hasPackages) throw new Error(`The packages of "${commit}" could not be installed.`)
  if (!run(process.execPath, ['scripts/build.ts'], former)) throw new Error(`"${commit}" could not be built.`)
  return former
}

type Side = 'former' | 'present'
/** A former version that has no such thing yet, or another way to it. Of the present one every failure is a failure. */
class Incomparable extends Error {}
type Dists = Record<Side, string>
/** In another order each time, since what comes after a rest of the machine is quicker. */
const orderOf = (round: number): Side[] => (round % 2 === 0 ? ['former', 'present'] : ['present', 'former'])

/** Ratios of today's figures to the former ones, a pair a round. */
const pairs = async (measure: (side: Side) => Promise<number>): Promise<number[]> => {
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const figures = {} as Record<Side, number>
    for (const side of orderOf(round))
      figures[side] = await measure(side).catch((error: unknown) => {
        throw side === 'former' ? new Incomparable((error as Error).message) : error
      })
    ratios.push(figures.present / figures.former)
  }
  return ratios
}

const compareWork = async (work: Work, dists: Dists, providers: Awaited<ReturnType<typeof openProviders>>) =>
  pairs(async (side) => {
    const client = await startWork(dists[side], work, providers.of(work))
    await client.drive(warmMs)
    const figure = await client.drive(cellMs)
    await client.end()
    return figure
  })

const compareColdStarts = async (dists: Dists, origin: string) => {
  const script = fileURLToPath(new URL('./cold/step.js', import.meta.url))
  const start = (side: Side) =>
    new Promise<number>((resolve, reject) => {
      const began = performance.now()
      const cache = join(dists.former, `../../cache-${side}`)
      const child = spawn(process.execPath, [script, origin, cache, dists[side]], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      child.stdout.once('data', () => resolve(performance.now() - began))
      child.once('exit', (code) => code === 0 || reject(new Error(`${script} ended with ${code}`)))
    })
  for (let count = 0; count < coldWarmups; count += 1) for (const side of orderOf(count)) await start(side)
  return pairs(start)
}

/** Says of each row how it compares; those that a former version cannot do are left out, by name. */
export const compareWith = async (commit: string): Promise<Verdict[]> => {
  const former = buildFormer(commit)
  await buildAll()
  const dists = { former: join(former, 'dist'), present: join(root, 'dist') }
  const providers = await openProviders()
  const verdicts: Verdict[] = []
  const note = async (what: string, ratios: () => Promise<number[]>) => {
    try {
      const verdict = judge(what, await ratios())
      console.log(sentenceOf(verdict))
      verdicts.push(verdict)
    } catch (error) {
      if (!(error instanceof Incomparable)) throw error
      console.log(`not measured: ${what}: ${error.message}`)
    }
  }
  for (const [work, what] of Object.entries(works) as [Work, string][])
    await note(what, () => compareWork(work, dists, providers))
  await note('cold start to the first completed step', () => compareColdStarts(dists, providers.of('create').origin))
  await providers.close()
  return verdicts
}

if (import.meta.main) {
  const [commit] = process.argv.slice(2)
  if (commit === undefined)
    throw new Error('Name the commit or tag to compare with: npm run bench -- against <commit or tag>')
  const slower = (await compareWith(commit)).filter(({ isSlower }) => isSlower)
  for (const { what } of slower) console.log(`slower than ${commit}: ${what}`)
  process.exit(slower.length > 0 ? 1 : 0)
}
