/** A full step against bare HTTP clients, each in a process of its own, interleaved in one run: `node test/bench/step.ts`. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { buildAll } from '../../scripts/build.ts'
import type { Ask, Work } from './client.ts'
import { median, report, row, startMock } from './support.ts'

const generations = 5
const rounds = 5
type Name = 'undici' | 'undici-twice' | 'step' | 'fetch' | 'ky' | 'step-stored' | 'step-keyed'

await buildAll()
const { origin, stop } = await startMock()

const start = async (name: Name) => {
  const child = fork(fileURLToPath(new URL('./client.ts', import.meta.url)), [name, origin])
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      const failed = () => reject(new Error(`The client "${name}" ended.`))
      child.once('exit', failed)
      child.once('message', (message) => {
        child.off('exit', failed)
        resolve(message)
      })
    })
  await next()
  const ask = async (measure: Ask['measure'], work: Work, width: number, count: number) => {
    const answer = next()
    child.send({ measure, work, width, count } satisfies Ask)
    return (await answer) as number
  }
  return { ask, end: () => void child.send('end') }
}

type Client = Awaited<ReturnType<typeof start>>
const figures = new Map<string, number[]>()
const note = (name: Name, what: string, value: number) => void figures.set(`${name} ${what}`, [...(figures.get(`${name} ${what}`) ?? []), value])
const of = (name: Name, what: string) => figures.get(`${name} ${what}`)!
/** Median of the ratios round by round: the machine's speed drifts, within a round it hardly does. */
const ratio = (what: string, name: Name, against: Name) => median(of(name, what).map((value, round) => value / of(against, what)[round]!))

/** One kind of work in processes that do nothing else, as clients are apart: the garbage of large lists would be counted to the cards after them. */
const compare = async (
  among: readonly Name[],
  warmUp: (client: Client, name: Name) => Promise<unknown>,
  round: (client: Client, name: Name) => Promise<void>,
) => {
  const clients = await Promise.all(among.map(async (name) => [name, await start(name)] as const))
  for (const [name, client] of clients) await warmUp(client, name)
  for (let count = 0; count < rounds; count += 1) for (const [name, client] of clients) await round(client, name)
  for (const [, client] of clients) client.end()
}

const isSlow = (name: Name) => name === 'fetch' || name === 'ky'
// Until the engine has compiled what it is going to compile, which for a step takes some 60,000 of them: servers run for days.
const warm = (client: Client, name: Name) => client.ask('cpu', 'create', 32, isSlow(name) ? 8000 : 80_000)
// A process stays as quick or slow as it came out, by a third: only several of each tell.
for (let generation = 0; generation < generations; generation += 1) {
  await compare(['undici', 'step'], warm, async (client, name) => {
    note(name, 'cpu', await client.ask('cpu', 'create', 32, 6000))
    note(name, 'p50', await client.ask('p50', 'create', 1, 1500))
  })
}
await compare(['undici', 'step', 'fetch', 'ky', 'step-stored', 'step-keyed'], warm, async (client, name) =>
  note(name, 'all', await client.ask('cpu', 'create', 32, isSlow(name) ? 2000 : 6000)),
)
for (const [work, count, among] of [
  ['list-100', 200, ['undici', 'step']],
  ['list-1000', 40, ['undici', 'undici-twice', 'step']],
] as const) {
  for (let generation = 0; generation < generations; generation += 1) {
    await compare(
      among,
      (client) => client.ask('cpu', work, 1, count * 8),
      async (client, name) => note(name, work, await client.ask('cpu', work, 1, count)),
    )
  }
}

report('step', [
  row('full Create Card step, CPU at 32 at once, against bare undici request', ratio('cpu', 'step', 'undici'), 'x', '<= 1.25'),
  row('full Create Card step, p50 one at a time, against bare undici request', ratio('p50', 'step', 'undici'), 'x', '<= 1.2'),
  row('list of 1000 cards, every card checked, CPU against bare undici request', ratio('list-1000', 'step', 'undici'), 'x', '<= 1.2'),
  row('the same against bare undici request that also asks whether there are more', ratio('list-1000', 'step', 'undici-twice'), 'x'),
  row('list of 100 cards, every card checked, CPU against bare undici request', ratio('list-100', 'step', 'undici'), 'x'),
  row('ky, CPU at 32 at once, against the full step', ratio('all', 'ky', 'step'), 'x'),
  row('fetch, CPU at 32 at once, against the full step', ratio('all', 'fetch', 'step'), 'x'),
  row('full step with the embedded store, CPU against bare undici request', ratio('all', 'step-stored', 'undici'), 'x'),
  row('full step with the embedded store and an idempotency key, CPU against bare undici request', ratio('all', 'step-keyed', 'undici'), 'x'),
  row('CPU of a full step at 32 at once', median(of('step', 'cpu')) * 1000, 'µs'),
  row('CPU of bare undici request at 32 at once', median(of('undici', 'cpu')) * 1000, 'µs'),
])
stop()
