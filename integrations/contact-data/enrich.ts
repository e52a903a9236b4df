import { fail, inputJsonSchema, toFailureJson, z } from '#kit'
import type { FailureJson, FieldError, LookupResult, StepContext } from '#kit'
import { along } from './inputs.ts'

/** Limits of one run, checked before anything is paid for. */
const maxRecords = 1000
const maxBytes = 1024 * 1024

/**
 * Schema of a list of records. Its items are described to agents but not parsed with the input: one bad record must not
 * fail the others, so each is parsed on its own when the step runs.
 */
export const recordList = (item: z.ZodObject, title: string, description: string) =>
  z
    .array(z.unknown().meta(inputJsonSchema(item)))
    .min(1, { error: `${title}: the list is empty. Give at least one record.` })
    .max(maxRecords, {
      error: (issue) =>
        `${title}: there are ${(issue.input as unknown[]).length} records; at most ${maxRecords} are taken in one run. Split the list.`,
    })
    .meta({ title, description: `${description} 1 to ${maxRecords} records.` })

export const reference = () =>
  z.string().max(200).meta({ title: 'Reference', description: 'Your own id; comes back with the result, not sent.' })

const failure = () =>
  z
    .looseObject({ code: z.string(), message: z.string(), retryable: z.boolean() })
    .meta({ description: 'Why this record has no answer. The other records are not touched by it.' })

const resultFields = <T extends z.ZodObject>(record: T, filled: string) => ({
  matched: z.boolean().optional().meta({ description: 'Absent where the lookup of this record failed.' }),
  matchedBy: z.string().optional(),
  reason: z.string().optional(),
  record: record.optional().meta({ description: filled }),
  raw: z.unknown().optional().meta({ description: 'The answer as the provider gave it, untrusted.' }),
  provenance: z.looseObject({}).optional(),
  failed: failure().optional(),
})
const index = () => z.int().meta({ description: 'Place of the record in the input, from 0.' })
const listOutput = (result: z.ZodObject) =>
  z.object({
    results: z.array(result).meta({ description: 'One result for each record, in the order of the input.' }),
    summary: z.object({ records: z.int(), matched: z.int(), notMatched: z.int(), failed: z.int() }),
  })

/** Output schema of an enrichment of many records. */
export const enrichOutput = <T extends z.ZodObject>(record: T) =>
  listOutput(
    z.looseObject({
      index: index(),
      reference: z.string().optional(),
      ...resultFields(record, 'The given fields, completed; a given field is never overwritten.'),
    }),
  )

/** Output schema of a reveal of many people. */
export const revealOutput = <T extends z.ZodObject>(record: T) =>
  listOutput(
    z.looseObject({
      index: index(),
      personId: z.string(),
      ...resultFields(record, 'The person, with what was revealed.'),
    }),
  )

/** Output schema of a reveal of many companies. */
export const revealedCompanies = <T extends z.ZodObject>(record: T) =>
  listOutput(
    z.looseObject({
      index: index(),
      companyId: z.string(),
      ...resultFields(record, 'The company, with what was revealed.'),
    }),
  )

/** Output schema of a search that reveals what it finds. */
export const searchedOutput = <T extends z.ZodObject>(record: T) =>
  z.object({
    results: z.array(
      z.looseObject({
        index: z.int().meta({ description: 'Position among the results, from 0.' }),
        ...resultFields(record, 'What the search found, completed by what was revealed.'),
        matched: z.boolean().optional().meta({
          description: 'Whether the record was revealed; absent if that failed.',
        }),
        record,
      }),
    ),
    summary: z.object({
      records: z.int(),
      matched: z.int(),
      notMatched: z.int(),
      failed: z.int(),
      suppressed: z.int().meta({ description: 'How many were left out because they opted out.' }),
    }),
    charged: z
      .object({ search: z.number(), reveal: z.number() })
      .meta({ description: 'Credits charged for the search and for the reveal.' }),
    total: z.number().optional().meta({ description: 'How many there are in all, where the provider says so.' }),
    next: z.string().optional().meta({
      description: 'Give it as cursor, with the same other fields, to go on with those that follow.',
    }),
  })

