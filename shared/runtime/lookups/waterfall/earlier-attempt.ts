import type { Intents } from '../../idempotency.ts'
import { keyFor } from './ask-provider.ts'
import type { Candidate } from './candidates.ts'
import type { Chain } from './types.ts'

/**
 * The providers that an earlier attempt with the same idempotency key asked, in its order. Counts and prices may have
 * changed since: in another order, providers would be asked for other fields, or a second one would be paid as well.
 */
export const earlierCandidates = async (
  intents: Pick<Intents, 'startedKeys'>,
  { caller, call, candidates }: Chain,
): Promise<Candidate[]> => {
  if (call.idempotencyKey === undefined) return []
  const byKey = new Map(candidates.map((candidate) => [keyFor(call, candidate)!, candidate]))
  const startedKeys = await intents.startedKeys(caller, [...byKey.keys()])
  return startedKeys.map((key) => byKey.get(key)!)
}
