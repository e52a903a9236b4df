/** What the soaks do to servers: runs and deliveries at a steady rate, with samples of what they use. */
import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'undici'
import { delivery, openSockets } from '../bench/deliveries.ts'
import { median, row } from '../bench/support.ts'
import type { Row } from '../bench/support.ts'
import { list } from './soak-provider.ts'
import type { Figures, Ready } from './soak-server.ts'

export const fullMinutes = 20
export const minutes = Number(process.env['SOAK_MINUTES'] ?? fullMinutes)
export const durationMs = minutes * 60_000
export const perSecond = { runs: 100, events: 100, polls: 10 }
const samples = 80
/** A request without an answer by then has failed. */
const answerMs = 60_000

export type Sample = Figures & { minute: number; runs: number; events: number }

const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0

/** Does it so often per second until `until`, whatever each takes; what falls behind is caught up with. */
const paced = async (rate: number, until: number, work: () => Promise<void>) => {
  const began = performance.now()
  const open = new Set<Promise<void>>()
  for (let count = 0; performance.now() < until;) {
    for (; count < ((performance.now() - began) / 1000) * rate; count += 1) {
      const task = work().finally(() => open.delete(task))
      open.add(task)
    }
    await wait(5)
  }
  await Promise.all(open)
}

/** Median of a figure over a part of the time. */
export const over = <K extends string>(
  taken: ({ [what in K]: number } & { minute: number })[],
  what: NoInfer<K>,
  from: number,
  to: number,
) =>
  median(taken.filter(({ minute }) => minute >= minutes * from && minute < minutes * to).map((sample) => sample[what]))

/** A server in a process of its own, and where it listens. */
export type Server = { child: ChildProcess; port: number }

/** Requests over several servers in turn, and how long each took. */
const openClients = async (
  servers: Server[],
  { callbackUrl, token, connection }: Ready,
  board: string,
  secret: string,
) => {
  const pools = servers.map(({ port }) => new Pool(`http://127.0.0.1:${port}`, { connections: 32 }))
  const lanes = await Promise.all(servers.map(({ port }) => openSockets(port, 32)))
  const took = { runs: [] as number[], events: [] as number[] }
  const count = { runs: 0, events: 0 }
  const failures: string[] = []
  const body = JSON.stringify({ connection, input: { idList: list, name: 'Call the printer' } })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const timed = async (times: number[], work: () => Promise<void>) => {
    const began = performance.now()
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`No answer within ${answerMs} ms.`)), answerMs)
    })
    await Promise.race([work(), tooLate]).catch(
      (error: unknown) => void (failures.length < 20 && failures.push(String(error))),
    )
    clearTimeout(timer)
    times.push(performance.now() - began)
  }
  /** Sockets carry one request at a time each. In turn: the server closes one that is idle for long. */
  const idle = Array.from({ length: 32 * servers.length }, (_, n) => n)
  return {
    took,
    count,
    failures,
    run: () =>
      timed(took.runs, async () => {
        const pool = pools[(count.runs += 1) % servers.length]!
        const reply = await pool.request({
          method: 'POST',
          path: '/v1/steps/work-board/create-card/run',
          headers,
          body,
        })
        const answer = await reply.body.text()
        if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${answer.slice(0, 300)}`)
      }),
    deliver: () =>
      timed(took.events, async () => {
        count.events += 1
        let socket = idle.shift()
        for (; socket === undefined; socket = idle.shift()) await wait(2)
        await lanes[socket % servers.length]!.sendOne(
          Math.floor(socket / servers.length),
          delivery(board, callbackUrl, secret).request,
        ).finally(() => idle.push(socket))
      }),
    async close() {
      for (const each of lanes) each.close()
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}

/** Of several servers the larger figure. `fileBytes` is asked instead of what a server says of its file. */
const figuresOf = async (servers: Server[], fileBytes?: () => Promise<number>): Promise<Figures> => {
  const all = await Promise.all(
    servers.map(async ({ child }) => {
      const answer = once(child, 'message')
      child.send('figures')
      return ((await answer) as [Figures])[0]
    }),
  )
  const most = (what: keyof Figures) => Math.max(...all.map((each) => each[what]))
  return {
    heap: most('heap'),
    rss: most('rss'),
    handles: most('handles'),
    file: fileBytes ? await fileBytes() : most('file'),
  }
}

/** Runs and deliveries at a steady rate over all servers, with samples of what they use. */
export const load = async (
  servers: Server[],
  ready: Ready,
  board: string,
  secret: string,
  fileBytes?: () => Promise<number>,
) => {
  const clients = await openClients(servers, ready, board, secret)
  const { took, count, failures } = clients
  const taken: Sample[] = []
  const began = performance.now()
  const until = began + durationMs
  const sample = async () => {
    while (performance.now() < until) {
      await wait(durationMs / samples)
      taken.push({
        ...(await figuresOf(servers, fileBytes)),
        minute: (performance.now() - began) / 60_000,
        runs: p99(took.runs),
        events: p99(took.events),
      })
      took.runs.length = took.events.length = 0
    }
  }
  await Promise.all([
    paced(perSecond.runs, until, clients.run),
    paced(perSecond.events, until, clients.deliver),
    sample(),
  ])
  await clients.close()
  return { taken, failures, count }
}
export type Load = Awaited<ReturnType<typeof load>> & { polls: number }

export const inMegabytes = (taken: Sample[]): Sample[] =>
  taken.map((each) => ({
    ...each,
    heap: each.heap / 2 ** 20,
    rss: each.rss / 2 ** 20,
    file: each.file / 2 ** 20,
  }))

/** How many times as much the last quarter has as the second: what is flat after the first quarter has 1. */
export const growthOf = <K extends string>(
  taken: ({ [what in K]: number } & { minute: number })[],
  what: NoInfer<K>,
): number => over(taken, what, 0.75, 2) / over(taken, what, 0.25, 0.5)

/** @param name what is said before each row, such as "soak" */
export const soakRows = (name: string, { taken, failures, count, polls }: Load): Row[] => {
  const growth = (what: keyof Sample) => growthOf(taken, what)
  const megabytes = inMegabytes(taken)
  return [
    row(
      `${name} of ${minutes} min: runs per second`,
      count.runs / (durationMs / 1000),
      '/s',
      `>= ${perSecond.runs * 0.98}`,
    ),
    row(`${name}: events per second`, count.events / (durationMs / 1000), '/s', `>= ${perSecond.events * 0.98}`),
    row(`${name}: polls per second`, polls / (durationMs / 1000), '/s', `>= ${perSecond.polls * 0.8}`),
    row(`${name}: failed requests`, failures.length, 'requests', '= 0'),
    row(`${name}: heap, last quarter / second quarter`, growth('heap'), 'x', '<= 1.1'),
    row(`${name}: resident memory, last quarter / second quarter`, growth('rss'), 'x', '<= 1.15'),
    row(`${name}: file, last quarter / second quarter`, growth('file'), 'x', '<= 1.1'),
    row(`${name}: open handles, last quarter / second quarter`, growth('handles'), 'x', '<= 1.1'),
    row(`${name}: p99 of a run, last quarter / second quarter`, growth('runs'), 'x', '<= 1.5'),
    row(`${name}: p99 of a delivery, last quarter / second quarter`, growth('events'), 'x', '<= 1.5'),
    row(`${name}: resident memory at the end`, over(megabytes, 'rss', 0.75, 2), 'MB'),
    row(`${name}: file at the end`, over(megabytes, 'file', 0.75, 2), 'MB'),
    row(`${name}: p99 of a run at the end`, over(taken, 'runs', 0.75, 2), 'ms'),
  ]
}
