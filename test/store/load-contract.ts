import { expect, test } from 'vitest'
import type { Store } from '../../shared/runtime/ports/index.ts'
import { budget, connection, event, t0 } from './make.ts'

const hour = 3_600_000

/** What the page of metrics shows of a store. */
export const loadContract = (store: () => Store): void => {
  const openBudget = async (tenant: string, credits: number, warnAt: number | null) => {
    const row = budget(tenant, 'b', { credits, warnAt })
    await store().budgets.put(row)
    await store().budgets.open(row, { startsAt: t0 - hour, endsAt: t0 + hour })
    const { fits } = await store().credits.reserve({
      tenant,
      entry: 'e',
      entryAt: t0,
      part: 1,
      kind: 'reserved',
      credits: 9,
      estimated: false,
      at: t0,
      job: null,
      connection: 'c',
      integration: 'contact-data',
      step: 'find-person',
      token: null,
      person: null,
    })
    expect(fits).toBe(true)
  }

  test('tally counts the rows of every tenant by state', async () => {
    const before = await store().tally(t0)
    await store().connections.add(connection('tally-1', 'c1', { state: 'needs_reconnect' }))
    await store().connections.add(connection('tally-2', 'c2', { state: 'needs_reconnect' }))
    await store().connections.add(connection('tally-2', 'c3', { state: 'revoked' }))
    await openBudget('tally-open', 10, null)
    await openBudget('tally-near', 10, 0.9)
    await openBudget('tally-spent', 9, 0.8)
    await store().budgets.put(budget('tally-unused', 'b', { credits: 10 }))
    const now = await store().tally(t0)
    const grown = (what: keyof typeof now, state: string) => (now[what][state] ?? 0) - (before[what][state] ?? 0)
    expect([grown('connections', 'needs_reconnect'), grown('connections', 'revoked')]).toEqual([2, 1])
    expect(['open', 'near', 'spent'].map((state) => grown('budgets', state))).toEqual([2, 1, 1])
    // The period is over.
    const later = await store().tally(t0 + hour)
    expect((later.budgets['spent'] ?? 0) - (before.budgets['spent'] ?? 0)).toBe(0)
  })

  test('vitals count transactions and their time', async () => {
    const before = store().vitals()
    await store().ingest({ events: [event('vitals', 'e1')] })
    const now = store().vitals()
    expect(now.commits).toBeGreaterThan(before.commits)
    expect(now.commitMs).toBeGreaterThan(before.commitMs)
    expect([now.failedCommits, now.leasesLost]).toEqual([before.failedCommits, before.leasesLost])
  })
}
