import { once, z } from '#kit'
import { idempotencyKey, ownPerson, person, personFilter, text, time } from './fields.ts'
import { page } from './page.ts'

const kind = z.enum(['person', 'company'])

const row = once(() => z.record(z.string().max(200), z.unknown()))

export const newListHeaders = once(() =>
  z.looseObject({
    'idempotency-key': idempotencyKey
      .optional()
      .describe(
        '1 to 255 visible ASCII characters: repeating the request with the same key returns the list that was stored',
      ),
  }),
)

/** One of `rows`, `file`, `run` and `step`. */
export const newList = once(() =>
  z.strictObject({
    name: z.string().min(1).max(100).describe('Name by which jobs use it; unique among the lists of its owner'),
    kind: z.exactOptional(kind).describe('What a row names; person when absent'),
    rows: z
      .exactOptional(z.array(row()).min(1).max(10_000))
      .describe(
        'Values by column, such as [{ "email": "ada@example.com" }]; nested values become columns such as phones.0.number',
      ),
    file: z.exactOptional(z.string().max(100)).describe('Id of a stored file: CSV with a header, or JSONL'),
    run: z.exactOptional(z.string().max(100)).describe('Id of a run of a search whose output is stored'),
    step: z
      .exactOptional(
        z.strictObject({
          integration: z.string().min(1).max(100),
          step: z.string().min(1).max(100).describe('Id of a step whose manifest has `listSource`'),
          connection: z.exactOptional(z.string().max(200)).describe('Id or name; the default one when absent'),
          input: z.record(z.string().max(200), z.unknown()).describe('Input of the step'),
        }),
      )
      .describe('A step that is run now, page by page, and whose output names people or companies'),
    format: z.exactOptional(z.enum(['csv', 'jsonl'])).describe('Format of the file; detected when absent'),
    delimiter: z.exactOptional(z.string().max(4)).describe('Delimiter of a CSV file; detected when absent'),
    person: z.exactOptional(person).describe('The end user of the platform whom it is for; absent: nobody'),
    expiresInDays: z
      .exactOptional(z.int().min(1).max(3_650))
      .describe('How long it is stored, 1 to 3,650 days; 365 when absent'),
  }),
)
export type NewList = z.infer<ReturnType<typeof newList>>

const fields = once(() => ({
  id: text,
  name: text,
  kind,
  columns: z.array(text),
  rows: z.int().describe('How many rows it has'),
  source: z.enum(['rows', 'file', 'run', 'step']).describe('Where its rows came from'),
  person: ownPerson,
  createdAt: time,
  expiresAt: time.describe('When it is deleted'),
}))

export const peopleList = once(() => z.object(fields()))
export type PeopleList = z.infer<ReturnType<typeof peopleList>>

export const madeList = once(() =>
  z.object({
    ...fields(),
    suppressed: z.int().describe('How many rows were left out because they name somebody on the suppression list'),
  }),
)

export type MadeList = z.infer<ReturnType<typeof madeList>>

export const peopleListRows = once(() =>
  z.object({
    ...fields(),
    items: z
      .array(
        z.object({
          row: z.int().describe('Number of the row, from 1'),
          values: z.record(z.string(), text).describe('Texts by column'),
          checkedAt: time.nullable().describe('When a provider was last asked about it; null: never'),
        }),
      )
      .describe('Rows in order, without those that name somebody on the suppression list'),
    next: text.optional().describe('Pass it as cursor to get the next page; absent on the last page'),
  }),
)
export type PeopleListRows = z.infer<ReturnType<typeof peopleListRows>>

export const listFilter = once(() => z.strictObject({ ...page().shape, person: personFilter }))
