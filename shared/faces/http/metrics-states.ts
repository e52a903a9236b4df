import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Pack } from '../../pack.ts'

type Counts = Awaited<ReturnType<Pack['triggers']['counts']>>

/** How the store of this server does. */
export const addStore = (registers: Registry[]) => {
  const commits = new Counter({
    name: 'toolyard_store_commits_total',
    help: 'Transactions of this server: written (ok) or refused by the store (failed)',
    labelNames: ['result'],
    registers,
  })
  const seconds = new Counter({
    name: 'toolyard_store_commit_seconds_total',
    help: 'Total time of committed transactions; divide by their number for the mean',
    registers,
  })
  const lost = new Counter({
    name: 'toolyard_store_leases_lost_total',
    help: 'Leases that ended while this server still worked under them',
    registers,
  })
  // Labelled, so that a store without a directory or a pool has no value instead of 0.
  const free = new Gauge({
    name: 'toolyard_store_free_bytes',
    help: 'Free space of the file system that holds the data directory; absent with PostgreSQL, or if it cannot be read',
    labelNames: ['place'],
    registers,
  })
  const pool = new Gauge({
    name: 'toolyard_store_pool_connections',
    help: 'Connections to PostgreSQL: busy and idle; waiting: callers that wait for one, or for the answers of others that share one',
    labelNames: ['state'],
    registers,
  })
  return ({ store }: Counts) => {
    for (const metric of [commits, seconds, lost]) metric.reset()
    commits.inc({ result: 'ok' }, store.commits)
    commits.inc({ result: 'failed' }, store.failedCommits)
    seconds.inc(store.commitMs / 1000)
    lost.inc(store.leasesLost)
    free.reset()
    if (store.freeBytes !== null) free.set({ place: 'data' }, store.freeBytes)
    for (const [state, count] of Object.entries(store.pool ?? {})) pool.set({ state }, count)
  }
}

/** What needs a person: how many connections, hooks, subscriptions and budgets are in which state. */
export const addStates = (registers: Registry[]) => {
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames: ['state'], registers })
  const gauges = {
    connections: gauge(
      'toolyard_connections',
      'Connections by state; needs_reconnect and revoked wait for their owner',
    ),
    hooks: gauge('toolyard_hooks', 'Hooks by state; broken and failing ones deliver nothing'),
    subscriptions: gauge(
      'toolyard_subscriptions_by_state',
      'Subscriptions by state; the agents of failing and paused_agent do not take their starts',
    ),
    budgets: gauge(
      'toolyard_budgets',
      'Budgets in their present period: open, near the share at which they warn, or spent',
    ),
  }
  return ({ tally }: Counts) => {
    for (const [what, counts] of Object.entries(tally) as [keyof typeof gauges, Record<string, number>][]) {
      gauges[what].reset()
      for (const [state, count] of Object.entries(counts)) gauges[what].set({ state }, count)
    }
  }
}
