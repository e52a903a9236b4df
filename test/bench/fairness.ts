/** How much one tenant that does its worst slows the calls of another: p99 over HTTP, against its quiet value. */
import { setTimeout as delay } from 'node:timers/promises'
import { openTenantsWorld } from '../fairness/world.ts'
import type { TenantsWorld } from '../fairness/world.ts'
import { report, row } from './support.ts'
import type { Row } from './support.ts'

const rounds = 3
const calls = 200
const lanes = 4
/** What the provider takes to answer. */
const answerMs = 40

const p99 = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!

const measure = async (world: TenantsWorld) => {
  const times: number[] = []
  const lane = async () => {
    for (let index = 0; index < calls / lanes; index += 1) {
      const began = performance.now()
      const reply = await world.run(world.quiet, 'get-boards', {})
      await reply.arrayBuffer()
      if (reply.status !== 200) throw new Error(`The quiet tenant was answered ${reply.status}.`)
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return p99(times)
}

/** Does something again and again until it is told to end, a few at a time. */
const steadily = (work: () => Promise<unknown>) => {
  let isRunning = true
  const loops = Array.from({ length: 4 }, async () => {
    while (isRunning) {
      await work().catch(() => undefined)
      await delay(10)
    }
  })
  return async () => {
    isRunning = false
    await Promise.all(loops)
  }
}
const read = async (reply: Promise<Response>) => (await reply).arrayBuffer()

/** Each begins to do its worst and gives how to end it. */
const ways: { [way: string]: (world: TenantsWorld) => Promise<() => Promise<unknown>> | (() => Promise<unknown>) } = {
  'all calls of another one fail': (world) => {
    world.provider.moods.set('hostile', 'fails')
    return steadily(() => read(world.run(world.hostile, 'get-boards', {})))
  },
  'another one has 2,500 runs under way and waiting': async (world) => {
    world.provider.moods.set('hostile', 'hangs')
    const call = { integration: 'work-board', step: 'get-boards', input: {} }
    const runs: Promise<unknown>[] = []
    // As requests arrive: not all in one turn of the event loop, which only a host that loads the pack could do to
    // itself.
    while (runs.length < 2_500) {
      runs.push(world.pack.steps.run({ tenant: 'hostile' }, call).catch(() => undefined))
      if (runs.length % 10 === 0) await delay(0)
    }
    return async () => {
      world.provider.moods.set('hostile', 'well')
      world.provider.release()
      await Promise.all(runs)
    }
  },
  'another one writes the largest labels and lists them': (world) => {
    const labels = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`l${n}`.padEnd(64, 'n'), 'x'.repeat(256)]))
    const path = `/v1/connections/${world.hostile.connection}`
    return steadily(async () => {
      await read(world.ask(world.hostile, path, { method: 'PATCH', body: JSON.stringify({ labels }) }))
      await read(world.ask(world.hostile, '/v1/connections?limit=100'))
    })
  },
  'another one holds all the event streams it gets': async (world) => {
    const leaving = new AbortController()
    for (let index = 0; index < 100; index += 1)
      await world.ask(world.hostile, '/v1/stream', { signal: leaving.signal })
    return async () => leaving.abort()
  },
  'another one opens MCP sessions without end': (world) => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'hostile', version: '1' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const headers = { accept: 'application/json, text/event-stream' }
    return steadily(() => read(world.ask(world.hostile, '/mcp', { method: 'POST', headers, body })))
  },
}

export const fairnessRows = async (): Promise<Row[]> => {
  const world = await openTenantsWorld({ answerMs })
  await measure(world)
  const rows: Row[] = []
  for (const [way, begin] of Object.entries(ways)) {
    const [quiet, beside]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      quiet.push(await measure(world))
      const end = await begin(world)
      beside.push(await measure(world))
      await end()
      world.provider.moods.clear()
    }
    // The best of the rounds: a busy machine only ever adds.
    rows.push(
      row(
        `p99 of a tenant's calls while ${way}, against its quiet value`,
        Math.min(...beside) / Math.min(...quiet),
        'x',
        '<= 2',
      ),
    )
  }
  await world.close()
  return rows
}

if (import.meta.main) {
  report('fairness', await fairnessRows())
  process.exit(process.exitCode ?? 0)
}
