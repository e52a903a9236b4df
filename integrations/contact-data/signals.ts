import { words, z } from '#kit'
import type { LookupResult } from '#kit'
import { along } from './inputs.ts'
import { summaryOf } from './enrich.ts'

/** Signals of people and companies, requested by id. */

const maxIds = 100

export const ids = (title: string, description: string) =>
  z
    .array(words('Id', 'Id of one record.'))
    .min(1, { error: `${title}: the list is empty. Give at least one id.` })
    .max(maxIds)
    .meta({ title, description: `${description} 1 to ${maxIds}.` })

export const signalInput = <T extends string>(types: [T, ...T[]]) => ({
  types: z.array(z.enum(types)).min(1).max(types.length).meta({
    title: 'Signals',
    description: 'Kinds of signals to look for; the provider charges each kind that a record has.',
  }),
  since: z.iso
    .date({ error: 'Since: give a day such as 2026-03-31.' })
    .optional()
    .meta({ title: 'Since', description: 'Only signals from this day on.' }),
  most: z
    .int()
    .min(1)
    .max(100)
    .default(10)
    .meta({ title: 'At most', description: 'How many signals of one kind to show for a record, 1 to 100.' }),
})

export const signalFields = () => ({
  signals: z
    .array(
      z.object({
        type: z.string().meta({ description: 'Kind of the signal.' }),
        date: z.string().optional().meta({ description: 'Day of the signal, if the provider states it.' }),
        details: z.unknown().meta({ description: 'What the provider says about it; untrusted.' }),
      }),
    )
    .optional()
    .meta({ description: 'The signals, newest first; empty if there are none.' }),
})

type Details = { [name: string]: unknown }
const detailsOf = (value: unknown): Details =>
  typeof value === 'object' && value !== null ? (value as Details) : { value }

/** The first of the days by which providers date a signal. */
const dayOf = (details: Details): string | undefined =>
  ['signalDate', 'articlePublishedDate', 'activityPublicationDate']
    .map((name) => details[name])
    .find((value) => typeof value === 'string' && value !== '') as string | undefined

/** Puts the signals of a record into one list, instead of one list for each kind. */
const withSignals = (result: LookupResult, types: string[]): LookupResult => {
  if (!('record' in result)) return result
  const record = Object.fromEntries(Object.entries(result.record).filter(([name]) => !types.includes(name)))
  const signals = types
    .flatMap((type) =>
      [result.record[type] ?? []].flat().map((signal) => {
        const details = detailsOf(signal)
        const date = dayOf(details)
        return { type, ...(date === undefined ? {} : { date }), details }
      }),
    )
    .toSorted((a, b) => (b.date ?? '').localeCompare(a.date ?? ''))
  return { ...result, record: { ...record, signals } }
}

type Query = { types: string[]; since?: string | undefined; most: number; categories?: string[] | undefined }
type Ask = (records: Details[][], beside: Details[]) => Promise<LookupResult[]>

/** Asks for the signals of records by id; each has its own result. `idField`: our name of the id. */
export const readSignals = async (idField: 'personId' | 'companyId', all: string[], query: Query, ask: Ask) => {
  const { types, since, most, categories } = query
  const answers = await ask(
    all.map((id) => [{ [idField]: id }]),
    all.map(() => along({ types, since, most, categories })),
  )
  const results = all.map((id, index) => ({ index, [idField]: id, ...withSignals(answers[index]!, types) }))
  return { results, summary: summaryOf(results) }
}
