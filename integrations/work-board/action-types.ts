import { actionTypes } from './event-kinds.ts'
import type { ActionType, Kind } from './event-kinds.ts'

export { actionTypes }

const findActionType = (name: string): ActionType | undefined =>
  Object.hasOwn(actionTypes, name) ? actionTypes[name] : undefined

/** The kind of an action type; an unknown type is classified by its first word. */
export const kindOf = (name: string): Kind | null => {
  const actionType = findActionType(name)
  if (actionType) return actionType.kind
  const verb = /^[a-z]+/.exec(name)?.[0] ?? ''
  if (verb === 'create' || verb === 'copy') return 'create'
  return verb === 'update' || verb === 'delete' ? verb : 'other'
}

/** Types that are delivered by webhook only, so that neither recovery nor polling finds them. */
export const webhookOnly = Object.keys(actionTypes).filter((name) => !findActionType(name)!.listed)
