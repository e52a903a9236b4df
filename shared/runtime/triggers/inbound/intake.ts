import { hash } from 'node:crypto'
import { isFailure, jsonExcess, inputLimits, sayExcess } from '#kit'
import type { DeliveryHeaders, Event } from '#kit'
import type { Hook } from '../../ports/index.ts'
import type { Loaded } from '../../catalogue/registry.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import type { Admit } from '../admit.ts'
import type { ObservedEvent } from '../match.ts'
import { readModel } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { RefusedDeliveries } from './refused-deliveries.ts'
import { isGenuine } from './signature.ts'
import type { Headers } from './signature.ts'

/** One request on a hook's address. `headers` with names in lower case; `body` the raw bytes. */
export type Delivery = { integration: string; hookId: string; method: string; headers: Headers; body: Uint8Array }
/** What to answer; there is never a body. */
export type Receipt = { status: number; retryAfterS?: number }

/** Counts since the process began. */
export type IntakeCounts = {
  received: number
  stored: number
  repeated: number
  refused: number
  undecodable: number
  unavailable: number
  ended: number
}

export const maxDeliveryBytes = 1024 * 1024
/** A deleted hook is answered 200 for so long: the provider may still be sending what happened before. */
export const graceMs = 3_600_000
const retryAfterS = 30
const unknownUrl = 'https://unknown.invalid/hooks/unknown/unknown'
const fallbackHeader = 'x-signature'

type Parts = Pick<TriggerParts, 'registry' | 'store' | 'log'> & {
  now(): number
  hooks: HookCache
  admit: Admit
  refusals: RefusedDeliveries
  /** Secrets that sign deliveries to this hook, current first. */
  secretsOf(hook: Hook, loaded: Loaded): string[] | Promise<string[]>
  /** Fetches what a match lacks, before the delivery is acknowledged. */
  settle(sighting: ObservedEvent): Promise<void>
}

const isJson = (type: unknown) =>
  typeof type === 'string' && /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type) && !/charset\s*=\s*"?(?!utf-?8|["\s])/i.test(type)

/** A repeated header as one value. */
const flatten = (headers: Headers): DeliveryHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]))

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The JSON of a body, or why it cannot be read. Bytes that are not UTF-8 are refused, not replaced. */
const readJson = (body: Uint8Array): { value: unknown } | { why: string } => {
  let text: string
  try {
    text = utf8.decode(body)
  } catch {
    return { why: 'The body is not UTF-8.' }
  }
  const excess = jsonExcess(body, inputLimits)
  if (excess) return { why: `The body holds ${sayExcess(excess, inputLimits)}.` }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return { why: 'The body is not JSON.' }
  }
}

export type Intake = ReturnType<typeof createIntake>

