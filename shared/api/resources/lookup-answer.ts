import { companyRecord, once, personRecord, z } from '#kit'

const confidence = () => z.union([z.string(), z.number()]).optional().meta({ description: 'As the provider gives it.' })

const recordSource = {
  provider: z.string().meta({ description: 'Id of the integration.' }),
  connection: z.string().meta({ description: 'Id of the connection.' }),
  at: z.string().meta({ description: 'When the provider gave it.' }),
  asOf: z
    .string()
    .optional()
    .meta({ description: 'Date of the value: the date that the provider states; without one, when it was read.' }),
  confidence: confidence(),
  updatedAt: z.string().optional().meta({ description: 'When the provider last renewed it, as it writes that.' }),
}

/** How the order of providers is chosen, where they are not asked as named or by price. */
export const lookupOrder = () => z.enum(['expected-cost'])

export const lookupEstimate = () =>
  z
    .looseObject({
      hitRate: z.number().meta({ description: 'Share of the wanted fields that it fills, 0 to 1.' }),
      credits: z.number().meta({ description: 'What a lookup costs, match or not.' }),
      lookups: z.number().meta({ description: 'Earlier lookups that it rests on; old ones weigh less.' }),
      ageDays: z.number().optional().meta({ description: 'How old its records are, where it says so.' }),
      why: z.string(),
    })
    .meta({ description: 'What it was expected to fill and to cost, where the order was chosen.' })

const providerReport = () =>
  z.looseObject({
    provider: recordSource.provider,
    connection: z.string().nullable(),
    status: z.enum(['match', 'no_match', 'skipped', 'error']).meta({
      description:
        'skipped: it was not asked, for the reason given. error: it failed, and the next provider was asked.',
    }),
    filled: z.array(z.string()).meta({ description: 'Wanted fields that it was the first to fill.' }),
    credits: z.number(),
    estimated: z.boolean(),
    runId: z.string().optional(),
    cached: z.literal(true).optional().meta({ description: 'Nothing was sent or paid: an earlier answer was used.' }),
    matchedBy: z.string().optional(),
    reason: z.string().optional(),
    estimate: lookupEstimate().optional(),
    failure: z.looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
  })

const answerOf = (kind: 'person' | 'company') => {
  const record = kind === 'person' ? personRecord() : companyRecord()
  return z.object({
    matched: z.boolean().meta({ description: `Whether any provider found the ${kind}.` }),
    complete: z.boolean().meta({ description: 'Whether every wanted field is filled.' }),
    missing: z.array(z.string()).meta({ description: 'Wanted fields that nobody filled.' }),
    record: record.optional(),
    sources: z.looseObject({}).meta({
      description:
        'By field of the record: who gave its value, and when. Each e-mail address and number has its own in "from". In the record, each address also has `deliverable` (yes, risky, no, unknown), and each number `e164`, `line` (mobile, direct, office, unknown) and `doNotCall`, in the same words for all providers.',
    }),
    conflicts: z
      .array(
        z.looseObject({ field: z.string(), values: z.array(z.looseObject({ value: z.unknown(), ...recordSource })) }),
      )
      .meta({ description: 'What providers disagree on; the record holds the value of the first.' }),
    notes: z
      .array(z.string())
      .meta({ description: 'What must not be overlooked, such as numbers that nobody says may be called.' }),
    providers: z.array(providerReport()).meta({ description: 'What became of each provider, in order.' }),
    records: z
      .array(
        z.looseObject({
          matched: z.literal(true),
          ...recordSource,
          matchedBy: z.string().optional(),
          record,
          raw: z.unknown().optional(),
        }),
      )
      .optional()
      .meta({ description: 'The record of each provider, and its answer as given. Untrusted.' }),
  })
}

export const personAnswer = once(() => answerOf('person'))

export const companyAnswer = once(() => answerOf('company'))

export const askedProvider = () =>
  z.strictObject({
    integration: z.string().min(1).max(100).meta({ title: 'Integration', description: 'Id of the integration.' }),
    connection: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .meta({ title: 'Connection', description: 'Id or name of the connection; absent: the default one.' }),
  })
