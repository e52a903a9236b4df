/** The figures of the usage page: the API's rows, summed by the chosen grouping. */
import type { Usage } from '../../../../api/resources/usage.ts'

type Row = Usage['items'][number]
export type Grouping = 'step' | 'connection' | 'integration'
export type Measure = 'calls' | 'runs' | 'failed' | 'credits' | 'waitedMs' | 'refused'
type Sums = Record<Measure | 'estimatedCredits', number>

/** One step, connection or integration, with its sums over the whole period. */
export type Group = { key: string; integration: string; step: string; connection: string | null; sums: Sums }
/** One line of a chart, with a value for each day. */
export type Series = { key: string; groups: Group[]; values: number[] }

const fields = ['calls', 'runs', 'failed', 'credits', 'estimatedCredits', 'waitedMs', 'refused'] as const
const dayMs = 86_400_000
/** More lines cannot be told apart by colour; the remaining groups share one line. */
const maxSeries = 6

const none = (): Sums => ({ calls: 0, runs: 0, failed: 0, credits: 0, estimatedCredits: 0, waitedMs: 0, refused: 0 })
const add = (sums: Sums, row: Row) => {
  for (const field of fields) sums[field] += row[field]
}

const keyOf = ({ integration, step, connection }: Row, by: Grouping) =>
  by === 'step' ? `${integration}/${step}` : by === 'connection' ? (connection ?? '') : integration

/** The last `count` days, oldest first, such as `2026-03-01`, in UTC like the API's. */
export const daysUntil = (now: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => new Date(now - (count - 1 - index) * dayMs).toISOString().slice(0, 10))

export const totalOf = (rows: Row[]): Sums => {
  const sums = none()
  for (const row of rows) add(sums, row)
  return sums
}

/** Groups sorted by the measure, largest first. */
export const groupsOf = (rows: Row[], by: Grouping, measure: Measure): Group[] => {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const key = keyOf(row, by)
    const { integration, step, connection } = row
    const group = groups.get(key) ?? { key, integration, step, connection, sums: none() }
    add(group.sums, row)
    groups.set(key, group)
  }
  return [...groups.values()].sort(
    (a, b) => b.sums[measure] - a.sums[measure] || b.sums.runs - a.sums.runs || (a.key < b.key ? -1 : 1),
  )
}

/** One line for each of the largest groups with a value above zero, and one for all remaining groups. */
export const seriesOf = (rows: Row[], by: Grouping, measure: Measure, days: string[]): Series[] => {
  const groups = groupsOf(rows, by, measure).filter(({ sums }) => sums[measure] > 0)
  const kept = groups.length > maxSeries ? maxSeries - 1 : groups.length
  const series = groups
    .slice(0, kept)
    .map((group): Series => ({ key: group.key, groups: [group], values: days.map(() => 0) }))
  const otherGroups = groups.slice(kept)
  if (otherGroups.length > 0) series.push({ key: 'others', groups: otherGroups, values: days.map(() => 0) })
  const lineOf = new Map(series.flatMap((seriesEntry) => seriesEntry.groups.map(({ key }) => [key, seriesEntry])))
  const placeOf = new Map(days.map((day, index) => [day, index]))
  for (const row of rows) {
    const [line, place] = [lineOf.get(keyOf(row, by)), placeOf.get(row.day)]
    if (line && place !== undefined) line.values[place]! += row[measure]
  }
  return series
}
