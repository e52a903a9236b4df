import type { Event, Facts, Json, Listing, Trigger, WebhookSource } from '#kit'
import type { BoardEvent } from '../../integrations/work-board/event.ts'
import { integrations } from '../../integrations/index.ts'

const boardIntegration = integrations.find(({ id }) => id === 'work-board')
if (!boardIntegration?.webhooks || !boardIntegration.triggers) throw new Error('work-board has no triggers')
export const triggers: Trigger[] = boardIntegration.triggers
/** With everything that a source may leave out, and a history, as a board has them. */
export const webhooks = boardIntegration.webhooks as Required<Omit<WebhookSource, 'history'>> & {
  history(
    ...historyArguments: Parameters<WebhookSource['history']>
  ): Promise<Omit<Listing, 'events'> & { events: BoardEvent[] }>
}
export const noneEarlier = () => Promise.resolve([])

export const triggerOf = (id: string): Trigger => {
  const trigger = triggers.find((candidate) => candidate.id === id)
  if (!trigger) throw new Error(`no trigger ${id}`)
  return trigger
}

/** A delivery as it would be decoded on its way in. */
export const decoded = (delivery: unknown, via: Event['via'] = 'webhook') =>
  webhooks.decode({ body: delivery, headers: {}, model: { kind: 'board', id: '' } }, via)

/** The one event of a delivery. */
export const eventOf = (delivery: unknown, via: Event['via'] = 'webhook'): BoardEvent => {
  const { events, undecodable } = decoded(delivery, via)
  if (events.length !== 1 || undecodable !== undefined)
    throw new Error(`not one event: ${undecodable ?? events.length}`)
  return events[0] as BoardEvent
}

/**
 * What a trigger makes of an event, asked as the runtime asks: by what it watches and which types it wants, then by its
 * match.
 */
export const start = (
  trigger: Trigger,
  config: Record<string, unknown>,
  event: Event,
  facts: Facts = {},
): Json | undefined => {
  const { webhook } = trigger
  if (!webhook) return undefined
  const parsed = trigger.config.parse(config)
  const watched = webhook
    .watch(parsed)
    .some(({ kind, id }) => event.models.some((model) => model.kind === kind && model.id === id))
  const types = webhook.types(parsed)
  if (!watched || (!types.includes('*') && !types.includes(event.type))) return undefined
  const data = webhook.match(event, parsed, facts)
  return data === undefined ? undefined : (JSON.parse(JSON.stringify(trigger.data.parse(data))) as Json)
}

/** What a trigger needs fetched for an event. */
export const needsOf = (trigger: Trigger, config: Record<string, unknown>, event: Event) =>
  trigger.webhook?.needs?.(event, trigger.config.parse(config)) ?? []

/** What is read of a checklist: nothing is left open in it. */
export const wholeChecklist = { completed: { isComplete: true, items: 1 } }

/** Ids of the triggers that an event starts when all watch the same things without any filter. */
export const startedBy = (event: Event, watching: { boards: string[]; idOrganization?: string }): string[] => {
  const { idOrganization } = watching
  const configFor = (id: string) => {
    if (id === 'new-board') return idOrganization === undefined ? {} : { idOrganization }
    if (id === 'new-notification') return {}
    return { boards: watching.boards, ...(id === 'mentioned-in-a-comment' ? { member: 'tamsinreed' } : {}) }
  }
  return triggers
    .filter((trigger) => start(trigger, configFor(trigger.id), event, wholeChecklist) !== undefined)
    .map(({ id }) => id)
}

type Shape = Set<string>
const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** Every place in a JSON value with the type of what is there; lists by what their items have. */
export const shapeOf = (value: unknown, at = '', shape: Shape = new Set()): Shape => {
  shape.add(`${at} ${kindOf(value)}`)
  if (Array.isArray(value)) for (const item of value) shapeOf(item, `${at}[]`, shape)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) shapeOf(inner, `${at}.${name}`, shape)
  return shape
}
