/**
 * A served process is killed again and again while a provider tells it of thousands of events: nothing is lost, nothing
 * is doubled.
 */
import { fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { happen, prepareBoards, randomFrom, startsWanted } from '../support/board-events.ts'
import { freePort } from '../support/free-port.ts'
import { agentSecret } from './triggers-plan.ts'
import type { Ask, Plan, Told } from './triggers-plan.ts'

const worker = fileURLToPath(new URL('./triggers-worker.ts', import.meta.url))
const perSecond = 160
/** The provider's waits before it tries again: then it has given up after little more than a second. */
const retriesMs = [150, 300, 600]

/** An agent that takes what is signed, and keeps how often it was given each start. */
const startAgent = async () => {
  /** Path and event → start keys; start key → calls. */
  const keys = new Map<string, Set<string>>()
  const calls = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { data } = new Webhook(agentSecret).verify(body, request.headers as Record<string, string>) as {
      data: { id: string }
    }
    const key = String(request.headers['webhook-id'])
    const name = `${request.url} ${data.id}`
    keys.set(name, (keys.get(name) ?? new Set()).add(key))
    calls.set(key, (calls.get(key) ?? 0) + 1)
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    keys,
    calls,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => (server.closeAllConnections(), server.close()),
  }
}

const startWorker = (plan: Plan) => {
  const child = fork(worker, [JSON.stringify(plan)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ready = new Promise<boolean>((resolve) => {
    child.once('message', () => resolve(true))
    child.once('exit', () => resolve(false))
  })
  return {
    /** False when it was killed first. */
    ready,
    async ask<T extends Told>(request: Ask): Promise<T> {
      const reply = new Promise<T>((resolve) => child.once('message', resolve))
      child.send(request)
      const answer = await Promise.race([reply, ended])
      if (!answer) throw new Error('The worker ended.')
      return answer
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

type Judged = {
  expectedStarts: number
  lost: string[]
  doubled: string[]
  repeated: number
  kills: number
  hooks: unknown
  registered: unknown
}

const run = async (events: number, kills: number, seed: number, isFaulty: boolean): Promise<Judged> => {
  const random = randomFrom(seed)
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-kill-'))
  const agent = await startAgent()
  const sandbox = await startBoardSandbox({ hooks: { retriesMs }, limits: { token: 1e9, key: 1e9, memberRoute: 1e9 } })
  const { boards, places } = prepareBoards(sandbox)
  const plan: Plan = {
    directory,
    port: await freePort(),
    origin: sandbox.origin,
    agent: agent.origin,
    credentials: sandbox.credentials,
    boards,
    isFaulty,
  }
  let child = startWorker(plan)
  try {
    await child.ready
    // Ids of actions count in seconds.
    await wait(1100)
    const began = Date.now()
    sandbox.control.disturb({ how: 'duplicate', times: Math.floor(events / 20), copies: 3, skip: 10 })
    const moments = Array.from({ length: kills }, () => Math.floor(random() * events)).sort((a, b) => a - b)
    let killed = 0
    let killing: Promise<unknown> = Promise.resolve()
    const killOnce = async () => {
      // Sometimes while it is still coming up.
      if (random() < 0.7) await child.ready
      await wait(random() * 300)
      await child.kill()
      killed += 1
      await wait(random() * 1500)
      child = startWorker(plan)
    }
    await happen(sandbox, places, events, perSecond, random, (n) => {
      while (moments[0] === n) {
        moments.shift()
        killing = killing.then(killOnce)
      }
    })
    await killing
    await child.ready
    await until(
      async () => sandbox.control.deliveries().every(({ state }) => state === 'done' || state === 'lost'),
      120_000,
    )
    // Time enough also for a store that is late: what it lost, it lost by being killed.
    await wait(3000)
    const names = startsWanted(sandbox, boards, began)
    const missing = () => names.filter((name) => !agent.keys.has(name))
    // What it was not told of it finds in the history, which it reads after it says that it is ready. What does not come
    // is said by the test.
    if (!isFaulty) await until(async () => missing().length === 0, 150_000).catch(() => undefined)
    await until(async () => (await child.ask<{ open: number }>('counts')).open === 0, 150_000)
    return {
      expectedStarts: names.length,
      lost: missing(),
      doubled: [...agent.keys].filter(([, keys]) => keys.size > 1).map(([name]) => name),
      repeated: [...agent.calls.values()].reduce((sum, calls) => sum + calls - 1, 0),
      kills: killed,
      hooks: (await child.ask<Extract<Told, { hooks: unknown }>>('hooks')).hooks
        // What the provider counted while nobody listened shows until a delivery arrives, or it is asked again.
        .map(({ model, callbackUrl, state }) => `${model} ${callbackUrl} ${state === 'failing' ? 'active' : state}`)
        .sort(),
      registered: sandbox.control
        .webhooks()
        .map(({ idModel, callbackURL, active }) => `board:${idModel} ${callbackURL} ${active ? 'active' : 'off'}`)
        .sort(),
    }
  } finally {
    await child.kill()
    await sandbox.close()
    agent.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const until = async (holds: () => Promise<boolean>, ms: number) => {
  const end = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('not in time')
    await wait(250)
  }
}

const seed = Number(process.env['KILL_SEED'] ?? randomInt(2 ** 31))

it.concurrent('10,000 events and 20 kills: nothing is lost, nothing is doubled, the hooks are those that are wanted', async () => {
  const { lost, doubled, hooks, registered, ...counts } = await run(10_000, 20, seed, false)
  console.log(`KILL_SEED=${seed}`, JSON.stringify({ ...counts, lost: lost.length, doubled: doubled.length }))
  expect(counts.kills).toBe(20)
  expect(counts.expectedStarts).toBeGreaterThan(10_000)
  expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
  // A start whose call was under way is called once more, and no other.
  expect(counts.repeated).toBeLessThanOrEqual(20 * 64)
  expect(hooks).toEqual(registered)
  expect(hooks).toHaveLength(2)
})

it.concurrent('the same with a store that says too early that it has a delivery: found out', async () => {
  const { lost, doubled, kills } = await run(4000, 8, seed, true)
  console.log(`KILL_SEED=${seed}`, JSON.stringify({ faulty: true, kills, lost: lost.length, doubled: doubled.length }))
  expect(lost.length).toBeGreaterThan(0)
})
