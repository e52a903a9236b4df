import { isFailure, isOptOut, searchPage, toFailureJson, z } from '#kit'
import type { FilterFields, Found, LookupResult, StepContext } from '#kit'
import { summaryOf } from './enrich.ts'
import { along } from './inputs.ts'

/** How many one request can reveal. */
const maxRevealed = 100

export const mostRevealed = (what: string) =>
  z
    .int()
    .min(1)
    .max(maxRevealed)
    .default(25)
    .meta({
      title: 'Limit',
      description: `How many ${what} to reveal at most, 1 to ${maxRevealed}. If the provider finds more, the others are shown unrevealed.`,
    })

/** The endpoint of a search, the one that reveals what it finds, and the field in which that one takes ids. */
export type SearchPlan = { search: string; reveal: string; id: 'personId' | 'companyId'; fields: FilterFields }

type Query = { limit: number; cursor?: string | undefined; [filter: string]: unknown }

const idOf = ({ record: { id } }: Found) => (typeof id === 'string' ? id : undefined)

/**
 * Returns one result for each id. A failure of the whole request becomes the result of each: the search is paid for, so
 * what it found must not be lost, nor paid again when the run is repeated.
 */
const revealAll = async (
  ctx: StepContext,
  { reveal, id }: SearchPlan,
  ids: string[],
  beside: Record<string, unknown>,
): Promise<LookupResult[]> => {
  if (ids.length === 0) return []
  try {
    return await ctx.lookupMany(
      reveal,
      ids.map((value) => [{ [id]: value }]),
      ids.map(() => beside),
    )
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    const failed = toFailureJson(thrown)
    return ids.map(() => ({ failed }))
  }
}

const resultOf = (found: Found, answer: LookupResult | undefined, reason: string) => {
  const { record, raw, provenance } = found
  if (answer === undefined) return { matched: false, reason, record, raw, provenance }
  if ('failed' in answer || !answer.matched) return { ...answer, record, raw, provenance }
  return { ...answer, record: { ...record, ...answer.record } }
}

const isSuppressed = (result: object) =>
  'failed' in result && isOptOut((result as { failed: Parameters<typeof isOptOut>[0] }).failed)

/**
 * Searches, and reveals the first `limit` records found. People who opted out are left out, also when only the reveal
 * shows that they did. `beside`: values sent with each reveal.
 */
export const searchAndEnrich = async (
  ctx: StepContext,
  plan: SearchPlan,
  { limit, ...query }: Query,
  beside: Record<string, unknown>,
) => {
  const { search, reveal, fields } = plan
  const values = along(beside)
  const followedBy = { endpoint: reveal, most: limit, along: values }
  const page = await searchPage(ctx, search, { ...query, limit }, fields, followedBy)
  const spent = ctx.charged()
  const chosen = page.results.slice(0, limit).filter((found) => idOf(found) !== undefined)
  const answers = await revealAll(
    ctx,
    plan,
    chosen.map((found) => idOf(found)!),
    along({ ...values, searchId: page.searchId }),
  )
  const answerOf = new Map(chosen.map((found, index) => [found, answers[index]!]))
  const all = page.results.map((found, index) =>
    resultOf(
      found,
      answerOf.get(found),
      index < limit
        ? 'The provider gave no id for it, so it cannot be revealed.'
        : 'Found beyond the limit, so not revealed.',
    ),
  )
  const results = all.filter((result) => !isSuppressed(result)).map((result, index) => ({ index, ...result }))
  return {
    results,
    summary: { ...summaryOf(results), suppressed: all.length - results.length },
    charged: { search: spent, reveal: ctx.charged() - spent },
    ...(page.total === undefined ? {} : { total: page.total }),
    ...(page.next === undefined ? {} : { next: page.next }),
  }
}
