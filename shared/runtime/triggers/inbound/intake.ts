import { isFailure } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import type { Admit } from '../admit.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import type { ObservedEvent } from '../match.ts'
import type { TriggerParts } from '../parts.ts'
import { createAppEvents } from './app-events.ts'
import { createAppRecipients } from './app-recipients.ts'
import { flatten, isJson, readJson } from './body.ts'
import type { Delivery, IntakeCounts, Receipt } from './delivery.ts'
import { createKeepUnclaimed } from './keep-unclaimed.ts'
import type { RefusedDeliveries } from './refused-deliveries.ts'
import type { Signers } from './signing-secrets.ts'
import { createStoreDelivery, createTakeDelivered } from './store-delivery.ts'
import { createVerification } from './verification.ts'
import type { Refusal } from './verification.ts'

export type { Delivery, IntakeCounts, Receipt } from './delivery.ts'
export { maxDeliveryBytes } from './verification.ts'

/** How long deliveries to a deleted hook are still answered 200: the provider may be sending earlier events. */
export const graceMs = 3_600_000
const retryAfterS = 30

type IntakeDependencies = Pick<TriggerParts, 'registry' | 'store' | 'vault' | 'clock' | 'log'> & {
  now(): number
  hooks: HookCache
  connections: ConnectionCache
  admit: Admit
  refusals: RefusedDeliveries
  signers: Pick<Signers, 'secretsOf' | 'ownerOf'>
  /** Fetches the facts that a match lacks, before the delivery is acknowledged. */
  settle(event: ObservedEvent): Promise<void>
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

/** The integration's own answer to a request, such as a challenge that proves whose address this is. */
const respond = (
  { integration }: LoadedIntegration,
  { method, query = {}, headers }: Delivery,
  body: unknown,
): Receipt | undefined => {
  const answered = integration.webhooks!.respond?.({ method, query, headers: flatten(headers), body })
  return answered && { status: answered.status, body: answered.body, contentType: answered.contentType ?? 'text/plain' }
}

const respondToPost = (loaded: LoadedIntegration, delivery: Delivery): Receipt | undefined => {
  const json = readJson(delivery.body)
  return 'why' in json ? undefined : respond(loaded, delivery, json.value)
}

export type Intake = ReturnType<typeof createIntake>

/** Answers requests on the addresses of hooks. */
export const createIntake = (parts: IntakeDependencies) => {
  const { registry, store, clock, log, now, hooks, admit, refusals, signers, settle } = parts
  const counts = noCounts()
  const lastDelivery = new Map<string, number>()
  const working = new Set<Promise<unknown>>()
  const outage = createOutage(now)

  const catchUp = store.cluster && (() => store.cluster!.catchUp())
  const verification = createVerification({ registry, hooks, clock, secretsOf: signers.secretsOf, catchUp })
  const onDelivered = ({ id }: Hook) => void lastDelivery.set(id, now())
  const take = createTakeDelivered({ store, admit, counts, settle })
  const appEvents = createAppEvents({
    ...parts,
    recipients: createAppRecipients(parts),
    unclaimed: createKeepUnclaimed({ ...parts, counts }),
    take,
    onDelivered,
  })
  const storeDelivery = createStoreDelivery({ store, log, now, counts, take, appEvents, onDelivered })

  const refuse = ({ hook, status, reason, isForged }: Refusal): Receipt => {
    if (hook) refusals.note(hook, `Deliveries to this hook are refused. ${reason}`, isForged)
    return { status }
  }

  const finish = async (delivery: Delivery, hook: Hook, loaded: LoadedIntegration): Promise<Receipt> => {
    if (hook.state === 'deleting' || hook.state === 'deleted') {
      counts.ended += 1
      return { status: hook.state === 'deleted' && now() - hook.stateAt >= graceMs ? 410 : 200 }
    }
    if (!isJson(delivery.headers['content-type']))
      return refuse({ hook, status: 415, reason: 'They are not JSON by their content type.' })
    // The body is parsed here only where the integration may have an answer of its own.
    const challenge = loaded.integration.webhooks!.respond && respondToPost(loaded, delivery)
    if (challenge) return challenge
    try {
      await storeDelivery(hook, loaded, delivery)
      refusals.accepted(hook)
      return { status: 200 }
    } catch (error) {
      // Not stored, so not acknowledged: the provider sends it again, or its history is read.
      counts.unavailable += 1
      outage.begin()
      log('error', 'delivery.not_stored', {
        hook: hook.id,
        reason: isFailure(error) ? error.message : error instanceof Error ? error.name : 'unknown',
      })
      return { status: 503, retryAfterS }
    }
  }

  const post = async (delivery: Delivery): Promise<Receipt> => {
    const verified = await verification.verify(delivery)
    const isRead = !('status' in verified) || verified.status === 401
    if (isRead) counts.received += 1
    if (!('status' in verified)) return finish(delivery, verified.hook, verified.loaded)
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
    return respond(addressedHook.loaded, delivery, undefined) ?? { status: 405 }
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