export const createIntake = (parts: Parts) => {
  const { registry, store, log, now, hooks, admit, refusals } = parts
  const counts: IntakeCounts = { received: 0, stored: 0, repeated: 0, refused: 0, undecodable: 0, unavailable: 0, ended: 0 }
  const lastDelivery = new Map<string, number>()
  const working = new Set<Promise<unknown>>()
  let unhealthySince: number | undefined
  let lastRefusal = 0

  const storeEvents = async (hook: Hook, events: Event[], correlation: string | undefined): Promise<void> => {
    const { tenant, connection, integration } = hook
    const observations = events.map((event) => ({ event }))
    const { arrived, repeatedLacking } = await admit({ tenant, connection, integration, observations, delivery: { hook: hook.id, correlation } })
    counts.stored += arrived.events.length
    counts.repeated += events.length - arrived.events.length
    lastDelivery.set(hook.id, now())
    for (const event of repeatedLacking) await settleElsewhere(event)
  }

  /** The event is there already, delivered by another hook: subscriptions that only this one reaches are matched before it is acknowledged. */
  const settleElsewhere = async (event: ObservedEvent): Promise<void> => {
    const row = await store.events.get(event.tenant, event.connection, event.event.id)
    if (row?.hook !== event.hook) await parts.settle(event)
  }

  const keepUndecodable = async (hook: Hook, body: Uint8Array, reason: string): Promise<void> => {
    const { tenant, integration, connection, id } = hook
    await store.undecodable.add({
      tenant,
      id: hash('sha256', Buffer.concat([Buffer.from(`${id}\n`), body])),
      integration,
      connection,
      hook: id,
      receivedAt: now(),
      reason,
      raw: body,
    })
    counts.undecodable += 1
    log('warn', 'delivery.undecodable', { hook: id, reason })
  }

  const noteDelivered = async (hook: Hook): Promise<void> => void lastDelivery.set(hook.id, now())

  const take = (hook: Hook, { integration, wire }: Loaded, { headers, body }: Delivery): Promise<unknown> => {
    const source = integration.webhooks!
    const json = readJson(body)
    if ('why' in json) return keepUndecodable(hook, body, json.why)
    const given = flatten(headers)
    const { events, undecodable, ignored } = source.decode({ body: json.value, headers: given, model: readModel(hook.model) }, 'webhook')
    if (events.length === 0 && undecodable === undefined && ignored !== undefined) return noteDelivered(hook)
    const unread = undecodable !== undefined || events.length === 0 ? keepUndecodable(hook, body, undecodable ?? 'There is no event in it.') : undefined
    if (events.length === 0) return unread!
    const correlation = wire.writeMark && given[wire.writeMark.header.toLowerCase()]
    const stored = storeEvents(hook, events, correlation)
    return unread ? Promise.all([unread, stored]) : stored
  }

  /** The hook and the integration a delivery names; undefined when either is unknown. */
  const addressed = async ({ integration, hookId }: Delivery): Promise<{ hook: Hook; loaded: Loaded } | undefined> => {
    const known = hooks.find(hookId)
    const hook = known instanceof Promise ? await known : known
    const loaded = registry.all.find((candidate) => candidate.integration.id === integration)
    return hook && loaded?.integration.webhooks && hook.integration === integration ? { hook, loaded } : undefined
  }

  const finish = async (delivery: Delivery, hook: Hook, loaded: Loaded): Promise<Receipt> => {
    if (hook.state === 'deleting' || hook.state === 'deleted') {
      counts.ended += 1
      return { status: hook.state === 'deleted' && now() - hook.stateAt >= graceMs ? 410 : 200 }
    }
    if (!isJson(delivery.headers['content-type'])) return refused(hook, 415, 'They are not JSON by their content type.')
    try {
      await take(hook, loaded, delivery)
      refusals.accepted(hook)
      return { status: 200 }
    } catch (error) {
      // Not stored, so not acknowledged: the provider sends it again.
      counts.unavailable += 1
      lastRefusal = now()
      unhealthySince ??= lastRefusal
      log('error', 'delivery.not_stored', { hook: hook.id, reason: isFailure(error) ? error.message : error instanceof Error ? error.name : 'unknown' })
      return { status: 503, retryAfterS }
    }
  }

  const refused = (hook: Hook | undefined, status: number, why: string): Receipt => {
    if (hook) refusals.note(hook, `Deliveries to this hook are refused. ${why}`)
    return { status }
  }

  const whyNotGenuine = (hook: Hook | undefined, secrets: string[]) =>
    secrets.length === 0
      ? `No secret is stored that could verify them: give it with PUT /v1/apps/${hook?.integration}.`
      : `Their signature fits no stored secret: check that PUT /v1/apps/${hook?.integration} holds key and secret of the app that this account was connected with.`

  const post = async (delivery: Delivery): Promise<Receipt> => {
    const { headers, body } = delivery
    const found = await addressed(delivery)
    const encoding = headers['content-encoding']
    // Unknown hooks cost the same work as known ones with a wrong signature, and get the same answers.
    if (encoding !== undefined && encoding !== 'identity') return refused(found?.hook, 415, 'They are compressed.')
    if (body.byteLength > maxDeliveryBytes) return refused(found?.hook, 413, `One is larger than ${maxDeliveryBytes} bytes.`)
    counts.received += 1
    const signature = found?.loaded.wire.signature
    const secrets = found && signature ? await parts.secretsOf(found.hook, found.loaded) : []
    const genuine = isGenuine(signature ?? { header: fallbackHeader }, secrets, { headers, body, callbackUrl: found?.hook.callbackUrl ?? unknownUrl })
    if (!found || !genuine) {
      counts.refused += 1
      return refused(found?.hook, 401, whyNotGenuine(found?.hook, secrets))
    }
    return finish(delivery, found.hook, found.loaded)
  }

  const answer = (delivery: Delivery): Promise<Receipt> => (delivery.method === 'POST' ? post(delivery) : look(delivery))

  const look = async (delivery: Delivery): Promise<Receipt> => {
    if (delivery.method !== 'HEAD') return { status: 405 }
    const found = await addressed(delivery)
    return { status: found && found.hook.state !== 'deleted' ? 200 : 404 }
  }

  return {
    counts: (): IntakeCounts => ({ ...counts }),
    /** Answers a delivery; 200 only after its events are on the disk. */
    receive(delivery: Delivery): Promise<Receipt> {
      const work = answer(delivery)
      working.add(work)
      const done = () => void working.delete(work)
      work.then(done, done)
      return work
    },
    /** Resolves when every delivery being worked on now is answered. */
    settled: async (): Promise<void> => void (await Promise.allSettled(working)),
    /** When each hook was last delivered to, since the last call. */
    takeDeliveryTimes(): Map<string, number> {
      const taken = new Map(lastDelivery)
      lastDelivery.clear()
      return taken
    },
    /** Since when deliveries cannot be stored, if they cannot. */
    unhealthySince: () => unhealthySince,
    /** What could not be stored until then was looked after. */
    healed(until: number) {
      unhealthySince = lastRefusal > until ? until : undefined
    },
  }
}
