import { once, z } from '#kit'
import { actsFor } from './fields.ts'
import { askedProvider, companyAnswer, lookupEstimate, lookupOrder, personAnswer } from './lookup-answer.ts'
import { runBody, runMeta } from './run.ts'

export const lookupKind = z.enum(['person', 'company'])

const fieldName = z.string().min(1).max(64)

export const lookupBody = once(() =>
  z.strictObject({
    identifiers: z
      .record(fieldName, z.string().min(1).max(2_000))
      .describe(
        'What is known of the person or company, by name. GET /v1/lookups lists the names; each provider gets those that it takes',
      ),
    want: z
      .array(fieldName)
      .min(1)
      .max(50)
      .describe(
        'Fields to fill. The next provider is asked only while one of them is empty; mobilePhone, directPhone, workEmail and personalEmail are kinds of number and address',
      ),
    providers: z
      .array(askedProvider())
      .min(1)
      .max(20)
      .optional()
      .describe(
        'In the order to ask them; absent: the default connection of every data provider and profile, the cheapest quote first',
      ),
    order: lookupOrder()
      .optional()
      .describe(
        'expected-cost: the server chooses the order, also among `providers`, from what earlier lookups of this workspace filled and cost; needs maxCredits. Each provider of the answer then has an `estimate`',
      ),
    maxCredits: z
      .number()
      .min(0)
      .max(1_000_000_000)
      .optional()
      .describe('The most that all providers together may cost; one whose quote is above what is left is not asked'),
    person: actsFor,
    maxAge: runBody().shape.maxAge,
    refresh: runBody().shape.refresh,
    dryRun: z
      .boolean()
      .default(false)
      .describe('true: returns the price of the whole chain and the requests to the first provider, and sends nothing'),
  }),
)

const lookupPrice = once(() =>
  z.looseObject({
    unit: z.literal('credit'),
    total: z.array(z.number()).min(2).max(2).optional().describe('Minimum and maximum'),
  }),
)

export const lookupPlan = once(() =>
  z.object({
    requests: z.array(z.unknown()).describe('To the provider that is asked first; secrets masked'),
    price: lookupPrice().describe('From the minimum of the first provider to the maxima of all of them together'),
    complete: z.boolean(),
    expected: z
      .object({ credits: z.number(), hitRate: z.number() })
      .optional()
      .describe(
        'With order expected-cost: what the lookup is expected to cost, and how likely it fills what is wanted',
      ),
    providers: z.array(
      z.looseObject({
        provider: z.string(),
        connection: z.string().nullable(),
        price: lookupPrice().optional(),
        estimate: lookupEstimate().optional(),
        reason: z.string().optional(),
      }),
    ),
  }),
)

const done = <T extends z.ZodType>(output: T) => z.object({ output, meta: runMeta() })

export const lookupDone = once(() => z.union([done(personAnswer()), done(companyAnswer()), done(lookupPlan())]))

export const lookupTool = once(() =>
  z.object({
    id: z.string(),
    kind: lookupKind,
    name: z.string().describe('Name of the tool'),
    title: z.string(),
    group: z.string(),
    purpose: z.string(),
    integrations: z.array(z.string()).describe('Integrations that have a step for it'),
    input: z
      .looseObject({})
      .describe('JSON Schema of its flat arguments as a tool: identifiers, and the other fields of the body'),
    output: z.looseObject({}),
    example: z.looseObject({}),
  }),
)
