import { failField } from './failure.ts'
import type { Option, OptionPage, OptionSource } from './step.ts'

/** Number of choices on a page; the cursor leads to the next page. */
export const optionPageSize = 100

/** Declares which steps of the integration list the choices of `source`, best first. */
export const listedBy = (steps: string[], source: OptionSource): OptionSource =>
  Object.assign<OptionSource, { listedBy: string[] }>((ctx, request) => source(ctx, request), { listedBy: steps })

/** Whether a choice contains the typed text in its label, hint or value, in any case. */
export const fitsQuery = ({ label, hint, value }: Option, query: string): boolean => {
  const searchText = query.trim().toLowerCase()
  return searchText === '' || `${label}\n${hint ?? ''}\n${value}`.toLowerCase().includes(searchText)
}

/**
 * One page of choices that the provider returned all at once. The cursor is the last value shown, so a choice added
 * between two pages shifts nothing.
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

/**
 * The value of another form field as an option source receives it, unchecked; undefined while it is empty. Throws
 * `invalid_input` when it is not text.
 */
export const formValue = (values: Record<string, unknown>, field: string): string | undefined => {
  const value = values[field]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw failField(`values/${field}`, `${field} has to be text.`)
  return value
}
