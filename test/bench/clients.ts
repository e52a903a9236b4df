/** Clients in processes of their own, and the figures they give. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Ask, Workload } from './client.ts'
import { median } from './support.ts'

export type Name = 'undici' | 'undici-twice' | 'exchange' | 'step' | 'fetch' | 'ky' | 'step-stored' | 'step-keyed'

const start = async (name: Name, origin: string) => {
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
  const ask = async (measure: Ask['measure'], work: Workload, width: number, count: number) => {
    const answer = next()
    child.send({ measure, work, width, count } satisfies Ask)
    return (await answer) as number
  }
  return { ask, end: () => void child.send('end') }
}
export type Client = Awaited<ReturnType<typeof start>>

/** How many processes of each client: those that run short calls come out the most different. */
const generations = { cards: 11, lists: 7 }
const rounds = 5

const isSlow = (name: Name) => name === 'fetch' || name === 'ky'
/**
 * Until the engine has compiled what it is going to compile, which for a step takes some 60,000 of them: servers run
 * for days.
 */
export const warm = (client: Client, name: Name) => client.ask('cpu', 'create', 32, isSlow(name) ? 8000 : 80_000)
export const busy = (client: Client, name: Name) => client.ask('cpu', 'create', 32, isSlow(name) ? 2000 : 6000)

export const createFigures = (origin: string) => {
  const figures = new Map<string, number[]>()
  const of = (name: Name, what: string) => figures.get(`${name} ${what}`) ?? []
  const note = (name: Name, what: string, value: number) =>
    void figures.set(`${name} ${what}`, [...of(name, what), value])
  /** Median of the ratios round by round: the machine's speed drifts, within a round it hardly does. */
  const ratio = (what: string, name: Name, against: Name) =>
    median(of(name, what).map((value, round) => value / of(against, what)[round]!))

  /**
   * One kind of work in processes that do nothing else, as clients are apart: the garbage of large lists would be
   * counted to the cards after them. A process stays as quick or slow as it came out, by a third, so only several of
   * each tell.
   */
  const compare = async (
    among: readonly Name[],
    warmUp: (client: Client, name: Name) => Promise<unknown>,
    round: (client: Client, name: Name) => Promise<void>,
    times: number,
  ) => {
    for (let generation = 0; generation < times; generation += 1) {
      const clients = await Promise.all(among.map(async (name) => [name, await start(name, origin)] as const))
      for (const [name, client] of clients) await warmUp(client, name)
      for (let count = 0; count < rounds; count += 1) for (const [name, client] of clients) await round(client, name)
      for (const [, client] of clients) client.end()
    }
  }
  const compareCards = (among: readonly Name[]) =>
    compare(
      among,
      warm,
      async (client, name) => {
        note(name, 'cpu', await busy(client, name))
        note(name, 'p50', await client.ask('p50', 'create', 1, 1500))
      },
      generations.cards,
    )
  const compareLists = async (work: 'list-100' | 'list-1000', among: readonly Name[]) => {
    const count = work === 'list-100' ? 200 : 40
    await compare(
      among,
      (client) => client.ask('cpu', work, 1, count * 8),
      async (client, name) => note(name, work, await client.ask('cpu', work, 1, count)),
      generations.lists,
    )
  }
  return {
    compare,
    compareCards,
    compareLists,
    note,
    ratio,
    typical: (name: Name, what: string) => median(of(name, what)),
  }
}