/** Counts the results that matched, did not match, and failed. */
export const summaryOf = (results: object[]) => {
  const matched = results.filter((result) => 'matched' in result && result.matched).length
  const failed = results.filter((result) => 'failed' in result).length
  return { records: results.length, matched, notMatched: results.length - matched - failed, failed }
}

type Fields = Record<string, string>
type ItemReading = { fields: Fields; reference: string | undefined } | { failed: FailureJson }

const referenceOf = (value: unknown): string | undefined => {
  const sentReference =
    typeof value === 'object' && value !== null ? (value as { reference?: unknown }).reference : undefined
  return typeof sentReference === 'string' ? sentReference.slice(0, 200) : undefined
}

const describeIssues = (issues: z.core.$ZodIssue[], item: z.ZodObject, at: string): FieldError[] =>
  issues.flatMap((issue) => {
    const name = issue.path.join('/')
    if (issue.code === 'unrecognized_keys') {
      const fieldNames = Object.keys(item.shape).join(', ')
      return issue.keys.map((key) => ({
        pointer: `${at}/${key}`,
        message: `"${key.slice(0, 60)}" is not a field of a record. Its fields: ${fieldNames}.`,
      }))
    }
    return [
      {
        pointer: name === '' ? at : `${at}/${name}`,
        message: name === '' ? issue.message : `"${name}": ${issue.message}`,
      },
    ]
  })

const readItem = (value: unknown, item: z.ZodObject, at: string): ItemReading => {
  const parsed = item.safeParse(value)
  if (!parsed.success) {
    const errors = describeIssues(parsed.error.issues, item, at)
    return { failed: toFailureJson(fail('invalid_input', errors.map(({ message }) => message).join(' '), { errors })) }
  }
  const { reference: own, ...fields } = parsed.data as Fields
  return { fields, reference: own }
}

/** The caller's own data in a record, without the fields that only identify it to the provider. */
const ownFields = ({ personId: _, companyId: __, country: ___, ...own }: Fields): Fields => own

const resultOf = (read: ItemReading, answer: LookupResult | undefined) => {
  if ('failed' in read) return { failed: read.failed }
  if (answer === undefined || 'failed' in answer || !answer.matched) return answer ?? { matched: false }
  return { ...answer, record: { ...answer.record, ...ownFields(read.fields) } }
}

export type Enrichment = {
  endpoint: string
  /** Name of the input field that holds the records; failures point into it. */
  field: string
  item: z.ZodObject
  /** Identifier sets of one record, strongest first. */
  setsOf(fields: Fields): Fields[]
  /** Values sent with every record in addition to its country; they identify nobody. */
  along?: Record<string, unknown>
}

/**
 * Enriches many records. A record that cannot be read is not sent and fails alone; results keep the order of the input.
 */
export const enrichAll = async (
  ctx: StepContext,
  { endpoint, field, item, setsOf, along: beside = {} }: Enrichment,
  records: unknown[],
) => {
  const bytes = new TextEncoder().encode(JSON.stringify(records)).length
  if (bytes > maxBytes)
    throw fail(
      'too_large',
      `"${field}" is ${Math.ceil(bytes / 1024)} KB; at most ${maxBytes / 1024} KB are taken in one run. Split the list or leave out what is not needed. Nothing was sent.`,
    )
  const reads = records.map((value, index) => readItem(value, item, `/${field}/${index}`))
  const good = reads.filter((read) => 'fields' in read)
  const answers =
    good.length === 0
      ? []
      : await ctx.lookupMany(
          endpoint,
          good.map(({ fields }) => setsOf(fields)),
          good.map(({ fields }) => along({ country: fields.country, ...beside })),
        )
  let next = 0
  const results = reads.map((read, index) => {
    const own = referenceOf(records[index])
    return {
      index,
      ...(own === undefined ? {} : { reference: own }),
      ...resultOf(read, 'failed' in read ? undefined : answers[next++]),
    }
  })
  return { results, summary: summaryOf(results) }
}
