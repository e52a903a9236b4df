import { companyRecord, once, personRecord, z } from '#kit'
import type { Kind } from './wanted.ts'

const confidence = () => z.union([z.string(), z.number()]).optional().meta({ description: 'As the provider gives it.' })
const source = {
  provider: z.string().meta({ description: 'Id of the integration.' }),
  connection: z.string().meta({ description: 'Id of the connection.' }),
  at: z.string().meta({ description: 'When the provider gave it.' }),
  confidence: confidence(),
  updatedAt: z.string().optional().meta({ description: 'When the provider last renewed it, as it writes that.' }),
}
const report = () =>
  z.looseObject({
    provider: source.provider,
    connection: z.string().nullable(),
    status: z
      .enum(['match', 'no_match', 'skipped', 'error'])
      .meta({ description: 'skipped: it was not asked, for the reason given. error: it failed, and the next provider was asked.' }),
    filled: z.array(z.string()).meta({ description: 'Wanted fields that it was the first to fill.' }),
    credits: z.number(),
    estimated: z.boolean(),
    runId: z.string().optional(),
    cached: z.literal(true).optional().meta({ description: 'Nothing was sent or paid: an earlier answer was used.' }),
    matchedBy: z.string().optional(),
    reason: z.string().optional(),
    failure: z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
  })

const answerOf = (kind: Kind) => {
  const record = kind === 'person' ? personRecord() : companyRecord()
  return z.object({
    matched: z.boolean().meta({ description: `Whether any provider found the ${kind}.` }),
    complete: z.boolean().meta({ description: 'Whether every wanted field is filled.' }),
    missing: z.array(z.string()).meta({ description: 'Wanted fields that nobody filled.' }),
    record: record.optional(),
    sources: z
      .looseObject({})
      .meta({ description: 'By field of the record: who gave its value, and when. Each e-mail address and number has its own in "from".' }),
    conflicts: z
      .array(z.looseObject({ field: z.string(), values: z.array(z.looseObject({ value: z.unknown(), ...source })) }))
      .meta({ description: 'What providers disagree on; the record holds the value of the first.' }),
    notes: z.array(z.string()).meta({ description: 'What must not be overlooked, such as numbers that nobody says may be called.' }),
    providers: z.array(report()).meta({ description: 'What became of each provider, in order.' }),
    records: z
      .array(z.looseObject({ matched: z.literal(true), ...source, matchedBy: z.string().optional(), record, raw: z.unknown().optional() }))
      .optional()
      .meta({ description: 'The record of each provider, and its answer as given. Untrusted.' }),
  })
}

export const personAnswer = once(() => answerOf('person'))
export const companyAnswer = once(() => answerOf('company'))

/** What a lookup at several providers gives. */
export const lookupOutputOf = (kind: Kind) => (kind === 'person' ? personAnswer() : companyAnswer())

export const askedProvider = () =>
  z.strictObject({
    integration: z.string().min(1).max(100).meta({ title: 'Integration', description: 'Id of the integration.' }),
    connection: z.string().min(1).max(256).optional().meta({ title: 'Connection', description: 'Id or name of the connection; absent: the default one.' }),
  })

/** What a lookup takes beside its identifiers. */
export const lookupOptions = (fields: [string, ...string[]]) => ({
  want: z
    .array(z.enum(fields))
    .min(1)
    .max(50)
    .meta({ title: 'Wanted', description: 'Fields to fill; the next provider is asked only while one is empty. A landline is no "mobilePhone".' }),
  providers: z
    .array(askedProvider())
    .min(1)
    .max(20)
    .optional()
    .meta({ title: 'Providers', description: 'Providers in the order to ask them; absent: all that are connected, the cheapest first.' }),
  maxCredits: z.number().min(0).max(1_000_000_000).optional().meta({ title: 'Most credits', description: 'The most that the lookup may cost in all.' }),
  maxAge: z
    .int()
    .min(0)
    .max(315_360_000)
    .optional()
    .meta({ title: 'Maximum age', description: 'How old a stored result may be, in seconds; 0 asks the providers.' }),
  refresh: z.boolean().optional().meta({ title: 'Refresh', description: 'true: asks the providers, and stores their answers in place of the stored ones.' }),
})
