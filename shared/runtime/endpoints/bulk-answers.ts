import { fail, isFailure, isUnreadable, meets, toFailureJson, valueAt } from '#kit'
import type { ErrorRule, Failure, LookupResult } from '#kit'
import type { Reply } from '../../wire/types.ts'
import type { FoundFor } from '../catalogue/price.ts'
import type { Answered, Session } from '../session/session.ts'
import { notUnderstood } from './answers.ts'
import type { Bulk } from './bulk-request.ts'
import { identifierOf, lookupIn } from './endpoints.ts'
import type { Values } from './field-values.ts'
import { bulkKey } from './proven-endpoints.ts'

/** What all parts of a bulk lookup need. */
export type BulkContext = {
  session: Session
  name: string
  /** Names of values that identify nobody. */ along: readonly string[]
  /** Called with the provider's answers as soon as they arrive. */ answered?: (answers: Answered[]) => Promise<void>
}

export const failed = (failure: Failure): LookupResult => ({ failed: toFailureJson(failure) })

const itemFailure = (rules: Omit<ErrorRule, 'effect'>[], item: unknown): Failure | undefined => {
  const rule = rules.find((candidate) => meets(candidate, { body: item }))
  if (!rule) return undefined
  const words = ['error.message', 'message', 'error']
    .map((path) => valueAt(item, path))
    .find((text) => typeof text === 'string')
  return fail(
    rule.failure,
    rule.failure === 'suppressed'
      ? 'The provider says that this record opted out. Do not look for it elsewhere.'
      : 'The provider refused this record.',
    {
      providerMessage: typeof words === 'string' ? words.slice(0, 200) : undefined,
    },
  )
}

export const readAnswer = (
  { session, name, along }: BulkContext,
  bulk: Bulk,
  reply: Reply,
  answer: unknown,
  set: Values[],
): LookupResult => {
  const key = bulkKey(name)
  try {
    // For a missing answer, only a rule about the whole item may say so.
    const isNone = (bulk.itemNoMatch ?? []).some(
      (rule) => (answer !== undefined || (rule.is === 'absent' && !rule.path)) && meets(rule, { body: answer }),
    )
    if (answer === null || isNone) return { matched: false }
    if (answer === undefined)
      throw notUnderstood(
        session,
        key,
        'The provider gave no answer for this record.',
        `endpoints.${key}.answers`,
        undefined,
      )
    const failure = itemFailure(bulk.itemErrors ?? [], answer)
    if (failure) return failed(failure)
    const place = { paths: bulk.itemRecord ?? [''], whole: reply.body }
    return lookupIn(session, key, answer, place, set.map((one) => identifierOf(one, along)).join(', '))
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    return failed(thrown)
  }
}

/**
 * What was found for a record, to compute its price; undefined when nothing was. An unreadable answer may have been a
 * match.
 */
export const foundFor = (values: Values, result: LookupResult): FoundFor | undefined => {
  if ('failed' in result) return isUnreadable(result.failed) ? { values, record: undefined } : undefined
  return result.matched ? { values, record: result.record } : undefined
}
