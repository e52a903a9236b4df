import { failField } from './failure.ts'
import type { Option, OptionPage, OptionSource } from './step.ts'

/** Choices shown at once; more come with the cursor. */
export const optionPageSize = 100

/** Says which steps of the integration list what `source` offers, the best first. */
export const listedBy = (steps: string[], source: OptionSource): OptionSource =>
  Object.assign<OptionSource, { listedBy: string[] }>((ctx, request) => source(ctx, request), { listedBy: steps })

/** Whether a choice fits what was typed: in its label, hint or value, in any case. */
export const fitsQuery = ({ label, hint, value }: Option, query: string): boolean => {
  const searchText = query.trim().toLowerCase()
  return searchText === '' || `${label}\n${hint ?? ''}\n${value}`.toLowerCase().includes(searchText)
}

/**
 * One page of choices that the provider gave all at once. The cursor is the last value shown, so that a choice added
 * between two pages moves nothing.
 */
export const pageOptions = (
  all: Option[],
  { query, cursor }: Pick<Parameters<OptionSource>[1], 'query' | 'cursor'>,
): OptionPage => {
  const hits = all.filter((option) => fitsQuery(option, query))
  const from = cursor === undefined ? 0 : hits.findIndex(({ value }) => value === cursor) + 1
  const options = hits.slice(from, from + optionPageSize)
  const last = options.at(-1)
  return from + options.length < hits.length && last ? { options, next: last.value } : { options }
}

/** The value of another form field as the source of choices gets it, unchecked; undefined while it is empty. */
export const formValue = (values: Record<string, unknown>, field: string): string | undefined => {
  const value = values[field]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw failField(`values/${field}`, `${field} has to be text.`)
  return value
}
