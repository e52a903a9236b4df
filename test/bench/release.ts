/**
 * This version against a former one, with plain clients beside them: `node test/bench/release.ts [commit]`. The former
 * one is built from its commit, with the packages that are installed, or with its own where its lockfile has others. A
 * difference counts when the 95 % interval of the paired rounds lies wholly above 1.03.
 */
import { fork, spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAll } from '../../scripts/build.ts'
import { intervalOf, median, report, row, startMock } from './support.ts'
import type { Row } from './support.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const local = (name: string) => fileURLToPath(new URL(name, import.meta.url))
/** The first landing, whose speed was lost since. */
const [commit = '98c3e94'] = process.argv.slice(2)

const git = (...command: string[]) => {
  const { status, stderr } = spawnSync('git', ['-C', root, ...command], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${command.join(' ')} failed: ${stderr.trim()}`)
}

const folder = mkdtempSync(join(tmpdir(), 'toolyard-release-'))
const former = join(folder, 'former')
git('worktree', 'add', '--detach', former, commit)
process.once('exit', () => {
  git('worktree', 'remove', '--force', former)
  rmSync(folder, { recursive: true, force: true })
})
const lockfile = (folderOf: string) => readFileSync(join(folderOf, 'package-lock.json'), 'utf8')
if (lockfile(former) !== lockfile(root)) spawnSync('npm', ['ci', '--silent'], { cwd: former, stdio: 'inherit' })
// A link would not do: the build identifies packages by their path.
else cpSync(join(root, 'node_modules'), join(former, 'node_modules'), { recursive: true, verbatimSymlinks: true })
if (spawnSync(process.execPath, ['scripts/build.ts'], { cwd: former }).status !== 0)
  throw new Error(`${commit} could not be built.`)
await buildAll()
const { origin, stop } = await startMock('./plain-mock.ts')

const names = ['undici', 'fetch', 'former', 'present'] as const
type Name = (typeof names)[number]
const dists: Partial<Record<Name, string>> = { former: join(former, 'dist'), present: join(root, 'dist') }
type Figures = Record<Name, number[]>
const noFigures = (): Figures => ({ undici: [], fetch: [], former: [], present: [] })

/** Processes come out quick or slow, by a third, and stay so: several of each, and a few rounds with each. */
const generations = 5
const rounds = 3
const warmMs = 4_000
const cellMs = 1_500

const nextMessage = (child: ChildProcess) =>
  new Promise<unknown>((resolve, reject) => {
    const ended = () => reject(new Error('A client ended.'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })

const startClient = async (name: Name, work: string) => {
  const child = fork(local('./release-client.js'), [name in dists ? 'step' : name, origin, work, dists[name] ?? ''])
  await nextMessage(child)
  const drive = async (ms: number) => {
    const answer = nextMessage(child)
    child.send({ ms, width: work === 'create' ? 32 : 1 })
    return (await answer) as number
  }
  return { name, drive, end: () => void child.send('end') }
}

const compareWork = async (work: string): Promise<Figures> => {
  const figures = noFigures()
  for (let generation = 0; generation < generations; generation += 1) {
    // In another order each time, since what comes after a rest of the machine is quicker.
    const order = generation % 2 === 0 ? names : names.toReversed()
    const clients = await Promise.all(order.map((name) => startClient(name, work)))
    for (const { drive } of clients) await drive(warmMs)
    for (let round = 0; round < rounds; round += 1)
      for (const { name, drive } of clients) figures[name].push(await drive(cellMs))
    for (const { end } of clients) end()
  }
  return figures
}

const coldMs = (script: string, name: Name) =>
  new Promise<number>((resolve, reject) => {
    const began = performance.now()
    const child = spawn(process.execPath, [local(script), origin, join(folder, `cache-${name}`), dists[name] ?? ''], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    child.stdout.once('data', () => resolve(performance.now() - began))
    child.once('exit', (code) => code === 0 || reject(new Error(`${script} ended with ${code}`)))
  })

const compareColdStarts = async (): Promise<Figures> => {
  const figures = noFigures()
  const starts = [
    ['undici', './cold/bare.js'],
    ['former', './cold/step.js'],
    ['present', './cold/step.js'],
  ] as const
  // The first start fills the compile cache, the second is the first to read all of it.
  for (let round = -2; round < 21; round += 1) {
    for (const [name, script] of starts) {
      const ms = await coldMs(script, name)
      if (round >= 0) figures[name].push(ms)
    }
  }
  return figures
}

const rowsOf = (what: string, unit: string, figures: Figures): Row[] => {
  const ratios = (name: Name, against: Name) => figures[name].map((value, round) => value / figures[against][round]!)
  const { mean, low, high } = intervalOf(ratios('present', 'former'))
  return [
    row(`${what}, against ${commit}`, mean, 'x'),
    row(`the same, lower end of the 95 % interval (upper end ${high.toPrecision(4)})`, low, 'x', '<= 1.03'),
    row(`${what}, against bare undici request`, median(ratios('present', 'undici')), 'x'),
    ...(figures.fetch.length > 0 ? [row('the same of plain fetch', median(ratios('fetch', 'undici')), 'x')] : []),
    row(`the same of ${commit}`, median(ratios('former', 'undici')), 'x'),
    row(what, median(figures.present), unit),
  ]
}

report('release', [
  ...rowsOf('full Create Card step, CPU at 32 at once', 'µs', await compareWork('create')),
  ...rowsOf('list of 100 cards, CPU', 'µs', await compareWork('100')),
  ...rowsOf('list of 1000 cards, CPU', 'µs', await compareWork('1000')),
  ...rowsOf('cold start to the first completed step', 'ms', await compareColdStarts()),
])
stop()
