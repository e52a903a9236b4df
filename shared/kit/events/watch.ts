import type { Event, Model } from '../event.ts'
import type { Within } from '../trigger.ts'
import { accountModel } from './read.ts'

/** Ids of the containers that a config names; none: every container of the account. */
export const containersOf = (within: Within | undefined, config: Record<string, unknown>): string[] => {
  const value = within && config[within.field]
  if (typeof value === 'string' && value !== '') return [value]
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []
}

/** The name or id of the stored list whose rows a config watches. */
export const watchedList = (within: Within | undefined, config: Record<string, unknown>): string | undefined => {
  const value = within?.list && config[within.list.field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** What a subscription watches: its containers, or the whole account. Those of a stored list are read from it. */
export const modelsToWatch = (within: Within | undefined, config: Record<string, unknown>): Model[] => {
  if (watchedList(within, config) !== undefined) return []
  const models = containersOf(within, config).map((id) => ({ kind: within!.kind, id }))
  return models.length > 0 ? models : [accountModel]
}

/** Whether an event is of a kind and in a container that a trigger watches. Called for every event: it calls nothing. */
export const isFor = (
  { on, within }: { on: string[]; within?: Within | undefined },
  { type, container }: Pick<Event, 'type' | 'container'>,
  config: Record<string, unknown>,
): boolean => {
  if (!on.includes(type) && !on.includes('*')) return false
  const value = within && config[within.field]
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return true
  if (container === undefined || container.kind !== within!.kind) return false
  return Array.isArray(value) ? value.includes(container.id) : value === container.id
}
