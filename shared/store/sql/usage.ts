import { setImmediate as pause } from 'node:timers/promises'
import type { PersonUsageRow, Run, UsageRow } from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'
import { slicesOf } from './slices.ts'

const dayMs = 86_400_000
const dayOf = (dayNumber: number): string => new Date(dayNumber * dayMs).toISOString().slice(0, 10)

const key = ['tenant', 'day', 'integration', 'step', 'connection', 'shard']
/** The totals of all runs, and of those that acted for somebody. */
type TotalsTable = { table: string; key: string[] }
const ofAll: TotalsTable = { table: 'usage_totals', key }
const ofPeople: TotalsTable = {
  table: 'usage_totals_of_people',
  key: ['tenant', 'day', 'person', 'integration', 'step', 'connection', 'shard'],
}
const sums = ['runs', 'failed', 'calls', 'credits', 'estimated_credits', 'waited_ms', 'refused']
const ended: readonly Run['state'][] = ['done', 'failed', 'unknown', 'not_sent']

export const isEnded = ({ state }: Pick<Run, 'state'>) => ended.includes(state)

const total = (what: string, as: string) => `coalesce(sum(${what}), 0) as ${as}`
const sumsOfRuns = `count(*) as runs, ${total(`case when state in ('failed', 'unknown') then 1 else 0 end`, 'failed')}, ${total('calls', 'calls')},
  ${total('credits', 'credits')}, ${total('case when credits_estimated = 1 then credits else 0 end', 'estimated_credits')}, ${total('waited_ms', 'waited_ms')},
  ${total('refused', 'refused')}`
const isCounted = `state in (${ended.map((state) => `'${state}'`).join(', ')})`
/** Sums of the runs that were already counted, because their rows exist. */
const counted = `select ${sumsOfRuns} from runs where tenant = ? and ${isCounted}`
const countSql = (
  { table, key: columns }: TotalsTable,
  ids: number,
) => `insert into ${table} (${[...columns, ...sums].join(', ')})
  select ${columns.map(() => '?').join(', ')}, ${sums.map((name) => `? - o.${name}`).join(', ')} from (${counted} and id in (${places(ids)})) o where 1 = 1
  on conflict (${columns.join(', ')}) do update set ${sums.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')}`
const places = (count: number) => Array.from({ length: count }, () => '?').join(', ')

/** Statement texts by table and number of ids, which is a power of two, so that few statements are prepared. */
const countTexts = new Map<string, string>()
const countText = (of: TotalsTable, ids: number): string => {
  const name = `${of.table} ${ids}`
  let text = countTexts.get(name)
  if (text === undefined) countTexts.set(name, (text = countSql(of, ids)))
  return text
}

type Total = { key: (string | number)[]; sums: [number, number, number, number, number, number, number]; ids: string[] }

const count = (total: Total, { id, state, calls, credits, creditsEstimated, waitedMs, refused }: Run) => {
  const { sums: of, ids } = total
  ids.push(id)
  of[0] += 1
  if (state === 'failed' || state === 'unknown') of[1] += 1
  of[2] += calls
  of[3] += credits
  if (creditsEstimated) of[4] += credits
  of[5] += waitedMs
  of[6] += refused
}

type Totals = Map<string, Total>
const addRun = (totals: Totals, keyOf: (string | number)[], run: Run) => {
  const name = keyOf.join('\n')
  let total = totals.get(name)
  if (!total) totals.set(name, (total = { key: keyOf, sums: [0, 0, 0, 0, 0, 0, 0], ids: [] }))
  count(total, run)
}
const statementsOf = (of: TotalsTable, totals: Totals): Statement[] =>
  [...totals.values()].map(({ key: keyOf, sums: added, ids }) => {
    const room = 2 ** Math.ceil(Math.log2(ids.length))
    while (ids.length < room) ids.push(ids[0]!)
    return { sql: countText(of, room), params: [...keyOf, ...added, keyOf[0]!, ...ids] }
  })

/**
 * Adds runs that ended to the totals of their day; to be committed with their rows, before them. A run whose row exists
 * was counted already, so it counts once however often it is written. `shard`: each node adds to rows of its own, which
 * readers add up, so that no two nodes wait for one row.
 */
export const countRuns = (runs: Iterable<Run>, shard: number): Statement[] => {
  const all: Totals = new Map()
  const people: Totals = new Map()
  for (const run of runs) {
    const { tenant, integration, step, connection, person, createdAt } = run
    const day = Math.floor(createdAt / dayMs)
    const what = [integration, step, connection ?? '', shard]
    addRun(all, [tenant, day, ...what], run)
    if (typeof person === 'string') addRun(people, [tenant, day, person, ...what], run)
  }
  return [...statementsOf(ofAll, all), ...statementsOf(ofPeople, people)]
}

