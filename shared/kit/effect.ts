import type { Effect, Method } from './request.ts'

export const effectOfMethod: Record<Method, Effect> = {
  GET: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
}

/** How careful a request must be: a read is repeated freely, a create never once it may have been carried out. */
const care: Record<Effect, number> = { read: 0, update: 1, delete: 2, create: 2 }

/** Whether a request with this effect would be repeated, or let through, where one with the other effect would not. */
export const isLowerEffect = (effect: Effect, than: Effect): boolean => care[effect] < care[than]

/** What a request or an endpoint is declared to do, where its method does not say it. */
export type DeclaredEffect = { effect?: Effect | undefined; effectSource?: string | undefined }

/**
 * Whether a declaration is to be believed: an effect lower than that of the method, such as a POST that only reads,
 * must name the documentation that says so.
 */
export const isBelievable = (method: string, { effect, effectSource }: DeclaredEffect): boolean =>
  effect === undefined ||
  effectSource !== undefined ||
  !isLowerEffect(effect, effectOfMethod[method as Method] ?? 'update')
