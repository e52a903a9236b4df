/** The figures of each release, as they are kept in `test/bench/ledger/<version>.json`. */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import type { Counts } from './comparison.ts'
import type { Row } from './support.ts'

export type Ledger = {
  version: string
  /** Day on which it was kept, `2026-11-28`. */
  date: string
  node: string
  rows: (Row & { bench: string })[]
  counts?: Counts
}

const folder = new URL('./ledger/', import.meta.url)
const results = new URL('./results/', import.meta.url)

const inOrder = (a: Ledger, b: Ledger) => a.version.localeCompare(b.version, 'en', { numeric: true })

/** Oldest first. */
export const readLedgers = (): Ledger[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Ledger)
    .toSorted(inOrder)

export const writeLedger = (ledger: Ledger): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${ledger.version}.json`, folder), `${JSON.stringify(ledger, null, 2)}\n`)
}

/** All rows that the benches have written last. */
export const presentRows = (): Ledger['rows'] =>
  readdirSync(results)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => {
      const rows = JSON.parse(readFileSync(new URL(name, results), 'utf8')) as Row[]
      return rows.map((row) => ({ bench: name.slice(0, -'.json'.length), ...row }))
    })

/**
 * Rows without those of benches that have not run since `former` was kept: all of their rows are the same, to the last
 * digit.
 */
export const measuredSince = (rows: Ledger['rows'], former: Pick<Ledger, 'rows'> | undefined): Ledger['rows'] => {
  const textOf = (all: Ledger['rows'], bench: string) => JSON.stringify(all.filter((row) => row.bench === bench))
  return former ? rows.filter(({ bench }) => textOf(rows, bench) !== textOf(former.rows, bench)) : rows
}

export const shown = ({ value, unit }: Pick<Row, 'value' | 'unit'>): string =>
  `${value >= 1000 ? Math.round(value) : Number(value.toPrecision(3))} ${unit}`

/** Rows are known by their bench and words; some words stand in a bench more than once. */
const keyed = (rows: Ledger['rows']) => {
  const seen = new Map<string, number>()
  return rows.map((row) => {
    const words = `${row.bench} ${row.what}`
    const count = (seen.get(words) ?? 0) + 1
    seen.set(words, count)
    return [`${words} ${count}`, row] as const
  })
}

/** Head and rows of a table: what has a bound and was measured by at least two releases, and what was counted. */
export const ledgerTable = (ledgers: Ledger[]): { head: string[]; rows: string[][] } => {
  const byKey = ledgers.map(({ rows }) => new Map(keyed(rows)))
  const last = [...(byKey.at(-1) ?? [])].filter(
    ([key, { bound }]) => bound !== null && byKey.filter((rows) => rows.has(key)).length > 1,
  )
  const operations = [...new Set(ledgers.flatMap(({ counts }) => Object.keys(counts?.instructions ?? {})))]
  const count = ({ counts }: Ledger, what: string) => counts?.instructions[what]?.toLocaleString('en') ?? '-'
  return {
    head: ['What', ...ledgers.map(({ version }) => version)],
    rows: [
      ...last.map(([key, { what }]) => [
        what,
        ...byKey.map((rows) => {
          const row = rows.get(key)
          return row ? shown(row) : '-'
        }),
      ]),
      ...operations.map((what) => [`instructions of a ${what}`, ...ledgers.map((ledger) => count(ledger, what))]),
    ],
  }
}
