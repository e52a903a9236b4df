import { isFailure } from '#kit'
import type { Headroom, LimitWire } from '../../wire/types.ts'
import type { LoadedIntegration, Registry } from '../catalogue/registry.ts'
import type { Caller, Clock, Connection, Run, RunState, Store } from '../ports/index.ts'
import { isBoundToPerson } from '../people/act-for.ts'
import { mustGetConnection } from './connections.ts'
import type { OpenConnections } from './open-connection.ts'
import type { ConnectionName } from '../../api/resources/connection-name.ts'
import type { ConnectionLimits as LimitsView, ConnectionUsage } from '../../api/resources/connection-report.ts'

export type { ConnectionUsage, LimitsView }

export type ConnectionReports = {
  /** How much of the provider's limits this process has used with the connection. Sends nothing. */
  limits(caller: Caller, id: string): Promise<LimitsView>
  /** The tokens bound to the connection, and how its last runs ended. */
  usage(caller: Caller, id: string): Promise<ConnectionUsage>
  /** What things of the connection are called, as far as it was learned. Newest first. */
  names(caller: Caller, id: string, query?: NameQuery): Promise<{ items: ConnectionName[] }>
}

/** `query`: a part of the name; `limit`: 20 by default. */
export type NameQuery = { kind?: string | undefined; query?: string | undefined; limit?: number | undefined }

const maxNames = 20

type ConnectionReportsDependencies = {
  names: {
    search(of: { tenant: string; connection: string }, query: NameQuery & { limit: number }): Promise<ConnectionName[]>
  }
  registry: Registry
  store: Store
  openConnections: Pick<OpenConnections, 'openConnection'>
  wire: LimitWire
  clock: Clock
  flush(): Promise<void>
}

const time = (at: number | null) => (at === null ? null : new Date(at).toISOString())
const refOf = ({ id, step, createdAt }: Run) => ({ runId: id, step, at: new Date(createdAt).toISOString() })
const newerOf = (run: Run | undefined, other: Run | undefined) =>
  run === undefined || (other !== undefined && other.createdAt > run.createdAt) ? other : run

export const createConnectionReports = ({
  registry,
  store,
  openConnections,
  wire,
  clock,
  flush,
  names,
}: ConnectionReportsDependencies): ConnectionReports => {
  const unused = ({ wire: { pace } }: LoadedIntegration): Headroom => ({
    windows: pace.limits.flatMap(({ per, route = null, max, windowMs }) =>
      per === 'field'
        ? []
        : [{ per, route, limit: max, windowMs, used: null, remaining: null, resetsAt: null, pausedUntil: null }],
    ),
    queue: { running: 0, waiting: 0, concurrency: pace.concurrency },
    breaker: { state: 'closed', until: null },
  })
  const headroomOf = async (row: Connection): Promise<Headroom> => {
    const loaded = registry.forConnection(row)
    // A connection that cannot be opened, for whatever reason, cannot send anything.
    const opened = await openConnections.openConnection(row, loaded).catch(() => undefined)
    if (!opened) return unused(loaded)
    try {
      return wire.headroom({ integration: row.integration, profile: loaded.wire, account: opened.account })
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      // The provider has no address yet.
      return unused(loaded)
    }
  }

  return {
    async limits(caller, id) {
      const { windows, queue, breaker } = await headroomOf(await mustGetConnection(store, caller, id))
      return {
        windows: windows.map((window) => ({
          ...window,
          resetsAt: time(window.resetsAt),
          pausedUntil: time(window.pausedUntil),
        })),
        queue,
        breaker: { ...breaker, until: time(breaker.until) },
      }
    },
    async names(caller, id, query = {}) {
      const { tenant } = await mustGetConnection(store, caller, id)
      return { items: await names.search({ tenant, connection: id }, { ...query, limit: query.limit ?? maxNames }) }
    },
    async usage(caller, id) {
      await mustGetConnection(store, caller, id)
      const person = isBoundToPerson(caller) ? { person: caller.person! } : {}
      await flush()
      const last = async (state: RunState) =>
        (await store.runs.list(caller.tenant, { limit: 1 }, { connection: id, state, ...person })).items[0]
      const [done, failed, unknown] = await Promise.all([last('done'), last('failed'), last('unknown')])
      const error = newerOf(failed, unknown)
      const now = clock.now()
      const tokens = (await store.tokens.list(caller.tenant)).filter(
        ({ connections, revokedAt, expiresAt }) =>
          revokedAt === null && (expiresAt === null || expiresAt > now) && connections?.includes(id) === true,
      )
      return {
        // A bound token does not see other tokens.
        tokens: tokens
          .filter((token) => !(caller.connections || isBoundToPerson(caller)) || token.id === caller.token)
          .map((token) => ({ id: token.id, name: token.name })),
        lastSuccess: done ? refOf(done) : null,
        lastError: error ? { ...refOf(error), code: error.code, message: error.failure?.message ?? null } : null,
      }
    },
  }
}
