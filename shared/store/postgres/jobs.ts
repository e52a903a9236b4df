import { setTimeout as wait } from 'node:timers/promises'
import { types } from 'pg'
import { PgBoss } from 'pg-boss'
import type { Db } from 'pg-boss'
import { describeDefect } from '#kit'
import type { Clock, Cluster, JobKind, Log } from '../../runtime/ports/index.ts'
import type { Job } from '../commit.ts'
import { createAlarms } from './alarms.ts'
import { jobsSchema } from './connection.ts'
import type { Connections } from './connection.ts'
import type { Listener } from './listener.ts'
import type { Query } from './text.ts'

type JobsDependencies = {
  connections: Pick<Connections, 'shared' | 'use'>
  listener: Listener
  clock: Pick<Clock, 'now'>
  log: Log
}

const kinds: readonly JobKind[] = ['starts', 'polls']
/** A job is only a wake-up, so it is not kept for long; one whose process died is given to another process. */
const queue = {
  policy: 'short',
  notify: true,
  retryLimit: 3,
  expireInSeconds: 60,
  retentionSeconds: 86_400,
  deleteAfterSeconds: 60,
} as const
const batchSize = 100
const stopMs = 5_000

/**
 * How often a process looks for jobs that nobody told it of, in s: those of a process that ended before they were due,
 * and while notifications are interrupted.
 */
const lookS = 5

/** Jobs with the same key that are due together become one. A job due later must not replace one that is due now. */
const merged = (jobs: readonly Job[], now: number) => {
  const byName = new Map<string, { singletonKey: string; data: { key: string }; startAfter?: string }>()
  for (const { key, at } of jobs) {
    const seconds = Math.ceil(at / 1000)
    const waits = at > now
    const singletonKey = waits ? `${key} ${seconds}` : key
    byName.set(singletonKey, {
      singletonKey,
      data: { key },
      // A moment, not a delay: a delay would count from when the database begins the transaction.
      ...(waits ? { startAfter: new Date(seconds * 1000).toISOString() } : {}),
    })
  }
  // The same order for everyone, so that no two transactions wait for each other.
  return [...byName.values()].sort((a, b) => (a.singletonKey < b.singletonKey ? -1 : 1))
}

/** Names under which connections prepare what pg-boss asks; there are far fewer texts with values than this. */
const maxNames = 200

/** The connections of the store, for pg-boss. */
const databaseOf = (
  connections: JobsDependencies['connections'],
  listener: Listener,
  onChannel: (channel: string) => void,
): Db => {
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    if (!names.has(text) && names.size < maxNames) names.set(text, `boss ${names.size}`)
    return names.get(text)
  }
  /** It reads the codes of the server, and values as the driver gives them. */
  const asked = async (work: () => Promise<unknown>) =>
    work().catch((failure: unknown) => {
      throw (failure as { cause?: unknown }).cause ?? failure
    }) as Promise<{ rows: unknown[] }>
  return {
    executeSql: async (text, values = []) => {
      const name = values.length > 0 ? nameOf(text) : undefined
      if (values.length > 0)
        return asked(() => connections.shared.ask({ text, values, types, ...(name ? { name } : {}) }))
      // It may be a script, with a transaction that is left open when a statement of it fails.
      return asked(() =>
        connections.use(async ({ ask }) => {
          try {
            return await ask({ text, types })
          } catch (failure) {
            await ask({ text: 'rollback' }).catch(() => undefined)
            throw failure
          }
        }),
      )
    },
    async listen(channel, onNotified, onHeard) {
      onChannel(channel)
      await listener.listen(channel, { onNotified, onHeard })
      return { close: async () => listener.ignore(channel) }
    },
  }
}

/** pg-boss reports copies of errors, which are not instances of Error. */
export const messageOf = (error: unknown): string => {
  const { message = error } = (error ?? {}) as { message?: unknown }
  return describeDefect(error instanceof Error ? error : message).message
}

/** Queues of wake-ups, in the same database as the work they are for. */
export const createJobs = ({ connections, listener, clock, log }: JobsDependencies) => {
  let channel: string | undefined
  const boss = new PgBoss({
    db: databaseOf(connections, listener, (name) => (channel = name)),
    schema: jobsSchema,
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: 30,
    maintenanceIntervalSeconds: 60,
    // Jobs here never wait for each other.
    flowIntervalSeconds: 60,
  })
  const noted = (error: unknown) => log('warn', 'jobs.failed', { reason: messageOf(error) })
  boss.on('error', noted)
  boss.on('warning', ({ message }) => log('debug', 'jobs.warning', { reason: message }))
  let isStarted = false
  const names = new Map<string, string>()

  /** Every process is told, as of a job that is due at once, so that the work stays spread over all of them. */
  const alarms = createAlarms(clock, (kind) => {
    const values = [channel, kind]
    if (channel) connections.shared.ask({ name: 'jobs due', text: 'select pg_notify($1, $2)', values }).catch(noted)
  })

  const insertOf = async (kind: JobKind, jobs: readonly Job[]): Promise<Query[]> => {
    let query: Query | undefined
    const capture = async (text: string, values: unknown[] = []) => {
      const name = names.get(text) ?? `jobs ${names.size}`
      names.set(text, name)
      query = { name, text, values }
      return { rows: [] }
    }
    await boss.insert(kind, merged(jobs, clock.now()), { db: { executeSql: capture } })
    return query ? [query] : []
  }

  const work: Cluster['jobs']['work'] = (kind, handler) => {
    const begun = boss.work<{ key: string }>(
      kind,
      {
        batchSize,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: lookS,
        notifyPollingIntervalSeconds: lookS,
      },
      async (jobs) => handler([...new Set(jobs.map(({ data }) => data.key))]).catch(noted),
    )
    begun.catch(noted)
    return async () => {
      await begun.then(
        () => boss.offWork(kind, { wait: true }),
        () => undefined,
      )
    }
  }

  return {
    /** The queries that insert jobs into a transaction. Without the jobs, the same work is found by polling. */
    async statements(jobs: readonly Job[]): Promise<Query[]> {
      if (!isStarted || jobs.length === 0) return []
      for (const { kind, at } of jobs) alarms.set(kind, at)
      try {
        const inserts = kinds.map((kind) => jobs.filter((job) => job.kind === kind)).filter(({ length }) => length > 0)
        return (await Promise.all(inserts.map((some) => insertOf(some[0]!.kind, some)))).flat()
      } catch (error) {
        noted(error)
        return []
      }
    },
    work,
    async start(): Promise<void> {
      await boss.start()
      for (const kind of kinds) await boss.createQueue(kind, queue)
      isStarted = true
    },
    async stop(): Promise<void> {
      isStarted = false
      alarms.clear()
      // When the path to the database is lost, pg-boss would wait for every query it has sent.
      const stopped = boss.stop({ timeout: stopMs }).catch(noted)
      await Promise.race([stopped, wait(stopMs + 1_000, undefined, { ref: false })])
    },
  }
}
export type Jobs = ReturnType<typeof createJobs>
