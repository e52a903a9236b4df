import { setTimeout as wait } from 'node:timers/promises'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { describeDefect } from '#kit'
import type { Outcome } from '#kit'
import type { Pack } from '../../pack.ts'
import type { StepCall } from '../../pack.ts'
import type { Log } from '../../runtime/ports/index.ts'
import { addStates, addStore } from './metrics-states.ts'

export type Metrics = {
  /** The pack, with its step runs counted. */
  pack: Pack
  countRequest(method: string, route: string, status: number, ms: number): void
  /** The metrics in the Prometheus text format 0.0.4. */
  page(): Promise<string>
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

const eventResults = ['stored', 'repeated', 'unclaimed', 'expired', 'displaced'] as const

/** The counts are read from the pack at each request of the metrics page. */
const addTriggers = (registers: Registry[], pack: Pack) => {
  const count = (name: string, help: string) => new Counter({ name, help, labelNames: ['result'], registers })
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const deliveries = count(
    'toolyard_deliveries_total',
    'Deliveries of providers: all received, and those refused or not processed, by reason',
  )
  const events = count(
    'toolyard_events_total',
    'Events received, by result: stored, repeated, unclaimed (its account has no connection), expired or displaced (unclaimed, then dropped)',
  )
  const pending = gauge('toolyard_events_pending', 'Events waiting for data from the provider')
  const unclaimed = gauge('toolyard_events_unclaimed', 'Events waiting for a connection of their account')
  const open = gauge('toolyard_starts_open', 'Agent starts not delivered yet')
  const dead = gauge('toolyard_starts_dead', 'Agent starts given up after the last attempt')
  const late = gauge('toolyard_start_lateness_seconds', 'Time since the oldest open start was due')
  const subscriptions = gauge('toolyard_subscriptions', 'Subscriptions')
  const nodes = gauge('toolyard_nodes', 'Servers that share the database')
  const ahead = gauge(
    'toolyard_clock_ahead_seconds',
    'How far the clock of this server is ahead of that of the shared database; negative: behind',
  )
  const setStates = addStates(registers)
  const setStore = addStore(registers)
  return async () => {
    const now = await pack.triggers.counts()
    for (const metric of [deliveries, events]) metric.reset()
    for (const result of ['received', 'refused', 'undecodable', 'unavailable', 'ended'] as const)
      deliveries.inc({ result }, now[result])
    for (const result of eventResults) events.inc({ result }, now[result])
    pending.set(now.pendingEvents)
    unclaimed.set(now.unclaimedEvents)
    open.set(now.openStarts)
    dead.set(now.deadStarts)
    late.set(now.oldestStartLateMs / 1000)
    subscriptions.set(now.subscriptions)
    nodes.set(now.nodes)
    ahead.set(now.clockAheadMs / 1000)
    setStates(now)
    setStore(now)
  }
}

const addAudit = (registers: Registry[], pack: Pack) => {
  const owed = new Gauge({
    name: 'toolyard_audit_rows_owed',
    help: 'Rows of the audit log that are not written yet',
    registers,
  })
  const help = 'Rows of the audit log that were dropped: the store refuses them, or too many were owed'
  const dropped = new Counter({ name: 'toolyard_audit_rows_dropped_total', help, registers })
  return () => {
    const now = pack.audit.backlog()
    owed.set(now.owed)
    dropped.reset()
    dropped.inc(now.dropped)
  }
}

/** Counts runs. A run has ended, maybe with a change at the provider, so its outcome never depends on being counted. */
const addRuns = (registers: Registry[], pack: Pack, log: Log) => {
  const runs = new Counter({
    name: 'toolyard_runs_total',
    help: 'Step runs by result: ok, or the failure code',
    labelNames: ['integration', 'step', 'code'],
    registers,
  })
  const durations = new Histogram({
    name: 'toolyard_run_duration_seconds',
    help: 'Duration of step runs, including waits for rate limits',
    labelNames: ['integration'],
    buckets: seconds,
    registers,
  })
  const requests = new Counter({
    name: 'toolyard_provider_requests_total',
    help: 'Requests sent to providers by step runs, including retries',
    labelNames: ['integration'],
    registers,
  })
  const credits = new Counter({
    name: 'toolyard_credits_total',
    help: 'Credits charged for step runs, including estimates',
    labelNames: ['integration'],
    registers,
  })
  const stepsByIntegration = new Map(pack.registry.all.map(({ integration, steps }) => [integration.id, steps]))

  return ({ integration: integrationId, step: name, dryRun }: StepCall, outcome: Outcome) => {
    if (dryRun) return
    try {
      // Names come from callers, so all unknown ones share one label.
      const steps = stepsByIntegration.get(integrationId)
      const integration = steps ? integrationId : 'unknown'
      runs.inc({
        integration,
        step: steps?.has(name) ? name : 'unknown',
        code: outcome.ok ? 'ok' : outcome.failure.code,
      })
      const { durationMs, attempts, credits: charged } = outcome.meta
      durations.observe({ integration }, durationMs / 1000)
      // The cost of a stored outcome was counted when the outcome was stored.
      if (outcome.meta.cached) return
      requests.inc({ integration }, attempts)
      if (charged) credits.inc({ integration }, charged.charged)
    } catch (thrown) {
      log('error', 'run.uncounted', { runId: outcome.meta.runId, ...describeDefect(thrown) })
    }
  }
}

/** Gauges that are named like counters, which promtool rejects. They only add up metrics that also exist by type. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** How often the delay of the event loop is sampled, in ms. */
const sampleMs = 10

/**
 * Counts what concerns the process from the first call on, because sampling the event loop wakes the process a hundred
 * times a second: a third of what an idle server costs. Resolves once there is a sample.
 */
const createProcessCount = (register: Registry) => {
  let counting: Promise<void> | undefined
  return (): Promise<void> =>
    (counting ??= (async () => {
      collectDefaultMetrics({ register, eventLoopMonitoringPrecision: sampleMs })
      for (const name of misnamed) register.removeSingleMetric(name)
      // A sample is the time between two wake-ups. During each wait there is at least one, however busy the process.
      for (let n = 0; n < 2; n += 1) await wait(sampleMs)
    })())
}

/**
 * Metrics of one server. Labels are routes, codes, and ids of integrations and steps; none has a value that a request
 * may choose.
 */
export const createMetrics = (
  pack: Pack,
  { version, build, ofProcess, log }: { version: string; build: string; ofProcess: boolean; log: Log },
): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  const help = 'Version and build of the server'
  new Gauge({ name: 'toolyard_info', help, labelNames: ['version', 'build'], registers }).set({ version, build }, 1)
  new Gauge({
    name: 'toolyard_runs_waiting',
    help: 'Step runs queued in this process',
    registers,
    collect: function collect() {
      this.set(pack.limits.waiting())
    },
  })
  const requests = new Counter({
    name: 'toolyard_http_requests_total',
    help: 'HTTP requests',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'toolyard_http_request_duration_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['route'],
    buckets: seconds,
    registers,
  })
  const note = addRuns(registers, pack, log)
  const readTriggers = addTriggers(registers, pack)
  const readAudit = addAudit(registers, pack)
  const countProcess = createProcessCount(registry)

  const run: Pack['steps']['run'] = async (caller, call) => {
    const outcome = await pack.steps.run(caller, call)
    note(call, outcome)
    return outcome
  }
  const begin: Pack['steps']['begin'] = (caller, call) => {
    const begun = pack.steps.begin(caller, call)
    begun.coming.then(
      (ended) => note(call, ended),
      () => {},
    )
    return begun
  }
  const countRequest = (method: string, route: string, status: number, ms: number) => {
    requests.inc({ method, route, status })
    durations.observe({ route }, ms / 1000)
  }
  const readPage = async (): Promise<string> => {
    if (ofProcess) await countProcess()
    await readTriggers()
    readAudit()
    return registry.metrics()
  }
  let pageUnderWay: Promise<string> | undefined
  return {
    // Inherits from the pack instead of copying it, so that later changes to the pack apply here too.
    pack: Object.assign(Object.create(pack) as Pack, { steps: { ...pack.steps, run, begin } }),
    countRequest,
    // Pages at the same moment are one: each page begins the samples of the event loop anew, so a second had none.
    page: () => (pageUnderWay ??= readPage().finally(() => (pageUnderWay = undefined))),
  }
}
