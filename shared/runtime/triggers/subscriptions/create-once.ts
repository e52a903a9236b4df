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

type CreateOnceDependencies = Pick<TriggerParts, 'registry' | 'openConnections' | 'store'> & { intents: Intents }
type Create = (caller: Caller, newSubscription: NewSubscription) => Promise<SubscriptionView>

/**
 * Creates a subscription at most once per idempotency key. `create` must leave nothing behind when it fails. Only the
 * first answer contains the secret: repeats are answered from the stored id.
 */
export const createOnceOf =
  (
    { registry, openConnections, store, intents }: CreateOnceDependencies,
    create: Create,
    get: (caller: Caller, id: string) => Promise<SubscriptionView>,
  ) =>
  async (caller: Caller, newSubscription: NewSubscription, key: string): Promise<SubscriptionView> => {
    // The caller acts for the person already, and so does its key.
    const { idempotencyKey: _, person: __, ...subscriptionFields } = newSubscription
    let first: SubscriptionView | undefined
    let refusal: Failure | undefined
    const { loaded } = findTrigger(registry, newSubscription.integration, newSubscription.trigger)
    const { id: connection } = (await openConnections.open(caller, loaded, newSubscription.connection)).connection
    const request: KeyedRequest = {
      hash: hashRequest(['subscription', { ...subscriptionFields, connection }]),
      async isFormer({ requestHash, outcome }) {
        if (requestHash !== hashRequest(['subscription', subscriptionFields])) return false
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
        first = await create(caller, { ...subscriptionFields, connection })
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
