import { randomUUIDv7 } from 'node:crypto'
import { fail, isFailure, toFailureJson } from '#kit'
import type { Failure, Outcome } from '#kit'
import { hashRequest, refuseUnclearKey } from '../../idempotency.ts'
import type { Intents, KeyedRequest } from '../../idempotency.ts'
import type { Caller } from '../../ports/index.ts'
import { findTrigger } from '../../catalogue/find-trigger.ts'
import type { TriggerParts } from '../parts.ts'
import type { NewSubscription } from './input.ts'
import type { SubscriptionView } from '../views.ts'

type Parts = Pick<TriggerParts, 'registry' | 'openConnections' | 'store'> & { intents: Intents }
type Create = (caller: Caller, given: NewSubscription) => Promise<SubscriptionView>

/**
 * Creates a subscription at most once per idempotency key. `create` leaves nothing behind when it fails.
 * Only the first answer contains the secret: for repeats the id is stored.
 */
export const createOnceOf =
  ({ registry, openConnections, store, intents }: Parts, create: Create, get: (caller: Caller, id: string) => Promise<SubscriptionView>) =>
  async (caller: Caller, given: NewSubscription, key: string): Promise<SubscriptionView> => {
    const { idempotencyKey: _, ...rest } = given
    let first: SubscriptionView | undefined
    let refusal: Failure | undefined
    const { loaded } = findTrigger(registry, given.integration, given.trigger)
    const { id: connection } = (await openConnections.open(caller, loaded, given.connection)).connection
    const request: KeyedRequest = {
      hash: hashRequest(['subscription', { ...rest, connection }]),
      async isFormer({ requestHash, outcome }) {
        if (requestHash !== hashRequest(['subscription', rest])) return false
        const stored = outcome as Outcome | null
        if (!stored?.ok) return true
        const made = await store.subscriptions.get(caller.tenant, String(stored.value))
        return made ? made.connection === connection : refuseUnclearKey()
      },
    }
    const outcome = await intents.once(caller, key, request, randomUUIDv7(), async ({ sending }) => {
      await sending()
      const meta = { runId: '', durationMs: 0, attempts: 1 }
      try {
        first = await create(caller, { ...rest, connection })
        return { ok: true, value: first.id, meta }
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        refusal = thrown
        return { ok: false, failure: toFailureJson(thrown), meta }
      }
    })
    if (!outcome.ok) throw refusal ?? fail(outcome.failure.code, outcome.failure.message)
    return first ?? get(caller, String(outcome.value))
  }
