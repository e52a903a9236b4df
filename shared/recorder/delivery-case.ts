import { fail, failField, ownAccountNeed } from '#kit'
import type { Event, Facts, Integration, Json, Trigger, TriggerExampleCase, WebhookSource } from '#kit'

/** A request of the provider to a hook, as it was received or pasted. Header names are in lower case. */
export type RawDelivery = { headers: Record<string, string>; body: string }

type ReadDelivery = { delivery: Json; event: Event }

/** Headers that remember which of them were read. */
const watchReads = (headers: Record<string, string>) => {
  const read = new Set<string>()
  const watched = new Proxy(headers, {
    get(all, name) {
      if (typeof name === 'string' && all[name] !== undefined) read.add(name)
      return Reflect.get(all, name) as unknown
    },
  })
  return { watched, read }
}

/**
 * Decodes a delivery to its one event, and gives it as an example writes it: the body, with the headers that the
 * integration reads, if any.
 * @throws Failure `invalid_input` when it does not contain exactly one event
 */
const readDelivery = (source: WebhookSource, headers: Record<string, string>, body: Json): ReadDelivery => {
  const { watched, read } = watchReads(headers)
  const { events, ignored, undecodable } = source.decode(
    { body, headers: watched, model: { kind: 'unknown', id: '' } },
    'webhook',
  )
  const [event] = events
  if (event === undefined || events.length > 1)
    throw failField(
      'delivery',
      `The delivery contains ${events.length} events, and an example has one.${undecodable ? ` ${undecodable}` : ''}${ignored ? ` It was ignored: ${ignored}` : ''} Record another one.`,
    )
  const readHeaders = Object.fromEntries([...read].toSorted().map((name) => [name, headers[name]!]))
  return { delivery: read.size === 0 ? body : { headers: readHeaders, body }, event }
}

const factsFor = (needs: string[], facts: Facts): Facts => {
  const missing = needs.filter((need) => !(need in facts))
  if (missing.length > 0)
    throw failField(
      'facts',
      `The match asks for ${missing.map((need) => `"${need}"`).join(' and ')}, which the delivery does not contain. Give it with --facts '{"${missing[0]}": …}'.`,
    )
  return Object.fromEntries(needs.map((need) => [need, facts[need]]))
}

/** What the delivery starts with this config: the data, or null for nothing; and the facts that decided it. */
const matchOf = (trigger: Trigger, config: Record<string, unknown>, event: Event, allFacts: Facts) => {
  const webhook = trigger.webhook!
  const nothing = { data: null, facts: {} }
  const watched = webhook.watch(config)
  if (!event.models.some((model) => watched.some(({ kind, id }) => kind === model.kind && id === model.id)))
    return nothing
  const types = webhook.types(config)
  if (!types.includes('*') && !types.includes(event.type)) return nothing
  const facts = factsFor(webhook.needs?.(event, config) ?? [], allFacts)
  const data = webhook.match(event, config, facts)
  return { data: data === undefined ? null : (trigger.data.parse(data) as Json), facts }
}

const configOf = (trigger: Trigger, config: Record<string, unknown>): Record<string, unknown> => {
  const parsed = trigger.config.safeParse(config)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw failField('input', `The config of ${trigger.id}: ${issue!.path.join('.')} ${issue!.message}`)
}

export type DeliveryCall = {
  title: string
  /** Config of the subscription that the delivery is matched with. */
  config: Record<string, unknown>
  delivery: { headers: Record<string, string>; /** As the runtime gives it to `decode`. */ body: Json }
  /** What the match asks for and the delivery does not say. */
  facts: Facts
  account: string | null
}

/**
 * Makes an example case of a trigger from a delivery. `clean` masks secrets and replaces people, in a value of any
 * shape; it gets the delivered body first, and then sees the event that it was decoded to.
 */
export const deliveryCase = (
  integration: Integration,
  trigger: Trigger,
  { title, config, delivery: raw, facts, account }: DeliveryCall,
  learn: (event: Event) => void,
  clean: <T>(value: T) => T,
): TriggerExampleCase => {
  const source = integration.webhooks!
  const allFacts: Facts = account === null ? facts : { [ownAccountNeed]: account, ...facts }
  const real = readDelivery(source, raw.headers, raw.body)
  learn(real.event)
  const started = matchOf(trigger, configOf(trigger, config), real.event, allFacts).data !== null
  const body = clean(raw.body)
  const { delivery, event } = readDelivery(source, clean(raw.headers), body)
  const cleanConfig = clean(config)
  const match = matchOf(trigger, configOf(trigger, cleanConfig), event, clean(allFacts))
  if ((match.data !== null) !== started)
    throw fail(
      'conflict',
      `With people and secrets replaced, the delivery ${started ? 'no longer starts' : 'starts'} "${trigger.id}", so nothing was recorded. Record one whose match does not depend on a person's name.`,
    )
  return {
    title,
    config: cleanConfig,
    delivery,
    ...(Object.keys(match.facts).length > 0 ? { facts: match.facts } : {}),
    data: match.data,
  }
}
