import { isFailure } from '#kit'
import { mayCall } from '../../bounds.ts'
import type { Caller } from '../../ports/index.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import { knownFacts } from '../match.ts'
import type { ObservedEvent } from '../match.ts'
import type { TriggerParts } from '../parts.ts'
import type { GiveFacts } from '../why-not.ts'
import type { FetchFact } from './fetch-fact.ts'

type Sources = Pick<TriggerParts, 'store'> & { connections: Pick<ConnectionCache, 'get'>; fetchFact: FetchFact }

/** Maximum requests to the provider for one preview. */
export const maxReads = 5

/**
 * Provides facts as an arriving event gets them. Reading from the provider requires the scope that reading a sample
 * requires.
 */
export const previewFacts = (
  { store, connections, fetchFact }: Sources,
  caller: Caller,
  { tenant, connection, integration, event }: ObservedEvent,
  reads: { left: number },
) => {
  const initialFacts = knownFacts(connections.get(tenant, connection))
  const mayRead = mayCall(caller, { access: ['subscriptions', 'admin'] })
  const fetched = new Map<string, unknown>()
  const give: GiveFacts = async (needs) => {
    const facts = { ...initialFacts.facts }
    for (const need of needs) {
      if (!fetched.has(need)) {
        if (!mayRead)
          return {
            why: `Whether it matches depends on "${need}", which must be read from the provider. Your token lacks the scope "subscriptions".`,
          }
        if (reads.left === 0)
          return { why: `Whether it matches depends on "${need}". A preview reads at most ${maxReads} such facts.` }
        reads.left -= 1
        try {
          fetched.set(need, await fetchFact({ tenant, connection, integration }, event, need, 'limited'))
        } catch (thrown) {
          if (!isFailure(thrown)) throw thrown
          return { why: `Whether it matches depends on "${need}", which could not be read. ${thrown.message}` }
        }
      }
      facts[need] = fetched.get(need)
    }
    return { facts, checkedNeeds: new Set([...initialFacts.checkedNeeds, ...needs]) }
  }
  return { store, initialFacts, give }
}
