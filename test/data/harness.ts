import type { DryRun } from '../../shared/runtime/steps/dry-run/dry-run.ts'
import type { StepCall } from '../../shared/runtime/steps/step-call.ts'
import type { Integration, Json, Outcome, RunMeta } from '#kit'
import anzData from '../../integrations/anz-data/manifest.ts'
import contactData from '../../integrations/contact-data/manifest.ts'
import type { OpenConnections, OpenConnection } from '../../shared/runtime/connections/open-connection.ts'
import { createIntents } from '../../shared/runtime/idempotency.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { createRunRecords } from '../../shared/runtime/steps/run-records.ts'
import { createProvenEndpoints } from '../../shared/runtime/endpoints/proven-endpoints.ts'
import { createReservations } from '../../shared/runtime/credits/reservations.ts'
import { findCharged } from '../../shared/runtime/endpoints/charged-records.ts'
import { createGate } from '../../shared/runtime/gate/gate.ts'
import { createRunSessions } from '../../shared/runtime/steps/run-sessions.ts'
import { createSteps } from '../../shared/runtime/steps/run-step.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { classify } from '../../shared/wire/exchange/classify.ts'
import type { Call, Reply, Wire } from '../../shared/wire/index.ts'
import { fakeClock } from '../support/clock.ts'

export const integrations: Integration[] = [anzData, contactData]

/** What the provider answers: a body with status 200, a whole reply, a failure thrown before there was one. */
export type Answer = { status?: number; headers?: Record<string, string>; body: Json; json?: boolean } | Error
export type Answers = Answer[] | ((call: Call, index: number) => Answer)

export const body = (value: Json, status = 200, headers: Record<string, string> = {}): Answer => ({
  status,
  body: value,
  headers,
})

/** A wire that records calls and answers from memory; replies are classified by the real rules. */
export const fakeWire = (answers: Answers) => {
  const calls: Call[] = []
  const wire: Wire = {
    async exchange(call) {
      calls.push(call)
      if (call.used) call.used.attempts += 1
      const index = calls.length - 1
      const answer = typeof answers === 'function' ? answers(call, index) : answers[index]
      if (answer === undefined) throw new Error(`unexpected request ${index + 1}: ${call.method} ${call.path}`)
      if (answer instanceof Error) throw answer
      const reply: Reply = {
        status: answer.status ?? 200,
        headers: answer.headers ?? {},
        body: answer.body,
        json: answer.json ?? (answer.body !== null || answer.status === 200),
        attempts: 1,
      }
      return reply
    },
    classify,
    noteBreaker: () => {},
    pageQuery: () => ({}),
    fetchFile: () => Promise.reject(new Error('not expected')),
    headroom: () => ({
      windows: [],
      queue: { running: 0, waiting: 0, concurrency: 1 },
      breaker: { state: 'closed', until: null },
    }),
    preview: (call) => ({
      method: String(call.method),
      url: `https://provider.example${call.path}`,
      headers: {},
      ...(call.body === undefined ? {} : { body: call.body }),
    }),
    deliver: () => Promise.reject(new Error('no agent is called here')),
    checkTarget: () => {},
    close: async () => {},
  }
  return {
    wire,
    calls,
    sent: () =>
      calls.map(({ method, path, query, body: sentBody }) => ({
        method,
        path,
        ...(query ? { query } : {}),
        ...(sentBody === undefined ? {} : { body: sentBody }),
      })),
  }
}

const auth = { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } }
export const reachable = { baseUrl: 'https://provider.example', auth }

export const accountOf = (integration: string, policy: OpenConnection['stepPolicy']): OpenConnection => ({
  connection: {
    id: 'con_1',
    tenant: 't',
    integration,
    type: 'api-key',
    name: 'Main',
    state: 'connected',
  } as OpenConnection['connection'],
  account: {
    key: 't/con_1',
    tenant: 't',
    appKey: integration,
    type: 'api-key',
    secrets: { apiKey: 'secret-key-0001' },
  },
  stepPolicy: policy,
  apiPolicy: policy,
  usesApp: false,
  live: true,
})

export type Ran = {
  outcome: Outcome
  value: Record<string, any>
  failure: Extract<Outcome, { ok: false }>['failure'] | undefined
  meta: RunMeta
  calls: Call[]
  sent: ReturnType<ReturnType<typeof fakeWire>['sent']>
  progress: [number, number | undefined][]
  /** How long it slept, in ms. */
  slept: number[]
}

/** Runs a step of a data integration through the real runtime, with an operator's override and answers from memory. */
export const runStep = async (
  id: string,
  step: string,
  input: unknown,
  answers: Answers,
  options: { wire?: Record<string, unknown>; call?: Partial<StepCall>; integration?: Integration } = {},
): Promise<Ran> => {
  const integration = options.integration ?? integrations.find((candidate) => candidate.id === id)!
  const registry = createRegistry([integration], { [id]: { ...reachable, ...options.wire } })
  const { wire, calls, sent } = fakeWire(answers)
  const clock = fakeClock()
  const store = createMemoryStore()
  const account = accountOf(id, registry.integration(id).stepPolicy)
  const openConnections = { open: () => account } as unknown as OpenConnections
  const log = () => {}
  const progress: Ran['progress'] = []
  const steps = createSteps({
    registry,
    openConnections,
    store,
    clock,
    intents: createIntents({ store, clock, log }),
    sessions: createRunSessions({
      reservations: createReservations({ store, log: () => {} }),
      provenEndpoints: createProvenEndpoints({ store, clock, log }),
      gate: createGate(wire, findCharged),
      clock,
      store,
      causation: { correlationIdOf: () => 'mark', isNeeded: () => false, began: () => {}, wrote: () => {} },
    }),
    records: createRunRecords({ store, health: { worked: () => {}, refused: () => {} }, clock, log }),
  })
  const outcome = await steps.run(
    { tenant: 't' },
    { integration: id, step, input, onProgress: (done, total) => progress.push([done, total]), ...options.call },
  )
  return {
    outcome,
    value: (outcome.ok ? outcome.value : {}) as Record<string, any>,
    failure: outcome.ok ? undefined : outcome.failure,
    meta: outcome.meta,
    calls,
    sent: sent(),
    progress,
    slept: clock.slept,
  }
}

export const dryRun = async (
  id: string,
  step: string,
  input: unknown,
  wire?: Record<string, unknown>,
  integration?: Integration,
) => {
  const ran = await runStep(id, step, input, [], {
    ...(wire ? { wire } : {}),
    ...(integration ? { integration } : {}),
    call: { dryRun: true },
  })
  return {
    ...ran,
    dry: ran.value as unknown as Omit<DryRun, 'requests'> & { requests: { method: string; url: string; body?: any }[] },
  }
}
