import { once, z } from '#kit'
import { person, storedFailure, text } from './fields.ts'
import { lookupEstimate } from './lookup-answer.ts'

const credits = z.number().min(0).max(1_000_000_000)

const columnsByField = once(() => z.record(z.string().max(100), z.string().max(1_000)))

const agreed = {
  maxCredits: z.exactOptional(credits).describe('The most that the job may spend, in credits of the provider'),
  confirm: z.exactOptional(z.boolean()).describe('true: agrees to what its rows cost, without a budget'),
}

export const consent = once(() => z.strictObject(agreed).nullish())

export const newJobHeaders = once(() =>
  z.looseObject({
    'idempotency-key': z
      .string()
      .max(255)
      .optional()
      .describe('Repeating the request with the same key returns the job that was made'),
  }),
)

export const newJob = once(() =>
  z.strictObject({
    file: z
      .exactOptional(z.string().max(100))
      .describe('Id of a stored file: CSV with a header, or JSONL. Either file or list is required'),
    list: z.exactOptional(z.string().max(100)).describe('Id or name of a stored list, whose rows are looked up'),
    olderThanDays: z
      .exactOptional(z.int().min(0).max(3_650))
      .describe(
        'With list: looks up only rows that have not been checked for this many days, and stores the results in the list',
      ),
    kind: z.exactOptional(z.enum(['person', 'company'])).describe('What a row names; person when absent'),
    integration: z
      .exactOptional(z.string().max(100))
      .describe('Id of the integration that looks it up; may be absent where only one can'),
    connection: z
      .exactOptional(z.string().max(200))
      .describe('Id or name of the connection; the default one when absent'),
    person: z
      .exactOptional(person)
      .describe('The end user of the platform whom it acts for: it uses their connection, or one of the workspace'),
    map: z
      .exactOptional(columnsByField())
      .describe(
        'Column of the file by field of the step, such as { "email": "E-mail" }; "name[2]" is the second column of a name. Absent: by the names of the columns',
      ),
    values: z
      .exactOptional(z.record(z.string().max(100), z.unknown()))
      .describe('Values of further fields, the same for every row, such as { "country": "NZ" }'),
    columns: z
      .exactOptional(z.array(z.string().max(100)).max(100))
      .describe(
        'Fields of a found record to write, such as ["email", "email.deliverable", "phones.0.number"]; the usual fields when absent',
      ),
    format: z.exactOptional(z.enum(['csv', 'jsonl'])).describe('Found out when absent'),
    delimiter: z.exactOptional(z.string().max(4)).describe('Of CSV; found out when absent'),
    maxAge: z
      .exactOptional(z.int().min(0).max(315_360_000))
      .describe('How old a stored result of a lookup may be, in seconds; 0 asks the provider'),
    refresh: z
      .exactOptional(z.boolean())
      .describe('true: asks the provider, and stores its answer in place of the stored one'),
    sample: z
      .exactOptional(z.int().min(0).max(100))
      .describe('Looks up and pays this many rows, 1 to 100, before it waits for agreement'),
    ...agreed,
  }),
)

const nullable = { count: z.int().nullable(), number: z.number().nullable(), time: z.iso.datetime().nullable() }

const count = z.int()

export const job = once(() =>
  z.object({
    id: text,
    state: z
      .enum(['preparing', 'ready', 'running', 'paused', 'done', 'cancelled', 'failed'])
      .describe('preparing: its file is being read; ready: waits for maxCredits or confirm'),
    file: text.describe('The file it reads'),
    list: text.nullable().describe('The stored list that the file is a copy of'),
    name: text,
    kind: z.enum(['person', 'company']),
    integration: text,
    connection: text,
    map: z.record(z.string(), text).describe('Column by field'),
    rows: nullable.count.describe('Null until the file was read'),
    done: count.describe('Rows that have a result'),
    matched: count,
    noMatch: count,
    skipped: count.describe('Rows without anything to look them up by, or left out by a cancellation'),
    suppressed: count.describe('People and companies that opted out'),
    errors: count,
    hitRate: nullable.number.describe('Share of matches among the rows that were looked up'),
    quote: z
      .object({
        least: z.number(),
        most: z.number(),
        expected: nullable.number.describe('As the rows so far suggest; at most `most`'),
      })
      .nullable()
      .describe('What the rows that can be looked up cost if each is found, in credits'),
    credits: z.object({
      spent: z.number(),
      estimated: z.number().describe('How many of those are estimates'),
      max: nullable.number.describe('The budget'),
    }),
    confirmed: z.boolean(),
    rowsPerSecond: nullable.number,
    secondsLeft: nullable.count,
    reason: storedFailure().nullable().describe('Why it is paused or has failed'),
    result: text.nullable().describe('The file with the result'),
    createdAt: z.iso.datetime(),
    startedAt: nullable.time,
    endedAt: nullable.time,
    expiresAt: z.iso.datetime(),
  }),
)

export type Job = z.infer<ReturnType<typeof job>>

const span = () => z.object({ least: z.number(), likely: z.number(), most: z.number() })

const expectation = () =>
  z.object({
    rows: count.describe('Rows that are still to be looked up'),
    matches: span().describe('Matches of the whole job'),
    credits: span().describe('Credits of the whole job; never above its budget'),
    likelihood: z.number().describe('Probability that the outcome is between `least` and `most`'),
    orders: z
      .array(
        z.object({
          rows: count.describe('How many rows are looked up in this order'),
          providers: z.array(z.object({ provider: text, connection: text.nullable(), estimate: lookupEstimate() })),
        }),
      )
      .describe('Providers in the order in which they are asked'),
    assumed: z.array(text).describe('What was assumed where earlier lookups do not show it'),
  })

export const preview = once(() =>
  z.object({
    columns: z.array(text).describe('Of the file'),
    map: z.record(z.string(), text).describe('Column by field'),
    rows: z.array(
      z.object({
        row: count.describe('1 is the first one below the header'),
        input: z.record(z.string(), z.unknown()).describe('What it would be looked up by'),
        price: z.object({ least: z.number(), most: z.number() }).nullable(),
        problem: text.nullable().describe('Why it cannot be looked up'),
      }),
    ),
    expected: expectation()
      .nullable()
      .describe(
        'What the job is expected to find and to cost, estimated from earlier lookups; null until its file has been read',
      ),
    combined: expectation()
      .nullable()
      .describe(
        'The same for lookups at all connected providers, in the order by expected cost; null when only one is connected',
      ),
  }),
)

export type JobPreview = z.infer<ReturnType<typeof preview>>
