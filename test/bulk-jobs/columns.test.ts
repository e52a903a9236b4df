import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { hideSuppressed } from '../../shared/runtime/bulk-jobs/hide-suppressed.ts'
import { columnsOf, resultOf as rowResultOf } from '../../shared/runtime/bulk-jobs/results.ts'
import type { BulkJob } from '../../shared/runtime/ports/index.ts'
import type { Table, TableRow } from '../../shared/runtime/tables/table.ts'
import { knownPeople } from '../support/people.ts'
import { caller } from '../support/world.ts'
import { create, openJobsWorld, peopleFile, resultOf, until } from './world.ts'

const recordsOf = (text: string) => parse(text, { columns: true, bom: true }) as Record<string, string>[]

const rowOf = (record: object, paths?: string[]) => {
  const outcome = {
    ok: true as const,
    value: { matched: true, record },
    meta: { runId: 'r', durationMs: 0, attempts: 1 },
  }
  const columns = columnsOf('person', paths)
  const looked = rowResultOf(outcome, columns, { provider: 'north', now: 0 })
  const values = 'result' in looked ? looked.result.values : undefined
  return Object.fromEntries(columns.map(({ name }, place) => [name, values?.[place] ?? null]))
}

describe('the columns of a job', () => {
  it('say what is known about the address that is written, not about the first', () => {
    const record = {
      email: 'b@work.example',
      emails: [
        { value: 'a@home.example', type: 'private', deliverable: 'no', asOf: '2025-01-01T00:00:00.000Z' },
        {
          value: 'b@work.example',
          type: 'work',
          deliverable: 'yes',
          confidence: 'A',
          asOf: '2026-01-01T00:00:00.000Z',
        },
      ],
      phones: [
        {
          number: '0491 570 156',
          e164: '+61491570156',
          line: 'mobile',
          doNotCall: 'no',
          asOf: '2026-02-01T00:00:00.000Z',
        },
      ],
    }
    expect(rowOf(record)).toMatchObject({
      email: 'b@work.example',
      email_deliverable: 'yes',
      email_as_of: '2026-01-01T00:00:00.000Z',
      phone: '0491 570 156',
      phone_e164: '+61491570156',
      phone_line: 'mobile',
      phone_do_not_call: 'no',
      phone_as_of: '2026-02-01T00:00:00.000Z',
    })
    expect(rowOf(record, ['email.confidence', 'emails.0.deliverable', 'email_deliverable'])).toEqual({
      'email.confidence': 'A',
      'emails.0.deliverable': 'no',
      email_deliverable: 'yes',
    })
    expect(rowOf({ fullName: 'Gwen' })).toMatchObject({ email: null, email_deliverable: null, phone_e164: null })
  })

  it('are in the file, beside those that it had before', async () => {
    const { pack } = await openJobsWorld()
    const { id } = await create(pack, peopleFile(3), { confirm: true })
    await until(pack, id, 'done')
    const rows = recordsOf(await resultOf(pack, id))
    expect(rows).toHaveLength(3)
    for (const row of rows) {
      expect(row['toolyard_email_deliverable']).toMatch(/^(yes|risky|no|unknown)$/)
      expect(row['toolyard_email_as_of']).toMatch(/^\d{4}-\d\d-\d\dT/)
      expect(row['toolyard_phone_e164']).toBe(row['toolyard_phone']!.replace(/[^\d'+]/g, ''))
      expect(row).toHaveProperty('toolyard_phone_do_not_call')
    }
  })
})

it('a result has no values of people who were suppressed after their row was looked up', async () => {
  const { pack } = await openJobsWorld()
  const people = knownPeople.filter(({ linkedinSlug }) => linkedinSlug !== undefined).slice(0, 3)
  const text = `email\n${people.map(({ workEmail }) => workEmail).join('\n')}\n`
  const columns = ['fullName', 'linkedinUrl', 'phones.0.number']
  const { id } = await create(pack, text, { sample: 2, columns })
  const { credits } = await until(pack, id, 'ready')
  const { firstName, lastName, linkedinSlug } = people[1]!
  // By an identifier that only the answer has.
  await pack.suppressions.add(caller, [{ linkedin: linkedinSlug! }])
  await pack.jobs.resume(caller, id, { confirm: true })
  await until(pack, id, 'done')
  const result = await resultOf(pack, id)
  const rows = recordsOf(result)
  expect(rows.map((row) => row['toolyard_status'])).toEqual(['match', 'suppressed', 'match'])
  expect(rows[1]).toMatchObject({ toolyard_reason: 'This person is on the suppression list.', toolyard_full_name: '' })
  expect(Number(rows[0]!['toolyard_credits']) + Number(rows[1]!['toolyard_credits'])).toBe(credits.spent)
  expect(result).not.toContain(`${firstName} ${lastName}`)
  expect(result).not.toContain(linkedinSlug)
})

it('the id in a result is that of the person', async () => {
  const suppressed = async (_: string, contents: readonly object[]) =>
    contents.map((content) => JSON.stringify(content).includes('{"personId":"p-2"}'))
  const order = { kind: 'person', columns: columnsOf('person', ['fullName', 'id']), map: {} }
  const row = { value: () => undefined }
  const hide = hideSuppressed(
    { suppressed },
    { tenant: 'default', order } as unknown as BulkJob,
    { columns: [], find: () => undefined } as unknown as Table,
  )
  const match = (id: string) => ({ status: 'match' as const, credits: 1, values: ['Gwen', id] })
  const shown = await hide([row, row] as unknown as TableRow[], [match('p-1'), match('p-2')])
  expect(shown.map((result) => [result?.status, result?.credits])).toEqual([
    ['match', 1],
    ['suppressed', 1],
  ])
})
