import { expect, test } from 'vitest'
import type { Run, Store } from '../../shared/runtime/ports/index.ts'
import { auditEntry, event, run, t0 } from './make.ts'

const dayMs = 86_400_000

/** What holds however many rows there are. */
export const growthContract = (store: () => Store): void => {
  test('usage counts a run once, when it has ended, however often its row is written', async () => {
    const of = (id: string, changes: Partial<Run> = {}) =>
      run('totals', id, {
        state: 'done',
        code: null,
        failure: null,
        calls: 2,
        credits: 0.5,
        creditsEstimated: true,
        waitedMs: 7,
        refused: 1,
        createdAt: t0,
        ...changes,
      })
    const usage = () => store().runs.usage('totals', t0 - 5 * dayMs)
    await store().runs.record(of('r1', { state: 'sending' }))
    expect(await usage()).toEqual([])
    await store().runs.record(of('r1'))
    const usageKey = {
      day: new Date(t0).toISOString().slice(0, 10),
      integration: of('r1').integration,
      step: of('r1').step,
      connection: of('r1').connection,
    }
    const counted = {
      ...usageKey,
      runs: 1,
      failed: 0,
      calls: 2,
      credits: 0.5,
      estimatedCredits: 0.5,
      waitedMs: 7,
      refused: 1,
    }
    expect(await usage()).toEqual([counted])
    await store().runs.record(of('r1'))
    await Promise.all([
      store().runs.record(of('r1')),
      store().runs.record(of('r1')),
      store().runs.record(of('r2', { creditsEstimated: false })),
    ])
    expect(await usage()).toEqual([{ ...counted, runs: 2, calls: 4, credits: 1, waitedMs: 14, refused: 2 }])
    // Many of one turn, of several days, steps and connections; newest day first.
    const many = Array.from({ length: 300 }, (_, n) =>
      of(`m${n}`, {
        step: `step-${n % 3}`,
        connection: n % 2 ? null : 'c9',
        createdAt: t0 - (1 + (n % 4)) * dayMs,
        state: n % 5 ? 'done' : 'failed',
        calls: 1,
      }),
    )
    await Promise.all(many.map((row) => store().runs.record(row)))
    const rows = await usage()
    expect(rows.map(({ day }) => day)).toEqual(
      rows
        .map(({ day }) => day)
        .toSorted()
        .toReversed(),
    )
    expect(rows.reduce((sum, row) => sum + row.runs, 0)).toBe(302)
    expect(rows.reduce((sum, row) => sum + row.failed, 0)).toBe(60)
    const [some] = rows.filter(({ step, connection }) => step === 'step-1' && connection === null)
    expect(some).toMatchObject({ runs: 25, calls: 25, credits: 12.5 })
    expect((await store().runs.usage('totals', t0 - 2 * dayMs)).reduce((sum, row) => sum + row.runs, 0)).toBe(152)
    expect(await store().runs.usage('totals-none', 0)).toEqual([])
  })

  test('a filtered list finds every row that fits, page by page, among many that do not', async () => {
    const fits = (n: number) => n % 400 === 0
    const count = 1_000
    // The in-memory store limits how many rows of a run it has, so theirs come in parts.
    for (let from = 0; from < count; from += 500)
      await Promise.all(
        Array.from({ length: 500 }, (_, part) => from + part).flatMap((n) => [
          store().runs.record(
            run('long', `r${n}`, {
              step: fits(n) ? 'rare' : 'common',
              state: fits(n) ? 'failed' : 'done',
              createdAt: t0 + n,
            }),
          ),
          store().ingest({
            events: [event('long', `e${n}`, { type: fits(n) ? 'rare' : 'common', receivedAt: t0 + n })],
          }),
          store().audit.append(auditEntry('long', { outcome: fits(n) ? 'rejected' : 'ok' })),
        ]),
      )
    const everyPage = async <T>(
      list: (page: { limit: number; cursor?: string | undefined }) => Promise<{ items: T[]; next?: string }>,
    ) => {
      const rows: T[] = []
      let cursor: string | undefined
      do {
        const page = await list({ limit: 1, cursor })
        rows.push(...page.items)
        cursor = page.next
      } while (cursor !== undefined)
      return rows
    }
    const numbers = [800, 400, 0]
    const runs = store().runs
    for (const filter of [
      { step: 'rare' },
      { state: 'failed' as const },
      { state: 'failed' as const, step: 'rare', since: t0, until: t0 + count },
    ])
      expect((await everyPage((page) => runs.list('long', page, filter))).map(({ id }) => id)).toEqual(
        numbers.map((n) => `r${n}`),
      )
    expect(
      (await everyPage((page) => runs.list('long', page, { state: 'failed', since: t0 + 1, until: t0 + 800 }))).map(
        ({ id }) => id,
      ),
    ).toEqual(['r400'])
    expect(await everyPage((page) => runs.list('long', page, { connection: 'nobody' }))).toEqual([])
    const events = await everyPage((page) => store().events.list('long', page, { type: 'rare' }))
    expect(events.map(({ id }) => id)).toEqual(numbers.map((n) => `e${n}`))
    const refused = await everyPage((page) => store().audit.list('long', page, { outcome: 'rejected' }))
    expect(refused.map(({ seq }) => seq)).toEqual(numbers.map((n) => n + 1))
    // Quickly, since the next test removes what is old two rows at a time.
    const at = t0 + count
    for (let more = true; more;)
      ({ more } = await store().prune({
        now: t0,
        payloads: at,
        starts: 0,
        deleted: 0,
        runs: at,
        ownWrites: 0,
        audit: at,
        gaps: 0,
        limit: 2000,
      }))
  })
}
