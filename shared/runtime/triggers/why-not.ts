import type { Start, Store } from '../ports/index.ts'
import { matchOne, maxDepth, mayStart, wasActive } from './match.ts'
import type { MatchFacts, ObservedEvent } from './match.ts'
import { modelName } from './match-index.ts'
import type { ActiveSubscription } from './match-index.ts'
import type { DeliveryPreview } from '../../api/resources/delivery-preview.ts'

type PreviewedSubscription = DeliveryPreview['events'][number]['subscriptions'][number]

/** What an event would do with one subscription. */
export type Verdict = Pick<PreviewedSubscription, 'starts' | 'why' | 'reason' | 'fields' | 'start'>

/** What is known of the facts that a match needs, and where the others come from. */
export type FactSource = { initialFacts: MatchFacts; give: GiveFacts }

/** Fetches the facts that a match lacks, or returns why it cannot. */
export type GiveFacts = (needs: string[]) => Promise<MatchFacts | { why: string }>

const shown = 10
/** Anybody may have written the body, and names from it are repeated for every subscription. */
const maxName = 100
const short = (name: string) => (name.length > maxName ? `${name.slice(0, maxName)}…` : name)
const listed = (names: readonly string[]) =>
  names.slice(0, shown).map(short).join(', ') + (names.length > shown ? ` and ${names.length - shown} more` : '')
export const no = <Why extends string>(
  why: Why,
  reason: string,
  fields: string[] = [],
): Omit<Verdict, 'why'> & { why: Why } => ({
  starts: false,
  why,
  reason,
  fields,
  start: null,
})
export const unknown = <Why extends string>(why: Why, reason: string): Omit<Verdict, 'why'> & { why: Why } => ({
  starts: 'unknown',
  why,
  reason,
  fields: [],
  start: null,
})
export const iso = (at: number) => new Date(at).toISOString()

/** Fields of the config that contain one of these ids. */
const fieldsNaming = (config: ActiveSubscription['config'], ids: readonly string[]) =>
  Object.keys(config).filter((field) =>
    [config[field]].flat().some((value) => typeof value === 'string' && ids.includes(value)),
  )

/** Why the event is nothing that the subscription looks at; undefined when it is. */
export const whyNotConcerned = (
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

export const whyPaused = ({ state, stateAt, stateReason }: ActiveSubscription['subscription']): Verdict =>
  no('paused', `It is ${state} since ${iso(stateAt)}. ${stateReason ?? ''} Resume it.`.replace(/ {2,}/g, ' '))

export const whyNotOwn = (
  active: ActiveSubscription,
  { event, depth }: Pick<ObservedEvent, 'depth'> & { event: Pick<ObservedEvent['event'], 'causedByUs'> },
): Verdict | undefined => {
  if (mayStart(active, { causedByUs: event.causedByUs, depth })) return undefined
  return no(
    'own_event',
    event.causedByUs === true && active.subscription.options.ownEvents !== true
      ? 'One of our own runs caused the event, and the option "ownEvents" is not set.'
      : `The event comes after ${depth} starts of ours in a chain; ${maxDepth} are the maximum.`,
  )
}

const whyNotNow = (active: ActiveSubscription, observed: ObservedEvent): Verdict | undefined => {
  const { event } = observed
  const { startMark } = active.subscription
  const at = Date.parse(event.at)
  if (at < startMark)
    return no(
      'before_start',
      `The event is from ${event.at}, before "startsFrom" of the subscription (${iso(startMark)}).`,
    )
  if (!wasActive(active, at)) return whyPaused(active.subscription)
  return whyNotOwn(active, observed)
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

/** The start that the event makes by the config of the subscription, whenever it happened; otherwise why there is none. */
export const matchVerdict = async (
  active: ActiveSubscription,
  observed: ObservedEvent,
  { initialFacts, give }: FactSource,
): Promise<{ start: Start } | { verdict: Verdict }> => {
  try {
    let facts = initialFacts
    let result = matchOne(active, observed, facts, 0)
    if (Array.isArray(result)) {
      const suppliedFacts = await give(result)
      if ('why' in suppliedFacts) return { verdict: unknown('facts', suppliedFacts.why) }
      facts = suppliedFacts
      result = matchOne(active, observed, facts, 0)
    }
    if (Array.isArray(result))
      return { verdict: unknown('facts', `Whether it matches depends on ${listed(result)}, which is not known.`) }
    if (result) return { start: result }
    const fields = fieldsAgainst(active, observed, facts)
    const names = fields.map((field) => `"${field}"`).join(' and ')
    if (fields.length > 0) return { verdict: no('config', `The event does not match ${names} of its config.`, fields) }
    return { verdict: no('config', `The trigger ${active.trigger.title} does not start an agent for this event.`) }
  } catch {
    const reason = 'The match failed. This is a defect of the integration: please report it with the delivery.'
    return { verdict: unknown('defect', reason) }
  }
}

/**
 * Whether an event would start a subscription, by the rules that apply to an arriving event, and if not, why. Stores
 * nothing.
 */
export const judge = async (
  active: ActiveSubscription,
  observed: ObservedEvent,
  facts: FactSource & { store: Pick<Store, 'starts'> },
): Promise<Verdict> => {
  const early = whyNotConcerned(active, observed) ?? whyNotNow(active, observed)
  if (early) return early
  const matched = await matchVerdict(active, observed, facts)
  return 'verdict' in matched ? matched.verdict : started(facts.store, matched.start, active)
}
