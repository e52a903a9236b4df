import { z } from '#kit'
import { id, dateTime } from './bounds.ts'

const text = z.string()
const time = z.iso.datetime().describe('RFC 3339')
const credits = z.number().min(0).max(1_000_000_000_000)
const warnAt = z.number().gt(0).max(1).nullable().describe('Share of the credits from which the notification budget.warned is sent; null: never')
const scope = z.enum(['tenant', 'connection', 'token'])
const period = z.enum(['day', 'week', 'month', 'total'])

export const newBudget = z.strictObject({
  scope: scope.describe('Whose runs it counts: all of the tenant, those of one connection, or those of one token'),
  subject: text.min(1).max(256).optional().describe('Id of the connection or token'),
  integration: text.min(1).max(64).optional().describe('Only its runs; absent: those of every integration'),
  credits: credits.describe('No run is sent that might make the period cost more'),
  period: period.describe('It is full again with each; weeks begin on Monday. total: never'),
  timeZone: text.max(64).optional().describe('IANA name of the time zone in which days, weeks and months begin, such as Australia/Sydney; UTC when absent'),
  warnAt: warnAt.optional().describe('Share of the credits from which the notification budget.warned is sent; 0.8 when absent; null: never'),
})
export const budgetChanges = z.strictObject({ credits: credits.optional(), warnAt: warnAt.optional() })

export const budget = z.object({
  id: text,
  scope,
  subject: text.nullable(),
  integration: text.nullable(),
  credits: z.number(),
  period,
  timeZone: text,
  warnAt,
  spent: z.number().describe('In this period'),
  reserved: z.number().describe('By runs that are being sent, and by those of unknown outcome that nobody has resolved'),
  remaining: z.number(),
  periodStart: time,
  periodEnd: time.nullable().describe('null: it does not end'),
  projectedRunOutAt: time.nullable().describe('When nothing remains, at the pace of this period so far; null: not in this period'),
  createdAt: time,
  updatedAt: time,
})

const kind = z.enum(['reserved', 'settled', 'released', 'unknown', 'resolved'])
export const ledgerRow = z.object({
  id: text,
  entry: text.describe('The rows of one run share it'),
  run: text.describe('Id of the run'),
  job: text.nullable(),
  kind: kind.describe(
    'reserved before it was sent; settled: what was charged; released: what had been reserved; unknown: nobody knows whether it was charged, so it stays reserved; resolved: what somebody said that it had cost',
  ),
  credits: z.number(),
  estimated: z.boolean().describe('By the documented price, since the provider did not say'),
  connection: text.nullable(),
  integration: text,
  step: text,
  token: text.nullable(),
  at: time,
})
export const ledgerFilter = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: text.max(512).optional(),
  entry: id.optional().describe('Only the rows of this run'),
  connection: id.optional(),
  token: id.optional(),
  integration: id.optional(),
  kind: kind.optional(),
  unresolved: z.enum(['true', 'false']).optional().describe('true: only rows of unknown outcome that nobody has resolved'),
  since: dateTime.optional(),
  until: dateTime.optional(),
})
export const resolution = z.strictObject({ credits: credits.describe('What the provider charged; 0 for nothing') })

export const spentRow = z.object({
  day: text.describe('In UTC, such as 2026-03-01'),
  integration: text,
  step: text,
  connection: text.nullable(),
  token: text.nullable(),
  spent: z.number(),
  estimated: z.number().describe('How many of the spent credits are estimated'),
  reserved: z.number(),
})
