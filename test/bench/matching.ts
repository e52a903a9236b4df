/**
 * One event against 100,000 subscriptions, in a process of its own: CPU beside a bare undici request, and the heap they
 * take.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Pool } from 'undici'
import { integrations } from '../../integrations/index.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { matchAll } from '../../shared/runtime/triggers/match.ts'
import type { MatchFacts, ObservedEvent } from '../../shared/runtime/triggers/match.ts'
import { createMatchIndex } from '../../shared/runtime/triggers/match-index.ts'
import { toActive } from '../../shared/runtime/triggers/subscriptions/registry.ts'
import { subscription } from '../store/make.ts'
import { delivery } from './deliveries.ts'
import { drive, median, startMock } from './support.ts'

export type Matched = { ratio: number; matchUs: number; lookUs: number; startsPerEvent: number; heapMb: number }

export const matchOnce = async (): Promise<Matched> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url)])
  return JSON.parse(stdout) as Matched
}

const triggers = [
  'new-card',
  'card-updated',
  'card-moved',
  'card-archived',
  'new-comment-added-to-card',
  'new-member-on-card',
  'new-label-added-to-card',
  'new-checklist',
  'new-attachment',
  'new-board-activity',
]
const boardId = (n: number) => (n + 1).toString(16).padStart(24, 'b')
const silent = () => {}

const measure = async (): Promise<Matched> => {
  const registry = createRegistry(integrations)
  const index = createMatchIndex()
  // As the store gives them: every row with values of its own.
  const rowOf = (n: number) =>
    JSON.stringify(
      subscription('bench', `0199a7c2-5b1e-7000-8000-${String(n).padStart(12, '0')}`, {
        integration: 'work-board',
        connection: 'c1',
        trigger: triggers[n % 10]!,
        config: { boards: [boardId(Math.floor(n / 10))] },
        secrets: { secret: `v1.k1.${String(n).padStart(120, 's')}` },
        externalId: `customer-${n}`,
        labels: { plan: `p${n}` },
        options: {},
        delivery: 'webhook',
        state: 'active',
        startMark: 0,
      }),
    )
  const heap = () => {
    for (let n = 0; n < 3; n += 1) globalThis.gc!()
    return process.memoryUsage().heapUsed
  }
  index.put(toActive(registry, JSON.parse(rowOf(0))))
  const before = heap()
  for (let n = 0; n < 100_000; n += 1) index.put(toActive(registry, JSON.parse(rowOf(n))))
  const heapMb = (heap() - before) / 1e6

  const source = registry.integration('work-board').integration.webhooks!
  const knownFacts: MatchFacts = { facts: { me: '9'.repeat(24) }, checkedNeeds: new Set(['me']) }
  const observed = Array.from({ length: 2000 }, (_, n): ObservedEvent => {
    const id = boardId((n * 4999) % 10_000)
    const { request } = delivery(id, 'http://127.0.0.1/hooks/work-board/x', 'secret')
    const body: unknown = JSON.parse(request.toString().split('\r\n\r\n')[1]!)
    const [event] = source.decode({ body, headers: {}, model: { kind: 'board', id } }, 'webhook').events
    return {
      tenant: 'bench',
      integration: 'work-board',
      connection: 'c1',
      hook: 'h',
      event: event!,
      runId: null,
      depth: 0,
      summary: null,
    }
  })
  const perEvent = (work: (observedEvent: ObservedEvent) => number) => {
    const began = process.cpuUsage()
    let total = 0
    for (const observedEvent of observed) total += work(observedEvent)
    const { user, system } = process.cpuUsage(began)
    return { us: (user + system) / observed.length, count: total / observed.length }
  }
  const look = ({ event }: ObservedEvent) => index.concerned('bench', 'c1', event.models, event.type).length
  const match = (observedEvent: ObservedEvent) =>
    matchAll(
      index.concerned('bench', 'c1', observedEvent.event.models, observedEvent.event.type),
      observedEvent,
      knownFacts,
      Date.now(),
      silent,
    ).starts.length

  const mock = await startMock()
  const pool = new Pool(mock.origin, { connections: 32 })
  const request = async () => void (await (await pool.request({ path: '/1/cards/x', method: 'GET' })).body.text())
  try {
    await drive(32, 3000, request)
    for (let round = 0; round < 10; round += 1) perEvent(match)
    const rounds: { ratio: number; matchUs: number; lookUs: number; startsPerEvent: number }[] = []
    for (let round = 0; round < 7; round += 1) {
      const bareUs = (await drive(32, 2000, request)).cpuMs * 1000
      const { us: matchUs, count } = perEvent(match)
      rounds.push({ ratio: matchUs / bareUs, matchUs, lookUs: perEvent(look).us, startsPerEvent: count })
    }
    const of = (what: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[what]))
    if (of('startsPerEvent') === 0) throw new Error('Nothing was matched.')
    return {
      ratio: of('ratio'),
      matchUs: of('matchUs'),
      lookUs: of('lookUs'),
      startsPerEvent: of('startsPerEvent'),
      heapMb,
    }
  } finally {
    await pool.close()
    mock.stop()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(await measure()))
