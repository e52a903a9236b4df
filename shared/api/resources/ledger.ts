import { once, z } from '#kit'
import { credits } from './budget.ts'
import { dateTime, id, ownPerson, personFilter, text, time } from './fields.ts'
import { pageLimit } from './page.ts'

export const ledgerKind = z.enum(['reserved', 'settled', 'released', 'unknown', 'resolved'])

export const ledgerRow = once(() =>
  z.object({
    id: text,
    entry: text.describe('The rows of one run, or of one event that the provider charged for, share it'),
    run: text.describe('Id of the run, or connection and id of the event'),
    job: text.nullable(),
    kind: ledgerKind.describe(
      'reserved before it was sent; settled: what was charged; released: what had been reserved; unknown: nobody knows whether it was charged, so it stays reserved; resolved: what somebody said that it had cost',
    ),
    credits: z.number(),
    estimated: z.boolean().describe('By the documented price, since the provider did not say'),
    connection: text.nullable(),
    integration: text,
    step: text.describe('Step, or type of the event'),
    token: text.nullable(),
    person: ownPerson,
    at: time,
  }),
)

export type LedgerRow = z.infer<ReturnType<typeof ledgerRow>>

export const ledgerFilter = once(() =>
  z.strictObject({
    limit: pageLimit(),
    cursor: text.max(512).optional(),
    entry: id.optional().describe('Only the rows of this run'),
    connection: id.optional(),
    token: id.optional(),
    person: personFilter,
    integration: id.optional(),
    kind: ledgerKind.optional(),
    unresolved: z
      .enum(['true', 'false'])
      .optional()
      .describe('true: only rows of unknown outcome that nobody has resolved'),
    since: dateTime.optional(),
    until: dateTime.optional(),
  }),
)

export const resolution = once(() =>
  z.strictObject({ credits: credits.describe('What the provider charged; 0 for nothing') }),
)