/**
 * Totals per day, integration, step and connection, newest day first, starting with the day of `since` (ms). Read in
 * slices.
 */
export const usageOf = async (db: Db, tenant: string, since: number): Promise<UsageRow[]> => {
  const totals = createTotals()
  const slices = slicesOf(db, {
    table: 'usage_totals',
    keys: key.slice(1),
    within: { sql: 'tenant = ?', params: [tenant] },
    after: [Math.floor(since / dayMs), '', '', '', -1],
  })
  for await (const rows of slices) for (const row of rows) totals.add(fromRow(row))
  return totals.rows()
}

/** The same of all people, each row with its person, in no order. */
export const usageByPerson = async (db: Db, tenant: string, since: number): Promise<PersonUsageRow[]> => {
  const people = new Map<string, ReturnType<typeof createTotals>>()
  const slices = slicesOf(db, {
    table: ofPeople.table,
    keys: ofPeople.key.slice(1),
    within: { sql: 'tenant = ?', params: [tenant] },
    after: [Math.floor(since / dayMs), '', '', '', '', -1],
  })
  for await (const rows of slices)
    for (const row of rows) {
      const person = String(row['person'])
      let totals = people.get(person)
      if (!totals) people.set(person, (totals = createTotals()))
      totals.add(fromRow(row))
    }
  return [...people].flatMap(([person, totals]) => totals.rows().map((row) => ({ ...row, person })))
}

/** Totals of each of these people, from the rows of runs, which have an index by person. */
export const usageOfPeople = async (
  db: Db,
  tenant: string,
  since: number,
  people: readonly string[],
): Promise<Map<string, UsageRow[]>> => {
  const usage = new Map<string, UsageRow[]>()
  for (const person of people) {
    const totals = createTotals()
    const slices = slicesOf(db, {
      table: 'runs',
      columns:
        'id, created_at, integration, step, connection, state, calls, credits, credits_estimated, waited_ms, refused',
      keys: ['created_at', 'id'],
      within: { sql: `tenant = ? and person = ? and ${isCounted}`, params: [tenant, person] },
      after: [Math.floor(since / dayMs) * dayMs, ''],
    })
    for await (const rows of slices) for (const row of rows) totals.add(fromRun(row))
    usage.set(person, totals.rows())
    await pause()
  }
  return usage
}

/** Adds rows up by day, integration, step and connection. */
const createTotals = () => {
  const totals = new Map<string, UsageRow>()
  return {
    add(row: UsageRow) {
      const name = `${row.day}\n${row.integration}\n${row.step}\n${row.connection ?? ''}`
      const total = totals.get(name)
      if (!total) totals.set(name, row)
      else for (const sum of summed) total[sum] += row[sum]
    },
    /** Newest day first. */
    rows: (): UsageRow[] => {
      const names = [...totals.keys()].toSorted()
      const days = Map.groupBy(names, (name) => totals.get(name)!.day)
      return [...days.values()].toReversed().flatMap((ofDay) => ofDay.map((name) => totals.get(name)!))
    },
  }
}

const summed = ['runs', 'failed', 'calls', 'credits', 'estimatedCredits', 'waitedMs', 'refused'] as const

const fromRun = (row: Record<string, unknown>): UsageRow => ({
  day: dayOf(Math.floor(Number(row['created_at']) / dayMs)),
  integration: String(row['integration']),
  step: String(row['step']),
  connection: row['connection'] === null ? null : String(row['connection']),
  runs: 1,
  failed: row['state'] === 'failed' || row['state'] === 'unknown' ? 1 : 0,
  calls: Number(row['calls']),
  credits: Number(row['credits']),
  estimatedCredits: Number(row['credits_estimated']) === 1 ? Number(row['credits']) : 0,
  waitedMs: Number(row['waited_ms']),
  refused: Number(row['refused']),
})

const fromRow = (row: Record<string, unknown>): UsageRow => ({
  day: dayOf(Number(row['day'])),
  integration: String(row['integration']),
  step: String(row['step']),
  connection: row['connection'] === '' ? null : String(row['connection']),
  runs: Number(row['runs']),
  failed: Number(row['failed']),
  calls: Number(row['calls']),
  credits: Number(row['credits']),
  estimatedCredits: Number(row['estimated_credits']),
  waitedMs: Number(row['waited_ms']),
  refused: Number(row['refused']),
})
