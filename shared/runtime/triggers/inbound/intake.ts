import { isFailure } from '#kit'
import type { Acknowledgement, DeliveryBodies } from '#kit'
import type { Hook, Log } from '../../ports/index.ts'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import type { Admit } from '../admit.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import type { ObservedEvent } from '../match.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import { acknowledge } from './acknowledgement.ts'
import { createAppEvents } from './app-events.ts'
import { createAppRecipients } from './app-recipients.ts'
import { flatten, isJson, readJson } from './body.ts'
import type { ReadBody } from './body.ts'
import type { Delivery, IntakeCounts, Receipt, Verified } from './delivery.ts'
import { createKeepUnclaimed } from './keep-unclaimed.ts'
import { createProofs } from './proofs.ts'
import type { RefusedDeliveries } from './refused-deliveries.ts'
import type { Signers } from './signing-secrets.ts'
import { createStoreDelivery, createTakeDelivered, recordEndedCharges } from './store-delivery.ts'
import { createVerification } from './verification.ts'
import type { Refusal, Verify } from './verification.ts'

export type { Delivery, IntakeCounts, Receipt } from './delivery.ts'
export { maxDeliveryBytes } from './verification.ts'

/** How long deliveries to a deleted hook are still answered 200: the provider may be sending earlier events. */
export const graceMs = 3_600_000
const retryAfterS = 30

type IntakeDependencies = Pick<
  TriggerParts,
  'registry' | 'store' | 'vault' | 'clock' | 'log' | 'unauthenticated' | 'charges' | 'suppressed'
> & {
  now(): number
  sessions: ProviderSessions
  hooks: HookCache
  connections: ConnectionCache
  admit: Admit
  onCharged(ref: ConnectionRef): void
  onSuppressed(ref: ConnectionRef): void
  refusals: RefusedDeliveries
  signers: Pick<Signers, 'secretsOf' | 'ownerOf'>
  /** Fetches the facts that a match lacks, before the delivery is acknowledged. */
  settle(event: ObservedEvent): Promise<void>
  /** Adds a span around the verification. */
  traceVerify?: ((verify: Verify) => Verify) | undefined
}

const noCounts = (): IntakeCounts => ({
  received: 0,
  stored: 0,
  repeated: 0,
  refused: 0,
  undecodable: 0,
  unavailable: 0,
  ended: 0,
  unclaimed: 0,
  expired: 0,
  displaced: 0,
})

const whyOtherType = (deliveries: DeliveryBodies | undefined): string =>
  deliveries
    ? `By their content type they are none of ${deliveries.bodies.join(', ')}.`
    : 'They are not JSON by their content type.'

/** Tracks a period in which deliveries cannot be stored. */
const createOutage = (now: () => number) => {
  let begunAt: number | undefined
  let lastFailure = 0
  return {
    begin() {
      lastFailure = now()
      begunAt ??= lastFailure
    },
    /** Start of the period in ms; undefined while deliveries can be stored. */
    since: () => begunAt,
    /** Events up to `until` were recovered; a later failure keeps the outage open from there. */
    healed(until: number) {
      begunAt = lastFailure > until ? until : undefined
    },
  }
}

/** Not stored, so not acknowledged: the provider sends it again. */
const createPostpone =
  ({ counts, log }: { counts: IntakeCounts; log: Log }) =>
  (hook: string, error: unknown): Receipt => {
    counts.unavailable += 1
    log('error', 'delivery.not_stored', {
      hook,
      reason: isFailure(error) ? error.message : error instanceof Error ? error.name : 'unknown',
    })
    return { status: 503, retryAfterS }
  }

/** The integration's own answer to a request, such as a challenge that proves whose address this is. */
const respond = (
  { integration }: LoadedIntegration,
  { method, query = {}, headers }: Delivery,
  body: unknown,
): { receipt: Receipt; isDelivery: boolean } | undefined => {
  const answered = integration.webhooks!.respond?.({ method, query, headers: flatten(headers), body })
  if (!answered) return undefined
  const { status, body: text, contentType = 'text/plain', isDelivery = false } = answered
  return { receipt: { status, body: text, contentType }, isDelivery }
}

const respondToPost = (loaded: LoadedIntegration, delivery: Delivery, read: ReadBody) =>
  'why' in read ? undefined : respond(loaded, delivery, read.value)

/** The response that a provider expects to a delivery that is stored. JSON is parsed only where it wants to read it there. */
const receiptOf = (expected: Acknowledgement, { body }: Delivery, read: ReadBody | undefined, now: number) => {
  const content = read ?? readJson(body)
  return acknowledge(expected, 'value' in content ? content.value : undefined, now)
}

/** Answers a delivery to a hook that is removed: it starts nothing, but its charge counts. */
const createFinishEnded =
  (parts: IntakeDependencies, counts: IntakeCounts, postpone: (hook: string, error: unknown) => Receipt) =>
  async (delivery: Delivery, { hook, loaded, content }: Verified): Promise<Receipt> => {
    counts.ended += 1
    // Only where deliveries cost credits do hooks pause.
    if (loaded.integration.webhooks!.pause)
      try {
        await recordEndedCharges(parts, hook, loaded, delivery, content)
      } catch (error) {
        return postpone(hook.id, error)
      }
    if (hook.state === 'deleted' && parts.now() - hook.stateAt >= graceMs) return { status: 410 }
    const expected = loaded.wire.deliveries?.acknowledge
    return expected ? receiptOf(expected, delivery, content, parts.clock.now()) : { status: 200 }
  }

