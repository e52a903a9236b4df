import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Outcome } from '#kit'
import type { Pack } from '../../pack.ts'
import type { StepCall } from '../../pack.ts'

export type Metrics = {
  /** The pack, each run of a step counted. */
  pack: Pack
  /** Counts the requests of an app from now on. */
  countRequests(app: FastifyInstance): void
  /** The page as Prometheus reads it (text format 0.0.4). */
  page(): Promise<string>
}

const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Counts of what happens elsewhere are read when somebody looks. */
const addTriggers = (registers: Registry[], pack: Pack) => {
  const count = (name: string, help: string) => new Counter({ name, help, labelNames: ['result'], registers })
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const deliveries = count('toolyard_deliveries_total', 'Deliveries of providers: all that were received, and what became of those that were not taken')
  const events = count('toolyard_events_total', 'Events in deliveries: stored, or repeated and known already')
  const pending = gauge('toolyard_events_pending', 'Events that wait for facts they lack')
  const open = gauge('toolyard_starts_open', 'Agent starts that are not delivered yet')
  const dead = gauge('toolyard_starts_dead', 'Agent starts that were given up')
  const late = gauge('toolyard_start_lateness_seconds', 'How long the oldest open start has been due')
  const subscriptions = gauge('toolyard_subscriptions', 'Subscriptions that are not removed')
  return async () => {
    const now = await pack.triggers.counts()
    for (const metric of [deliveries, events]) metric.reset()
    for (const result of ['received', 'refused', 'undecodable', 'unavailable', 'ended'] as const) deliveries.inc({ result }, now[result])
    for (const result of ['stored', 'repeated'] as const) events.inc({ result }, now[result])
    pending.set(now.pendingEvents)
    open.set(now.openStarts)
    dead.set(now.deadStarts)
    late.set(now.oldestStartDueAt === null ? 0 : Math.max(0, (Date.now() - now.oldestStartDueAt) / 1000))
    subscriptions.set(now.subscriptions)
  }
}

const addRuns = (registers: Registry[], pack: Pack) => {
  const runs = new Counter({
    name: 'toolyard_runs_total',
    help: 'Step runs by how they ended: ok, or the code of the failure',
    labelNames: ['integration', 'step', 'code'],
    registers,
  })
  const durations = new Histogram({
    name: 'toolyard_run_duration_seconds',
    help: 'Step runs, waits for the limits of the provider included',
    labelNames: ['integration'],
    buckets: seconds,
    registers,
  })
  const requests = new Counter({
    name: 'toolyard_provider_requests_total',
    help: 'Requests that step runs sent to providers, repeats included',
    labelNames: ['integration'],
    registers,
  })
  const credits = new Counter({
    name: 'toolyard_credits_total',
    help: 'Credits that step runs were charged, estimates included',
    labelNames: ['integration'],
    registers,
  })
  const known = new Map(pack.registry.all.map(({ integration, steps }) => [integration.id, steps]))

  return ({ integration: asked, step: name, dryRun }: StepCall, outcome: Outcome) => {
    if (dryRun) return
    // Names come from callers: what is not ours gets one label together.
    const steps = known.get(asked)
    const integration = steps ? asked : 'unknown'
    runs.inc({ integration, step: steps?.has(name) ? name : 'unknown', code: outcome.ok ? 'ok' : outcome.failure.code })
    const { durationMs, attempts, credits: charged } = outcome.meta
    durations.observe({ integration }, durationMs / 1000)
    // What a stored outcome cost was counted when it was made.
    if (outcome.meta.cached) return
    requests.inc({ integration }, attempts)
    if (charged) credits.inc({ integration }, charged.charged)
  }
}

/** Sums of what stands beside them by type; gauges that are named like counters, which Prometheus's own check refuses. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Counts of one server. Labels are routes, codes, and ids of integrations and steps: none comes from a request. */
export const createMetrics = (given: Pack, { version, ofProcess }: { version: string; ofProcess: boolean }): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  new Gauge({ name: 'toolyard_info', help: 'The version that runs', labelNames: ['version'], registers }).set({ version }, 1)
  new Gauge({
    name: 'toolyard_runs_waiting',
    help: 'Step runs that wait for their turn in this process',
    registers,
    collect: function collect() {
      this.set(given.limits.waiting())
    },
  })
  const requests = new Counter({ name: 'toolyard_http_requests_total', help: 'Answered requests', labelNames: ['method', 'route', 'status'], registers })
  const durations = new Histogram({
    name: 'toolyard_http_request_duration_seconds',
    help: 'Answered requests',
    labelNames: ['route'],
    buckets: seconds,
    registers,
  })
  const note = addRuns(registers, given)
  const readTriggers = addTriggers(registers, given)
  if (ofProcess) {
    collectDefaultMetrics({ register: registry })
    for (const name of misnamed) registry.removeSingleMetric(name)
  }

  const run: Pack['steps']['run'] = (caller, call) => {
    const outcome = given.steps.run(caller, call)
    outcome.then(
      (ended) => note(call, ended),
      () => {},
    )
    return outcome
  }
  const begin: Pack['steps']['begin'] = (caller, call) => {
    const begun = given.steps.begin(caller, call)
    begun.coming.then(
      (ended) => note(call, ended),
      () => {},
    )
    return begun
  }
  return {
    // The same pack, not a copy of it: what is changed there holds here.
    pack: Object.assign(Object.create(given) as Pack, { steps: { ...given.steps, run, begin } }),
    countRequests(app) {
      app.addHook('onResponse', (request, reply, done) => {
        const route = request.routeOptions.url ?? 'none'
        requests.inc({ method: request.method, route, status: reply.statusCode })
        durations.observe({ route }, reply.elapsedTime / 1000)
        done()
      })
    },
    async page() {
      await readTriggers()
      return registry.metrics()
    },
  }
}
