import { expect, it } from 'vitest'
import { quoteOf } from '../../shared/runtime/bulk-jobs/prepare.ts'
import { viewJob } from '../../shared/runtime/bulk-jobs/view.ts'
import { noCounts } from '../../shared/runtime/bulk-jobs/results.ts'
import type { BulkJob } from '../../shared/runtime/ports/index.ts'
import { caller } from '../support/world.ts'
import { create, emailOf, openJobsWorld, peopleFile, until, upload } from './world.ts'

/** Of 20 rows: one is blank, one has no address, and one names somebody who is suppressed here. */
const someAreNotPaid = () => {
  const rows = Array.from({ length: 20 }, (_, place) => emailOf(place))
  rows.splice(11, 3, '""', 'not an address', emailOf(11))
  return `email\n${rows.join('\n')}\n`
}
const payable = 17

it('a job quotes the rows alone that can be paid for', async () => {
  const { pack, sandbox } = await openJobsWorld()
  await pack.suppressions.add(caller, [{ email: emailOf(11) }])
  const { id } = await create(pack, someAreNotPaid(), { sample: 5 })
  const ready = await until(pack, id, 'ready')
  const [firstRow] = (await pack.jobs.preview(caller, id)).rows
  expect(ready.quote).toMatchObject({ least: payable * firstRow!.price!.least, most: payable * firstRow!.price!.most })
  // What the sample suggests, for the rows that are left of those.
  expect(ready.quote!.expected).toBe(Math.round((ready.credits.spent / 5) * payable))
  expect(ready.quote!.expected!).toBeLessThanOrEqual(ready.quote!.most)
  await pack.jobs.resume(caller, id, { maxCredits: ready.quote!.most })
  const done = await until(pack, id, 'done')
  expect(done).toMatchObject({ rows: 20, matched: payable, skipped: 2, suppressed: 1, errors: 0 })
  expect(done.quote!.expected).toBe(done.credits.spent)
  expect(sandbox.control.counters().matches).toBe(payable)
})

it('the preview and the quote agree: the prices of the rows add up to it, whatever the rows are', async () => {
  // Its prices depend on what is wanted.
  const { pack } = await openJobsWorld({ profile: 'lusha-v3' })
  await pack.suppressions.add(caller, [{ email: emailOf(3) }])
  const rows = [
    { email: emailOf(0) },
    { email: emailOf(1), reveal: ['emails'] },
    { email: emailOf(2), reveal: ['emails', 'phones'] },
    { email: emailOf(3) },
    { email: '' },
    { email: 'not an address' },
    { email: emailOf(4), firstName: 'Ada', lastName: 'Example', company: 'Example' },
  ]
  const file = await upload(pack, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), 'people.jsonl')
  const { id } = await pack.jobs.create(caller, {
    file,
    integration: 'contact-data',
    map: { email: 'email', reveal: 'reveal', firstName: 'firstName', lastName: 'lastName', company: 'company' },
  })
  const ready = await until(pack, id, 'ready')
  const { rows: previewed } = await pack.jobs.preview(caller, id)
  const sum = (end: 'least' | 'most') => previewed.reduce((total, { price }) => total + (price?.[end] ?? 0), 0)
  expect(ready.quote).toMatchObject({ least: sum('least'), most: sum('most') })
  expect(previewed.map(({ price }) => price !== null)).toEqual([true, true, true, false, false, false, true])
  expect(previewed[3]!.problem).toBe('This person is on the suppression list.')
  // What is wanted decides what a row may cost.
  expect(previewed[1]!.price!.most).toBeLessThan(previewed[2]!.price!.most)
  expect(previewed[0]!.price).toEqual(previewed[2]!.price)
  const [listed] = (await pack.jobs.list(caller, { limit: 1 })).items
  expect(listed!.quote).toEqual(ready.quote)
})

it('a job never expects more than it may cost at most, nor less than it has spent', () => {
  const job = (rows: number, price: [number, number]): BulkJob =>
    ({
      order: {},
      state: 'ready',
      createdAt: 0,
      startedAt: null,
      endedAt: null,
      expiresAt: 0,
      plan: {
        rows: 20,
        width: 1,
        shapes: [
          { fields: ['email'], rows, price },
          { fields: [''], rows: 2, price: [0, 0], problem: 'nothing' },
        ],
      },
    }) as never
  const expected = (rows: number, price: [number, number], counts: Partial<typeof noCounts>) =>
    viewJob(job(rows, price), { ...noCounts, ...counts }).quote!.expected
  expect(expected(18, [1, 2], {})).toBeNull()
  // The first rows were of the dearest.
  expect(expected(18, [1, 2], { matched: 10, credits: 20 })).toBe(36)
  expect(expected(18, [1, 1], { matched: 10, credits: 20 })).toBe(20)
  // Rows that were skipped suggest nothing of the others.
  expect(expected(18, [1, 2], { skipped: 2 })).toBeNull()
  expect(expected(18, [1, 2], { matched: 4, noMatch: 5, skipped: 1, credits: 6 })).toBe(12)
  // All is over, whatever was foreseen.
  expect(expected(18, [1, 2], { matched: 3, skipped: 17, credits: 5 })).toBe(5)
})

it('a job counts rows that it could not tell apart any more as the dearest', () => {
  const shapes = Array.from({ length: 3 }, (_, place) => ({
    fields: [String(place)],
    rows: 1,
    price: [1, place] as [number, number],
  }))
  expect(quoteOf({ shapes, others: 2 })).toEqual({ least: 3, most: 0 + 1 + 2 + 2 * 2 })
})

it.each(['maxCredits', 'max-credits'])(
  'a budget that is used up says so without the name %s, which no page has',
  async (name) => {
    const { pack } = await openJobsWorld()
    const { id } = await create(pack, peopleFile(6), { maxCredits: 3 })
    const { reason, credits } = await until(pack, id, 'paused')
    expect(reason).toMatchObject({
      code: 'budget_exceeded',
      message: expect.stringMatching(/budget of 3 credits.*larger budget/),
    })
    expect(reason!.message).not.toContain(name)
    expect(credits.spent).toBeLessThanOrEqual(3)
  },
)
