import { describe, expect, test } from 'vitest'
import type { LookupRate, Store } from '../../shared/runtime/ports/index.ts'

const rate = (over: Partial<LookupRate>): LookupRate => ({
  tenant: 'rates',
  kind: 'person',
  segment: '',
  provider: 'one documented',
  turn: 'first',
  field: '',
  asked: 1,
  filled: 1,
  credits: 2,
  ageDays: 30,
  aged: 1,
  countedAt: 1_000,
  ...over,
})

/** What lookups at several providers gave, as counts. */
export const lookupRatesContract = (store: () => Store): void => {
  describe('rates of lookups', () => {
    test('are added up for each tenant, kind, segment, provider, turn and field', async () => {
      const { lookupRates } = store()
      await lookupRates.add([
        rate({}),
        rate({ segment: 'NZ' }),
        rate({ turn: 'later', filled: 0 }),
        rate({ tenant: 'x' }),
      ])
      await lookupRates.add([
        rate({ filled: 0, credits: 0 }),
        rate({ kind: 'company' }),
        rate({ segment: 'NZ director' }),
      ])
      const known = await lookupRates.find('rates', 'person', ['', 'NZ'])
      const order = ({ segment, turn }: LookupRate) => `${segment} ${turn}`
      expect(known.toSorted((left, right) => order(left).localeCompare(order(right)))).toEqual([
        rate({ asked: 2, ageDays: 60, aged: 2 }),
        rate({ turn: 'later', filled: 0 }),
        rate({ segment: 'NZ' }),
      ])
      await lookupRates.add([])
    })

    test('weigh less the older they are: a provider that changed is noticed', async () => {
      const { lookupRates } = store()
      await lookupRates.add([rate({ tenant: 'old', asked: 1_000, filled: 900, credits: 500 })])
      await lookupRates.add([rate({ tenant: 'old', filled: 0, credits: 0, ageDays: 0, aged: 0 })])
      expect(await lookupRates.find('old', 'person', [''])).toEqual([
        rate({ tenant: 'old', asked: 501, filled: 450, credits: 250, ageDays: 15, aged: 0.5 }),
      ])
    })

    test('are removed where nothing was counted for long, and stay where something was', async () => {
      const { lookupRates, prune } = store()
      await lookupRates.add([rate({ tenant: 'aged' }), rate({ tenant: 'aged', segment: 'NZ' })])
      await lookupRates.add([
        rate({ tenant: 'aged', countedAt: 5_000 }),
        // As an older process stores it, which knows no time.
        rate({ tenant: 'aged', segment: 'AU', countedAt: 0 }),
      ])
      const all = { payloads: 0, starts: 0, deleted: 0, runs: 0, ownWrites: 0, audit: 0, gaps: 0 }
      expect(await prune({ now: 0, ...all, rates: 2_000, limit: 100 })).toMatchObject({ rates: expect.any(Number) })
      const left = await lookupRates.find('aged', 'person', ['', 'NZ', 'AU'])
      expect(left.map(({ segment, asked }) => `${segment} ${asked}`).toSorted()).toEqual([' 2', 'AU 1'])
    })
  })
}
