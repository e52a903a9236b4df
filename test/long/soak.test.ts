/**
 * A server that works for long does not grow: memory, file, open handles and latency after the first quarter stay what
 * they are.
 */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { expect, test } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { delivery, openSockets } from '../bench/deliveries.ts'
import { median, report, row } from '../bench/support.ts'
import { chart } from './chart.ts'
import type { Figures, Ready, Setting } from './soak-server.ts'

const fullMinutes = 20
const minutes = Number(process.env['SOAK_MINUTES'] ?? fullMinutes)
const durationMs = minutes * 60_000
const perSecond = { runs: 100, events: 100, polls: 10 }
const samples = 80
/** A request without an answer by then has failed. */
const answerMs = 60_000
const list = '000000000000000000000001'

type Sample = Figures & { minute: number; runs: number; events: number }

const serve = async (
  answer: (method: string, url: string, body: Buffer) => Promise<{ status: number; body: Buffer | string }>,
) => {
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request.method ?? '', request.url ?? '', await buffer(request))
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The board of the sandbox, where cards are created without being there afterwards: it would grow too. */
const openProvider = async (counts: { polls: number }) => {
  const sandbox = await startBoardSandbox()
  const card = JSON.stringify({
    id: '7'.repeat(24),
    name: 'Call the printer',
    idList: list,
    idBoard: '9'.repeat(24),
    desc: 'x'.repeat(400),
    closed: false,
  })
  const pool = new Pool(sandbox.origin)
  const { origin, close } = await serve(async (method, url, body) => {
    if (method === 'POST' && url.startsWith('/1/cards')) return { status: 200, body: card }
    if (url.startsWith('/1/members/me/boards')) {
      counts.polls += 1
      return { status: 200, body: '[]' }
    }
    const { key, token } = sandbox.credentials
    const headers = {
      authorization: `OAuth oauth_consumer_key="${key}", oauth_token="${token}"`,
      ...(body.length > 0 ? { 'content-type': 'application/json' } : {}),
    }
    const reply = await pool.request({
      method: method as 'GET',
      path: url,
      headers,
      ...(body.length > 0 ? { body } : {}),
    })
    return { status: reply.statusCode, body: Buffer.from(await reply.body.arrayBuffer()) }
  })
  return {
    sandbox,
    origin,
    async close() {
      close()
      await pool.close()
      await sandbox.close()
    },
  }
}

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
const over = (taken: Sample[], what: keyof Sample, from: number, to: number) =>
  median(taken.filter(({ minute }) => minute >= minutes * from && minute < minutes * to).map((sample) => sample[what]))

