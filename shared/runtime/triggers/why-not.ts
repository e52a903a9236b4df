import type { Start, Store } from '../ports/index.ts'
import { matchOne, maxDepth, mayStart, wasActive } from './match.ts'
import type { MatchFacts, ObservedEvent } from './match.ts'
import { modelName } from './match-index.ts'
import type { ActiveSubscription } from './match-index.ts'
import type { DeliveryPreview } from '../../api/resources/delivery-preview.ts'

type PreviewedSubscription = DeliveryPreview['events'][number]['subscriptions'][number]

/** What an event would do with one subscription. */
export type Verdict = Pick<PreviewedSubscription, 'starts' | 'why' | 'reason' | 'fields' | 'start'>

/** Fetches the facts that a match lacks, or returns why it cannot. */
export type GiveFacts = (needs: string[]) => Promise<MatchFacts | { why: string }>

const shown = 10
/** Anybody may have written the body, and names from it are repeated for every subscription. */
const maxName = 100
const short = (name: string) => (name.length > maxName ? `${name.slice(0, maxName)}…` : name)
const listed = (names: readonly string[]) =>
  names.slice(0, shown).map(short).join(', ') + (names.length > shown ? ` and ${names.length - shown} more` : '')
const no = (why: NonNullable<Verdict['why']>, reason: string, fields: string[] = []): Verdict => ({
  starts: false,
  why,
  reason,
  fields,
  start: null,
})
const unknown = (why: 'facts' | 'defect', reason: string): Verdict => ({
  starts: 'unknown',
  why,
  reason,
  fields: [],
  start: null,
})
const iso = (at: number) => new Date(at).toISOString()

/** Fields of the config that contain one of these ids. */
const fieldsNaming = (config: ActiveSubscription['config'], ids: readonly string[]) =>
  Object.keys(config).filter((field) =>
    [config[field]].flat().some((value) => typeof value === 'string' && ids.includes(value)),
  )

const whyNotConcerned = (
  { models, types, config, trigger }: ActiveSubscription,
  { event }: ObservedEvent,
): Verdict | undefined => {
  if (!trigger.webhook || models.length === 0)
    return no('polled', 'Its events are found by polling, so a delivery does not start it.')
  if (!types.includes('*') && !types.includes(event.type))
    return no(
      'type',
      `The event has type "${short(event.type)}". ${trigger.title} takes ${listed(types)}.`,
      fieldsNaming(config, types),
    )
  const named = event.models.map(modelName)
  if (models.some((model) => named.includes(model))) return undefined
  const ids = models.map((model) => model.slice(model.indexOf(':') + 1))
  const about = named.filter((name) => name !== ':')
  return no(
    'model',
    `It watches ${listed(models)}. The event ${about.length === 0 ? 'does not say what it is about' : `is about ${listed(about)}`}.`,
    fieldsNaming(config, ids),
  )
}

const whyNotNow = (active: ActiveSubscription, { event, depth }: ObservedEvent): Verdict | undefined => {
  const { state, stateAt, stateReason, startMark, options } = active.subscription
  const at = Date.parse(event.at)
  if (at < startMark)
    return no(
      'before_start',
      `The event is from ${event.at}, before "startsFrom" of the subscription (${iso(startMark)}).`,
    )
  if (!wasActive(active, at))
    return no('paused', `It is ${state} since ${iso(stateAt)}. ${stateReason ?? ''} Resume it.`.replace(/ {2,}/g, ' '))
  if (mayStart(active, { causedByUs: event.causedByUs, depth })) return undefined
  return no(
    'own_event',
    event.causedByUs === true && options.ownEvents !== true
      ? 'One of our own runs caused the event, and the option "ownEvents" is not set.'
      : `The event comes after ${depth} starts of ours in a chain; ${maxDepth} are the maximum.`,
  )
}

/**
 * The optional fields that prevent a match: matches without any of them, then adds one at a time and collects those
 * with which the match fails.
 */
const fieldsAgainst = (active: ActiveSubscription, observed: ObservedEvent, knownFacts: MatchFacts): string[] => {
  const isMatch = (config: Record<string, unknown>) => {
    try {
      const result = matchOne({ ...active, config }, observed, knownFacts, 0)
      return result !== undefined && !Array.isArray(result)
    } catch {
      return false
    }
  }
  const isOptional = (field: string) => active.trigger.config.shape[field]?.safeParse(undefined).success === true
  const optional = Object.keys(active.config).filter((field) => active.config[field] !== undefined && isOptional(field))
  let config = active.trigger.config.safeParse(
    Object.fromEntries(Object.entries(active.config).filter(([field]) => !optional.includes(field))),
  ).data
  if (config === undefined || !isMatch(config)) return []
  return optional.filter((field) => {
    const more = { ...config, [field]: active.config[field] }
    if (!isMatch(more)) return true
    config = more
    return false
  })
}

const started = async (
  store: Pick<Store, 'starts'>,
  { tenant, id }: Pick<Start, 'tenant' | 'id'>,
  { subscription }: ActiveSubscription,
): Promise<Verdict> => {
  const there = await store.starts.get(tenant, id)
  if (there)
    return { ...no('started', `This event has already started its agent. The start is ${there.state}.`), start: id }
  const waits =
    subscription.state === 'paused' || subscription.state === 'paused_agent'
      ? 'The start waits until the subscription is resumed.'
      : null
  return { starts: true, why: null, reason: waits, fields: [], start: id }
}

/**
 * Whether an event would start a subscription, by the rules that apply to an arriving event, and if not, why. Stores
 * nothing.
 */
export const judge = async (
  active: ActiveSubscription,
  observed: ObservedEvent,
  { store, known: knownFacts, give }: { store: Pick<Store, 'starts'>; known: MatchFacts; give: GiveFacts },
): Promise<Verdict> => {
  const early = whyNotConcerned(active, observed) ?? whyNotNow(active, observed)
  if (early) return early
  try {
    let facts = knownFacts
    let result = matchOne(active, observed, facts, 0)
    if (Array.isArray(result)) {
      const suppliedFacts = await give(result)
      if ('why' in suppliedFacts) return unknown('facts', suppliedFacts.why)
      facts = suppliedFacts
      result = matchOne(active, observed, facts, 0)
    }
    if (Array.isArray(result))
      return unknown('facts', `Whether it matches depends on ${listed(result)}, which is not known.`)
    if (result) return await started(store, result, active)
    const fields = fieldsAgainst(active, observed, facts)
    const names = fields.map((field) => `"${field}"`).join(' and ')
    if (fields.length > 0) return no('config', `The event does not match ${names} of its config.`, fields)
    return no('config', `The trigger ${active.trigger.title} does not start an agent for this event.`)
  } catch {
    return unknown(
      'defect',
      'The match failed. This is a defect of the integration: please report it with the delivery.',
    )
  }
}
