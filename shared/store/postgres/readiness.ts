import { setTimeout as wait } from 'node:timers/promises'
import { fail } from '#kit'
import { isOutage, needsSpace } from './connection.ts'
import type { Query } from './text.ts'

/** Minimum time between two test commits of a process, however many callers check. */
const everyMs = 5_000
/** A database that answered within this time is merely slow. */
const goodForMs = 10_000
/** How long a caller waits for a test commit. */
const waitMs = 500

/** A test commit that is not answered in this time has failed. */
export const testMs = goodForMs

/**
 * A commit that needs space on the disk that holds the rows: a small one would fit on existing pages even when the disk
 * is full. The rows of `generate_series` exceed `work_mem`, so they are written to a temporary file. A table emptied
 * each time would do the same, but would wait for every pg_dump.
 */
export const testQueries = (now: number): Query[] => [
  { name: 'test begin', text: 'begin isolation level read committed', values: [] },
  {
    name: 'test place',
    text: `select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', coalesce((
      select quote_ident(t.spcname) from pg_class c join pg_tablespace t on t.oid = c.reltablespace
      where c.oid = 'events'::regclass and has_tablespace_privilege(t.oid, 'create')), ''), true)`,
    values: [],
  },
  {
    name: 'test space',
    // An operator may limit temporary files.
    text: `select count(*) from generate_series(1, case when current_setting('temp_file_limit') = '-1'
      or pg_size_bytes(current_setting('temp_file_limit')) > 4194304 then 20000 else 0 end)`,
    values: [],
  },
  {
    name: 'test write',
    text: `insert into meta (name, value) values ('checked', $1) on conflict (name) do update set value = excluded.value`,
    values: [String(now)],
  },
  { name: 'test commit', text: 'commit', values: [] },
]

type ReadinessDependencies = { monotonic(): number; testCommit(): Promise<void> }

/**
 * Whether the database accepts commits, judged by real commits and by a test commit now and then. `check` never waits
 * for the database, so it answers within a second whatever the database does.
 */
export const createReadiness = ({ monotonic, testCommit }: ReadinessDependencies) => {
  let trouble: unknown
  let goodAt: number | undefined
  let testedAt = -Infinity
  let testing: Promise<void> | undefined
  let isTested = false

  const works = () => {
    trouble = undefined
    goodAt = monotonic()
  }
  const test = async () => {
    try {
      await testCommit()
      works()
    } catch (error) {
      trouble = error
    }
    isTested = true
    testing = undefined
  }
  const isGood = () => trouble === undefined && goodAt !== undefined && monotonic() - goodAt < goodForMs

  return {
    /** Call this after every real commit; `failure`: the commit was refused. */
    committed(failure?: unknown): void {
      if (failure === undefined) {
        if (!needsSpace(trouble)) works()
      } else if (isOutage(failure)) trouble = failure
    },
    /** @throws Failure `unavailable` */
    async check(): Promise<void> {
      if (testing === undefined && monotonic() - testedAt >= everyMs) {
        testedAt = monotonic()
        testing = test()
      }
      if (testing && !(isTested && isGood())) await Promise.race([testing, wait(waitMs, undefined, { ref: false })])
      if (trouble !== undefined) throw trouble
      if (isGood()) return
      const since = goodAt === undefined ? 'yet' : `for ${Math.round((monotonic() - goodAt) / 1000)} s`
      throw fail(
        'unavailable',
        `The database of DATABASE_URL has not answered ${since}; check that it runs and that this machine reaches it.`,
      )
    },
  }
}
