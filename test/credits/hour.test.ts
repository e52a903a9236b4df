import { afterEach, describe, expect, test } from 'vitest'
import { play } from '../profiles/play.ts'
import type { Play, Ran } from '../profiles/play.ts'
import { knownPeople, vendors } from '../profiles/vendors.ts'
import type { LedgerRow } from '../../shared/runtime/ports/index.ts'

/**
 * An hour of mixed use on a clock that does not wait: what the ledger has is what the provider counted, by its own
 * rule.
 */

let playing: Play
afterEach(() => playing.close())

/** Numbers from 0 to 1, the same for the same seed. */
const seeded = (seed: number) => () => {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296
  return seed / 4_294_967_296
}

const hourMs = 3_600_000
const everyMs = 60_000
const nobody = (n: number) => ({ email: `nobody-${n}@no-such-host.example` })

const sumOf = (rows: LedgerRow[], fits: (row: LedgerRow) => boolean) =>
  rows.filter(fits).reduce((sum, { credits }) => sum + credits, 0)

describe.each(vendors)('$profile', (vendor) => {
  test('a seeded hour: the ledger equals the counter of the provider', async () => {
    playing = await play(vendor.home, vendor.profile, { credits: 100_000 })
    const { run, find, findMany, clock, control, store } = playing
    const random = seeded(17)
    const people = knownPeople(vendor)
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!
    const someone = () => {
      const person = pick(people)
      return vendor.ways.map((way) => way(person)).find((values) => values !== undefined)!
    }
    const search = () => {
      const { endpoint, filters } = pick(vendor.searches)
      return run(endpoint, { ...filters, limit: 3 })
    }
    const kinds: (() => Promise<Ran>)[] = [
      () => find(vendor.person, [someone()]),
      () => find(vendor.person, [nobody(Math.floor(random() * 1e6))]),
      () => findMany(vendor.person, [[someone()], [nobody(1)], [someone()]]),
      () => {
        control.inject({ answer: { status: 500, body: { error: 'down' } } })
        return find(vendor.person, [someone()])
      },
      ...(vendor.searches.length > 0 ? [search] : []),
    ]
    /** What the provider charged in runs that it reported, and in the others. */
    const charged = { exact: 0, estimated: 0 }
    for (const end = clock.now() + hourMs; clock.now() < end; await clock.sleep(everyMs)) {
      const before = control.counters().creditsCharged
      const { meta } = await pick(kinds)()
      await store.flush()
      const isEstimated = (await store.credits.entry('t', meta.runId)).some(
        ({ kind, estimated }) => kind === 'settled' && estimated,
      )
      charged[isEstimated ? 'estimated' : 'exact'] += control.counters().creditsCharged - before
    }
    // What the provider refused to answer stays reserved until somebody has looked: it had charged nothing.
    const unresolved = (await store.credits.list('t', { limit: 1_000 }, { unresolved: true })).items
    expect(unresolved.length).toBeGreaterThan(0)
    for (const row of unresolved) {
      const { length } = await store.credits.entry('t', row.entry)
      expect(await store.credits.resolve(row, { at: clock.now(), credits: 0, rows: length })).toBe(true)
    }
    const rows = (await store.credits.list('t', { limit: 10_000 })).items
    const settledExactly = sumOf(rows, ({ kind, estimated }) => kind === 'settled' && !estimated)
    const settledByEstimate = sumOf(rows, ({ kind, estimated }) => kind === 'settled' && estimated)
    expect(settledExactly + settledByEstimate).toBeGreaterThan(0)
    expect(settledExactly).toBe(charged.exact)
    // By the documented price, which is the most that the provider charges.
    expect(settledByEstimate).toBeGreaterThanOrEqual(charged.estimated)
    expect(sumOf(rows, ({ kind }) => kind === 'reserved')).toBe(sumOf(rows, ({ kind }) => kind === 'released'))
    const totals = await store.credits.spent('t', 0)
    expect(totals.reduce((sum, { spent }) => sum + spent, 0)).toBe(settledExactly + settledByEstimate)
    expect(totals.reduce((sum, { reserved }) => sum + reserved, 0)).toBe(0)
  })
})
