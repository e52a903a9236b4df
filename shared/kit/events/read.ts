import type { Event, Model } from '../event.ts'
import { issueText } from '../issue-text.ts'
import type { Issue } from '../issue-text.ts'
import type { Json } from '../json.ts'
import type { Decoded, DeliveredBody } from '../webhook.ts'
import { cleanJson } from './clean.ts'
import type { EventKind, EventsDefinition, EventWith, Fact, FactSource, Recognised } from './definition.ts'

/** Every event concerns the account: triggers without containers watch it. */
export const accountModel: Model = { kind: 'account', id: '' }

const isSame = (a: Model, b: Model) => a.kind === b.kind && a.id === b.id

/** The model it was reported for, its container and the account, each once. */
const modelsOf = (model: Model, { container }: Fact): Model[] => {
  const models = model.id === '' || isSame(model, accountModel) ? [] : [model]
  if (container && !models.some((other) => isSame(other, container)))
    models.push({ kind: container.kind, id: container.id })
  return [...models, accountModel]
}

const subjectOf = ({ subject }: Fact): Model[] => (subject ? [{ kind: subject.kind, id: subject.id }] : [])

const timeOf = (at: string | number, id: string): string => {
  const time = new Date(at)
  if (Number.isNaN(time.getTime())) throw new Error(`The time of the event "${id}" is no date.`)
  return time.toISOString()
}

const eventOf = <Own>(type: string, fact: Fact & Own, { model, via }: FactSource): EventWith<Own> => {
  const defined = Object.fromEntries(Object.entries(fact).filter(([, value]) => value !== undefined)) as Fact & Own
  if (typeof defined.id !== 'string' || defined.id === '') throw new Error('The event has no id.')
  return {
    ...defined,
    type,
    at: timeOf(defined.at, defined.id),
    actor: defined.actor,
    model,
    models: modelsOf(model, defined),
    objects: defined.objects ?? subjectOf(defined),
    via,
    causedByUs: 'unknown',
    raw: defined.raw ?? cleanJson({ ...defined, type }),
  } as unknown as EventWith<Own>
}

/** The kind of this name, or the one for all others. */
export const kindOf = <Own>({ kinds, otherKind }: EventsDefinition<Own>, type: string): EventKind<Own> | undefined =>
  Object.hasOwn(kinds, type) ? kinds[type] : otherKind

/** Undefined when it is nothing of this kind. @throws what `read` throws, or an error that says what the fact lacks */
export const readEvent = <Own>(
  events: EventsDefinition<Own>,
  type: string,
  item: unknown,
  source: FactSource,
): EventWith<Own> | undefined => {
  const kind = kindOf(events, type)
  const fact = kind && (kind.read ?? events.read)?.(item, source)
  return fact && eventOf(type, fact, source)
}

/** Why a record cannot be read. The text names fields and no values. */
export const whyUnreadable = (thrown: unknown, what: string): string => {
  const issue = (thrown as { issues?: (Issue & { path: PropertyKey[] })[] } | null)?.issues?.[0]
  if (issue) return `${what} cannot be read: ${issue.path.map(String).join('.') || 'it'} ${issueText(issue)}`
  return `${what} cannot be read: ${thrown instanceof Error ? thrown.message : 'no reason is given'}`
}

const decodeOne = <Own>(
  events: EventsDefinition<Own>,
  { type, item }: Recognised,
  source: FactSource,
): { event?: Event | undefined; undecodable?: string } => {
  if (typeof type !== 'string') return { undecodable: 'The delivery does not say of which kind it is.' }
  try {
    return { event: readEvent(events, type, item, source) }
  } catch (thrown) {
    return { undecodable: whyUnreadable(thrown, `The delivery of "${type}"`) }
  }
}

const recognise = <Own>({ recognise: read }: EventsDefinition<Own>, delivery: DeliveredBody): Recognised[] => {
  const recognised = read?.(delivery) ?? []
  return Array.isArray(recognised) ? recognised : [recognised]
}

/** Decodes one delivery: all events that can be read, and why one cannot. Never throws. */
export const decodeDelivery = <Own>(
  events: EventsDefinition<Own>,
  delivery: DeliveredBody,
  via: Event['via'],
): Decoded => {
  const decoded: Decoded = { events: [] }
  try {
    for (const part of recognise(events, delivery)) {
      const { event, undecodable } = decodeOne(events, part, { model: delivery.model, via, delivery })
      if (event) decoded.events.push(event)
      if (undecodable !== undefined) decoded.undecodable ??= undecodable
    }
  } catch (thrown) {
    decoded.undecodable = whyUnreadable(thrown, 'The delivery')
  }
  if (decoded.events.length === 0 && decoded.undecodable === undefined)
    decoded.ignored = 'It reports nothing that a trigger wants.'
  return decoded
}

const storedFact = <Own>(raw: Json, source: FactSource): EventWith<Own> => {
  const { type, ...fact } = raw as { type: string } & Fact & Own
  if (typeof type !== 'string') throw new Error('It has no type.')
  return eventOf(type, fact as unknown as Fact & Own, source)
}

/** Decodes what was stored of an event. Never throws. */
export const decodeStored = <Own>(
  events: EventsDefinition<Own>,
  raw: Json,
  model: Model,
  via: Event['via'],
): Decoded => {
  try {
    const recognised: Recognised | undefined = events.recogniseStored?.(raw)
    const event = recognised
      ? readEvent(events, String(recognised.type), recognised.item, { model, via })
      : storedFact<Own>(raw, { model, via })
    return event ? { events: [event] } : { events: [], undecodable: 'What was stored of this event is of no kind.' }
  } catch (thrown) {
    return { events: [], undecodable: whyUnreadable(thrown, 'What was stored of this event') }
  }
}
