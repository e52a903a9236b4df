import { createHash } from 'node:crypto'
import { fail, isConflict, isFailure } from '#kit'
import type { Fence, Log } from '../../runtime/ports/index.ts'
import type { Db, Job, Statement } from '../commit.ts'
import type { StatementResult, Param, Row } from '../sqlite.ts'
import { isBehind, isConnectionFailure, isContention } from './connection.ts'
import type { Connections } from './connection.ts'
import { createScopes, createTranslator } from './text.ts'
import type { Query, Scope } from './text.ts'

type Unit = {
  queries: Query[]
  /** How many of the queries come before the unit's own statements. */
  before: number
  bytes: number
  scopes: Scope[]
  jobs: Job[]
  timed: boolean
  resolve(done: StatementResult[]): void
  reject(failure: unknown): void
}

/** Limits of one transaction, because other writes of the same tenants wait for it. */
const maxUnits = 500
const maxBytes = 2 ** 20
const maxTenants = 100
/** Attempts for a group that met a deadlock or waited too long for a lock. */
const maxTries = 4

/**
 * Writes of one tenant wait for each other, and a write that concerns every tenant waits for all, so that statements
 * mean the same as in the embedded store.
 */
const everyone = 'toolyard'
const lockOf = (name: string): bigint => createHash('sha256').update(name).digest().readBigInt64BE()
const byValue = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0)

/** Keeps every other writer away until the end of the transaction. */
export const lockEveryone: Query = {
  name: 'lock everyone',
  text: 'select pg_advisory_xact_lock($1::bigint)',
  values: [String(lockOf(everyone))],
}

/** Locks are taken in the same order by everyone, so that no two transactions wait for each other. */
const locksFor = (scopes: Scope[]): Query[] => {
  if (scopes.includes('all')) return [lockEveryone]
  const tenants = new Set(scopes.flatMap((scope) => (typeof scope === 'object' ? [scope.tenant] : [])))
  if (tenants.size === 0) return []
  const own = [...tenants].map((tenant) => lockOf(`${everyone} ${tenant}`)).sort(byValue)
  return [
    { name: 'share', text: 'select pg_advisory_xact_lock_shared($1::bigint)', values: [String(lockOf(everyone))] },
    ...own.map((key) => ({ name: 'lock', text: 'select pg_advisory_xact_lock($1::bigint)', values: [String(key)] })),
  ]
}
const begin: Query = { name: 'begin', text: 'begin isolation level read committed', values: [] }
const requireLease = ({ lease, epoch }: Fence): Query => ({
  name: 'require lease',
  text: 'select require_lease($1, $2)',
  values: [lease, epoch],
})
const end: Query = { name: 'commit', text: 'commit', values: [] }

/** The queries to send, and where the result of each query will be: the same check is sent once. */
const withoutRepeats = (queries: readonly Query[]): { distinct: Query[]; places: number[] } => {
  const distinct: Query[] = []
  const checks = new Map<string, number>()
  const places = queries.map((query) => {
    if (!query.isCheck) return distinct.push(query) - 1
    const check = `${query.name} ${JSON.stringify(query.values)}`
    const place = checks.get(check) ?? distinct.push(query) - 1
    checks.set(check, place)
    return place
  })
  return { distinct, places }
}

type JobStatements = (jobs: Job[]) => Promise<Query[]>

/** Sends a group as one transaction; returns the results of the units' queries. */
const runGroup = async (
  connections: Connections,
  units: Unit[],
  jobStatements: JobStatements,
): Promise<StatementResult[]> => {
  const jobs = await jobStatements(units.flatMap((unit) => unit.jobs))
  return connections.use(async ({ transact }) => {
    const before = [begin, ...locksFor(units.flatMap(({ scopes }) => scopes))]
    const { distinct, places } = withoutRepeats(units.flatMap(({ queries }) => queries))
    // `commit` after a failed statement rolls the others back.
    const results = await transact([...before, ...distinct, ...jobs, end])
    return places.map((place) => results[before.length + place]!)
  })
}

const resolveUnits = (units: Unit[], results: StatementResult[], ms: number) => {
  let at = 0
  for (const unit of units) {
    const [first, ...later] = results.slice(at, (at += unit.queries.length)).slice(unit.before)
    unit.resolve(first && unit.timed ? [{ ...first, ms }, ...later] : first ? [first, ...later] : [])
  }
}

