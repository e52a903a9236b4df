import { randomBytes } from 'node:crypto'
import { fail } from '#kit'
import type { Clock, Cluster, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { groupsIn } from '../sql/groups.ts'
import { openDatabaseClock } from './clock.ts'
import { createPostgresCommitter } from './committer.ts'
import { createJobs } from './jobs.ts'
import { openChanges } from './changes.ts'
import { isBehind, openConnections } from './connection.ts'
import { dueWorkIn } from './due-work.ts'
import { leasesIn } from './leases.ts'
import { createListener } from './listener.ts'
import { deadAfterMs, openNodes } from './nodes.ts'
import type { PostgresOptions } from './connection.ts'
import { createReadiness, testMs, testQueries } from './readiness.ts'
import { migratePostgres } from './schema.ts'
import { slotsIn } from './slots.ts'

export type { PostgresOptions } from './connection.ts'

export type SharedStoreOptions = Omit<PostgresOptions, 'node'> & {
  /** The clock of this machine. */
  clock: Clock
  /** Version of this program, shown to operators. */
  version?: string
  /** A process that was not seen for this long, in ms, counts as ended; default 15 s. */
  deadMs?: number
}

const agreeOnKey = async (db: Db, id: string, replaces: readonly string[]): Promise<string> => {
  const name = 'master key'
  const placeholders = replaces.map(() => '?').join(', ')
  const [, present] = await db.write([
    {
      sql: `insert into meta (name, value) values (?, ?) on conflict (name) do ${placeholders === '' ? 'nothing' : `update set value = excluded.value where meta.value in (${placeholders})`}`,
      params: [name, id, ...replaces],
    },
    { sql: 'select value from meta where name = ?', params: [name] },
  ])
  return String(present!.rows[0]!['value'])
}

/**
 * The store for several processes: a PostgreSQL database, version 15 or newer.
 * @throws Failure `unavailable` when the database cannot be used as it is, naming the remedy
 */
export const openPostgresStore = async (options: SharedStoreOptions): Promise<Store & { cluster: Cluster }> => {
  const { log, clock: machine } = options
  const node = `node_${randomBytes(8).toString('hex')}`
  const connections = openConnections({ ...options, node })
  const time = await openDatabaseClock(connections, machine).catch(async (error: unknown) => {
    await connections.close()
    throw error
  })
  const { clock } = time
  const listener = createListener(options.url, log)
  const jobs = createJobs({ connections, listener, clock, log })
  const readiness = createReadiness({
    monotonic: machine.monotonic,
    testCommit: async () => void (await connections.send(testQueries(clock.now()), testMs)),
  })
  const {
    db,
    settled: committed,
    close,
    counts,
  } = createPostgresCommitter({ connections, log, jobStatements: jobs.statements, onCommit: readiness.committed })
  const join = async () => {
    const { schema } = await migratePostgres(connections, log)
    const { version = '', deadMs } = options
    const nodes = await openNodes({
      connections,
      db,
      node,
      schema,
      version,
      clock,
      time,
      log,
      deadMs: deadAfterMs(deadMs),
    })
    const [changes] = await Promise.all([
      openChanges({ connections, notifications: listener, node, log }),
      jobs.start(),
    ])
    return { nodes, opened: changes }
  }
  const {
    nodes: { leave, ...nodes },
    opened,
  } = await join().catch(async (error: unknown) => {
    await jobs.stop().catch(() => undefined)
    await listener.close()
    await connections.close()
    throw error
  })
  // Joining has just written to the database.
  readiness.committed()
  const { guard, close: closeChanges, tellOthers, ...changes } = opened
  const { groups, settled } = groupsIn(db, guard)
  const leases = leasesIn(connections, node, clock)
  return {
    ...groups,
    ingest: (arrival) =>
      groups.ingest(arrival).catch((thrown: unknown) => {
        if (isBehind(thrown)) return { events: [], starts: [], isBehind: true }
        throw thrown
      }),
    cluster: {
      node,
      clock,
      clockAheadMs: time.aheadMs,
      lease: leases.take,
      ...changes,
      tell: tellOthers,
      ...nodes,
      slots: slotsIn(connections, log, node),
      jobs: { work: jobs.work },
      dueWork: dueWorkIn(connections),
      agreeOnKey: (id, replaces) => agreeOnKey(db, id, replaces),
    },
    vitals: () => ({ ...counts, leasesLost: leases.lost(), freeBytes: null, pool: connections.pool() }),
    // There are no copies to remove; the database reuses the pages that held removed rows.
    personal: { ...groups.personal, purge: async () => 0 },
    backup: async () => {
      throw fail(
        'invalid_input',
        'A PostgreSQL database is backed up with pg_dump. toolyard export writes its rows to a file.',
      )
    },
    flush: async () => {
      await settled()
      await committed()
    },
    check: readiness.check,
    close: async () => {
      await settled()
      await close()
      await closeChanges()
      await jobs.stop()
      await listener.close()
      await leave()
      await connections.close()
    },
  }
}