export type Intake = ReturnType<typeof createIntake>

/** Answers requests on the addresses of hooks. */
export const createIntake = (parts: IntakeDependencies) => {
  const { registry, store, clock, log, now, refusals, signers } = parts
  const counts = noCounts()
  const lastDelivery = new Map<string, number>()
  const working = new Set<Promise<unknown>>()
  const outage = createOutage(now)
  const postpone = createPostpone({ counts, log })

  const catchUp = store.cluster && (() => store.cluster!.catchUp())
  const prove = createProofs(parts)
  const verification = createVerification({ ...parts, secretsOf: signers.secretsOf, prove, catchUp })
  const verify = parts.traceVerify ? parts.traceVerify(verification.verify) : verification.verify
  const onDelivered = ({ id }: Hook) => void lastDelivery.set(id, now())
  const take = createTakeDelivered({ ...parts, counts })
  const appEvents = createAppEvents({
    ...parts,
    recipients: createAppRecipients(parts),
    unclaimed: createKeepUnclaimed({ ...parts, counts }),
    take,
    onDelivered,
  })
  const storeDelivery = createStoreDelivery({ ...parts, charges: parts, counts, take, appEvents, onDelivered })

  const refuse = ({ hook, status, reason, isForged }: Refusal): Receipt => {
    if (hook) refusals.note(hook, `Deliveries to this hook are refused. ${reason}`, isForged)
    return { status }
  }

  const finishEnded = createFinishEnded(parts, counts, postpone)

  const finish = async (delivery: Delivery, verified: Verified): Promise<Receipt> => {
    const { hook, loaded, content } = verified
    const { deliveries } = loaded.wire
    const expected = deliveries?.acknowledge
    if (hook.state === 'deleting' || hook.state === 'deleted') return finishEnded(delivery, verified)
    const type = delivery.headers['content-type']
    let read: ReadBody | undefined = content
    if (!read && !isJson(type, deliveries)) {
      read = (await import('./other-bodies.ts')).readByType(type, delivery.body, deliveries)
      if (!read) return refuse({ hook, status: 415, reason: whyOtherType(deliveries) })
    }
    // JSON is parsed here only where the integration may have an answer of its own.
    const answered =
      loaded.integration.webhooks!.respond && respondToPost(loaded, delivery, read ?? readJson(delivery.body))
    if (answered && !answered.isDelivery) return answered.receipt
    try {
      await storeDelivery(hook, loaded, delivery, read)
      refusals.accepted(hook)
      if (answered?.receipt) return answered.receipt
      return expected ? receiptOf(expected, delivery, read, clock.now()) : { status: 200 }
    } catch (error) {
      // The provider may not send it again, so histories are read.
      outage.begin()
      return postpone(hook.id, error)
    }
  }

  const post = async (delivery: Delivery): Promise<Receipt> => {
    let verified: Verified | Refusal
    try {
      verified = await verify(delivery)
    } catch (error) {
      if (!isFailure(error)) throw error
      // No outage: the provider may refuse this account alone, and nothing shows yet that the delivery is genuine.
      return postpone(delivery.hookId, error)
    }
    const isRead = !('status' in verified) || verified.status === 401
    if (isRead) counts.received += 1
    if (!('status' in verified)) return finish(delivery, verified)
    if (isRead) counts.refused += 1
    return refuse(verified)
  }

  const head = async (delivery: Delivery): Promise<Receipt> => {
    const addressedHook = await verification.find(delivery)
    return { status: addressedHook && addressedHook.hook.state !== 'deleted' ? 200 : 404 }
  }

  /** A GET is not signed, so it is not verified: the integration decides what it gives away. */
  const get = async (delivery: Delivery): Promise<Receipt> => {
    const loaded = registry.all.find(({ integration }) => integration.id === delivery.integration)
    if (!loaded?.integration.webhooks?.respond) return { status: 405 }
    const addressedHook = await verification.find(delivery)
    if (!addressedHook || addressedHook.hook.state === 'deleted') return { status: 404 }
    return respond(addressedHook.loaded, delivery, undefined)?.receipt ?? { status: 405 }
  }

  const answer = async (delivery: Delivery): Promise<Receipt> => {
    if (delivery.method === 'POST') return post(delivery)
    if (delivery.method === 'GET') return get(delivery)
    return delivery.method === 'HEAD' ? head(delivery) : { status: 405 }
  }

  return {
    counts: (): IntakeCounts => ({ ...counts }),
    /** Answers a delivery; with 200 only after its events are committed. */
    receive(delivery: Delivery): Promise<Receipt> {
      const work = answer(delivery)
      working.add(work)
      const done = () => void working.delete(work)
      work.then(done, done)
      return work
    },
    /** Takes in events whose accounts are connected by now, and drops those that have waited too long. */
    claim: appEvents.tick,
    /** Resolves when every delivery now in progress is answered. */
    settled: async (): Promise<void> => void (await Promise.allSettled(working)),
    /** The time of the last delivery to each hook, by hook id, since the previous call. */
    takeDeliveryTimes(): Map<string, number> {
      const taken = new Map(lastDelivery)
      lastDelivery.clear()
      return taken
    },
    unhealthySince: outage.since,
    healed: outage.healed,
  }
}