/** How many of the waiting units form the next group. */
const countGroup = (waiting: Unit[]): number => {
  const tenants = new Set<string>()
  let bytes = 0
  let count = 0
  for (const { bytes: size, scopes } of waiting) {
    bytes += size
    for (const scope of scopes) if (typeof scope === 'object') tenants.add(scope.tenant)
    // The lock of a write that concerns every tenant would hold up the rest of the group.
    const isAlone = scopes.includes('all')
    if (count > 0 && (count >= maxUnits || bytes > maxBytes || tenants.size > maxTenants || isAlone)) break
    count += 1
    if (isAlone) break
  }
  return count
}

const sizeOf = (value: Param): number =>
  typeof value === 'object' || typeof value === 'string' ? (value?.length ?? 0) : 8
const bytesOf = (statements: readonly Statement[]): number =>
  statements.reduce((sum, { params }) => params.reduce<number>((size, value) => size + sizeOf(value), sum), 0)

type CommitterOptions = {
  connections: Connections
  log: Log
  jobStatements?: JobStatements
  /** Called when a group has ended, with the failure if it failed. */
  onCommit?: (failure?: unknown) => void
}

/**
 * Group commit over a connection: what is submitted while a group is being committed forms the next group. A group is
 * one transaction, sent whole before its first answer, so that it takes one round trip. Groups of a process follow each
 * other, so its writes stay in order. A unit that fails is rejected alone.
 */
export const createPostgresCommitter = ({
  connections,
  log,
  jobStatements = async () => [],
  onCommit = () => {},
}: CommitterOptions) => {
  const translate = createTranslator()
  const scopeOf = createScopes()
  let waiting: Unit[] = []
  let committing: Promise<void> | undefined
  let closed = false
  const counts = { commits: 0, commitMs: 0, failedCommits: 0 }

  const commit = async (units: Unit[], tries = 1): Promise<void> => {
    const startedAt = performance.now()
    try {
      const results = await runGroup(connections, units, jobStatements)
      onCommit()
      const ms = performance.now() - startedAt
      counts.commits += 1
      counts.commitMs += ms
      resolveUnits(units, results, ms)
    } catch (error) {
      if (isContention(error) && tries < maxTries) return commit(units, tries + 1)
      // When the answer is lost, nobody knows whether the group was written, so none of it is written a second time.
      if (units.length > 1 && !isConnectionFailure(error)) {
        for (const unit of units) await commit([unit])
        return
      }
      if (!isConflict(error) && !isBehind(error)) {
        counts.failedCommits += 1
        log('error', 'store.commit_failed', {
          units: units.length,
          reason: isFailure(error) ? error.message : 'unknown',
        })
      }
      onCommit(error)
      for (const unit of units) unit.reject(error)
    }
  }

  const takeGroup = (): Unit[] => {
    const count = countGroup(waiting)
    const group = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return group
  }

  const work = async () => {
    // After the I/O of this turn, so that every request read in it joins the same group.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await commit(takeGroup())
    committing = undefined
  }

  const prepare = (
    statements: readonly Statement[],
    fence: Fence | undefined,
  ): Pick<Unit, 'queries' | 'before' | 'bytes' | 'scopes'> => ({
    queries: fence ? [requireLease(fence), ...statements.map(translate)] : statements.map(translate),
    before: fence ? 1 : 0,
    bytes: bytesOf(statements),
    scopes: statements.map(scopeOf),
  })

  const write: Db['write'] = async (statements, kind) => {
    if (closed) throw fail('unavailable', 'The store is closed.')
    if (statements.length === 0) return []
    const prepared = prepare(statements, kind?.fence)
    return new Promise((resolve, reject) => {
      waiting.push({ ...prepared, jobs: kind?.jobs?.() ?? [], timed: kind?.timed ?? false, resolve, reject })
      committing ??= work()
    })
  }

  const read = async (query: Query, tries = 1): Promise<Row[]> => {
    try {
      return (await connections.shared.send([query]))[0]!.rows
    } catch (error) {
      if (isContention(error) && tries < maxTries) return read(query, tries + 1)
      throw error
    }
  }

  return {
    db: {
      isShared: true,
      read: async (sql, params) => read(translate({ sql, params })),
      write,
    } satisfies Db,
    counts,
    /** Resolves when everything submitted before is committed or refused. */
    async settled(): Promise<void> {
      while (committing) await committing
    },
    async close(): Promise<void> {
      while (committing) await committing
      closed = true
    },
  }
}