const load = async (
  child: ChildProcess,
  { port, callbackUrl, token, connection }: Ready,
  board: string,
  secret: string,
) => {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 32 })
  const sockets = await openSockets(port, 32)
  const took = { runs: [] as number[], events: [] as number[] }
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
  const oneRun = () =>
    timed(took.runs, async () => {
      const reply = await pool.request({ method: 'POST', path: '/v1/steps/work-board/create-card/run', headers, body })
      const answer = await reply.body.text()
      if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${answer.slice(0, 300)}`)
    })
  /** Sockets carry one request at a time each. */
  const idle = Array.from({ length: 32 }, (_, n) => n)
  const oneEvent = () =>
    timed(took.events, async () => {
      // In turn: the server closes one that is idle for long.
      let socket = idle.shift()
      for (; socket === undefined; socket = idle.shift()) await wait(2)
      await sockets.sendOne(socket, delivery(board, callbackUrl, secret).request).finally(() => idle.push(socket))
    })
  const taken: Sample[] = []
  const began = performance.now()
  const until = began + durationMs
  const sample = async () => {
    while (performance.now() < until) {
      await wait(durationMs / samples)
      child.send('figures')
      const [snapshot] = (await once(child, 'message')) as [Figures]
      taken.push({
        ...snapshot,
        minute: (performance.now() - began) / 60_000,
        runs: p99(took.runs),
        events: p99(took.events),
      })
      took.runs.length = took.events.length = 0
    }
  }
  const count = { runs: 0, events: 0 }
  await Promise.all([
    paced(perSecond.runs, until, () => ((count.runs += 1), oneRun())),
    paced(perSecond.events, until, () => ((count.events += 1), oneEvent())),
    sample(),
  ])
  sockets.close()
  await pool.close()
  return { taken, failures, count }
}

test(`${minutes} minutes of runs, events and polls leave the server as it was after the first quarter`, async () => {
  const counts = { polls: 0 }
  const provider = await openProvider(counts)
  const agent = await serve(async () => ({ status: 200, body: '{}' }))
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-soak-'))
  const board = provider.sandbox.control.overview()[0]!.id
  const { key, token, appSecret: secret } = provider.sandbox.credentials
  const setting: Setting = {
    directory,
    provider: provider.origin,
    agent: agent.origin,
    key,
    token,
    secret,
    board,
    // More than it takes: each waits for its answer before it is due again.
    polled: 15,
    scanMs: 1000,
    ageMs: durationMs * 0.06,
    longAgeMs: durationMs * 0.12,
  }
  const child = fork(fileURLToPath(new URL('./soak-server.ts', import.meta.url)), [JSON.stringify(setting)], {
    execArgv: ['--expose-gc'],
  })
  try {
    const [ready] = (await once(child, 'message')) as [Ready]
    const before = counts.polls
    const { taken, failures, count } = await load(child, ready, board, secret)
    const megabytes = taken.map((each) => ({
      ...each,
      heap: each.heap / 2 ** 20,
      rss: each.rss / 2 ** 20,
      file: each.file / 2 ** 20,
    }))
    /** The last quarter against the second. */
    const growth = (what: keyof Sample) => over(taken, what, 0.75, 2) / over(taken, what, 0.25, 0.5)
    const rows = [
      row(
        `soak of ${minutes} min: runs per second`,
        count.runs / (durationMs / 1000),
        '/s',
        `>= ${perSecond.runs * 0.98}`,
      ),
      row('soak: events per second', count.events / (durationMs / 1000), '/s', `>= ${perSecond.events * 0.98}`),
      row('soak: polls per second', (counts.polls - before) / (durationMs / 1000), '/s', `>= ${perSecond.polls * 0.8}`),
      row('soak: failed requests', failures.length, 'requests', '= 0'),
      row('soak: heap, last quarter / second quarter', growth('heap'), 'x', '<= 1.1'),
      row('soak: resident memory, last quarter / second quarter', growth('rss'), 'x', '<= 1.15'),
      row('soak: file, last quarter / second quarter', growth('file'), 'x', '<= 1.1'),
      row('soak: open handles, last quarter / second quarter', growth('handles'), 'x', '<= 1.1'),
      row('soak: p99 of a run, last quarter / second quarter', growth('runs'), 'x', '<= 1.5'),
      row('soak: p99 of a delivery, last quarter / second quarter', growth('events'), 'x', '<= 1.5'),
      row('soak: resident memory at the end', over(megabytes, 'rss', 0.75, 2), 'MB'),
      row('soak: file at the end', over(megabytes, 'file', 0.75, 2), 'MB'),
      row('soak: p99 of a run at the end', over(taken, 'runs', 0.75, 2), 'ms'),
    ]
    const picture = chart(
      `${minutes} minutes at ${perSecond.runs} runs, ${perSecond.events} events and ${perSecond.polls} polls per second`,
      megabytes,
      [
        { title: 'Memory (resident; heap), MB', lines: ['rss', 'heap'] },
        { title: 'Database file with its log, MB', lines: ['file'] },
        { title: 'Open handles', lines: ['handles'] },
        { title: 'p99 of a run; of a delivery, ms', lines: ['runs', 'events'] },
      ],
    )
    if (minutes >= fullMinutes) {
      report('soak', rows)
      writeFileSync(new URL('../bench/results/soak.svg', import.meta.url), picture)
    } else {
      for (const { what, value, unit, bound, holds } of rows)
        console.log(`${holds === false ? 'MISSED' : '      '} ${what}: ${value} ${unit} (${bound ?? '-'})`)
      writeFileSync(join(tmpdir(), 'toolyard-soak.svg'), picture)
    }
    expect(failures).toEqual([])
    expect(rows.filter(({ holds }) => holds === false)).toEqual([])
  } finally {
    if (child.connected) child.disconnect()
    await once(child, 'exit')
    agent.close()
    await provider.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
