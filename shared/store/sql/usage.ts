import { setImmediate as pause } from 'node:timers/promises'
import type { Run, UsageRow } from '../../runtime/ports/index.ts'
import type { Db, Statement } from '../commit.ts'

const dayMs = 86_400_000
const dayOf = (dayNumber: number): string => new Date(dayNumber * dayMs).toISOString().slice(0, 10)
const rowsPerSlice = 500

const key = ['tenant', 'day', 'integration', 'step', 'connection', 'shard']
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
const countSql = (ids: number) => `insert into usage_totals (${[...key, ...sums].join(', ')})
  select ${key.map(() => '?').join(', ')}, ${sums.map((name) => `? - o.${name}`).join(', ')} from (${counted} and id in (${places(ids)})) o where 1 = 1
  on conflict (${key.join(', ')}) do update set ${sums.map((name) => `${name} = usage_totals.${name} + excluded.${name}`).join(', ')}`
const places = (count: number) => Array.from({ length: count }, () => '?').join(', ')

/** Statement texts by number of ids, which is a power of two, so that few statements are prepared. */
const countTexts = new Map<number, string>()
const countText = (ids: number): string => {
  let text = countTexts.get(ids)
  if (text === undefined) countTexts.set(ids, (text = countSql(ids)))
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

/**
 * Adds runs that ended to the totals of their day; to be committed with their rows, before them. A run whose row exists
 * was counted already, so it counts once however often it is written. `shard`: each node adds to rows of its own, which
 * readers add up, so that no two nodes wait for one row.
 */
export const countRuns = (runs: Iterable<Run>, shard: number): Statement[] => {
  const totals = new Map<string, Total>()
  for (const run of runs) {
    const { tenant, integration, step, connection, createdAt } = run
    const day = Math.floor(createdAt / dayMs)
    const name = `${tenant}\n${day}\n${integration}\n${step}\n${connection}`
    let total = totals.get(name)
    if (!total)
      totals.set(
        name,
        (total = {
          key: [tenant, day, integration, step, connection ?? '', shard],
          sums: [0, 0, 0, 0, 0, 0, 0],
          ids: [],
        }),
      )
    count(total, run)
  }
  return [...totals.values()].map(({ key: of, sums: added, ids }) => {
    const room = 2 ** Math.ceil(Math.log2(ids.length))
    while (ids.length < room) ids.push(ids[0]!)
    return { sql: countText(room), params: [...of, ...added, of[0]!, ...ids] }
  })
}

/**
 * Totals per day, integration, step and connection, newest day first, starting with the day of `since` (ms). Read in
 * slices.
 */
export const usageOf = async (db: Db, tenant: string, since: number): Promise<UsageRow[]> => {
  const columns = key.slice(1)
  const sql = `select * from usage_totals where tenant = ? and (${columns.join(', ')}) > (${columns.map(() => '?').join(', ')})
    order by ${columns.join(', ')} limit ?`
  const days = new Map<string, UsageRow[]>()
  let after: (string | number)[] = [Math.floor(since / dayMs), '', '', '', -1]
  let last: { of: string; row: UsageRow } | undefined
  for (;;) {
    const rows = await db.read(sql, [tenant, ...after, rowsPerSlice])
    for (const row of rows) {
      const of = JSON.stringify(columns.slice(0, -1).map((name) => row[name]))
      if (last?.of === of) add(last.row, row)
      else {
        last = { of, row: fromRow(row) }
        const ofDay = days.get(last.row.day)
        if (ofDay) ofDay.push(last.row)
        else days.set(last.row.day, [last.row])
      }
    }
    const end = rows.at(-1)
    if (!end || rows.length < rowsPerSlice) break
    after = columns.map((name) => end[name] as string | number)
    await pause()
  }
  return [...days.values()].toReversed().flat()
}

/** Totals of one person, from the rows of runs: the totals of all do not tell people apart. */
export const usageFor = async (db: Db, tenant: string, since: number, person: string): Promise<UsageRow[]> => {
  const day = `created_at / ${dayMs}`
  const sql = `select ${day} as day, integration, step, coalesce(connection, '') as connection, ${sumsOfRuns} from runs
    where tenant = ? and person = ? and created_at >= ? and ${isCounted}
    group by ${day}, integration, step, coalesce(connection, '') order by day desc, integration, step, connection`
  return (await db.read(sql, [tenant, person, Math.floor(since / dayMs) * dayMs])).map(fromRow)
}

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

const add = (total: UsageRow, row: Record<string, unknown>) => {
  const { runs, failed, calls, credits, estimatedCredits, waitedMs, refused } = fromRow(row)
  total.runs += runs
  total.failed += failed
  total.calls += calls
  total.credits += credits
  total.estimatedCredits += estimatedCredits
  total.waitedMs += waitedMs
  total.refused += refused
}
