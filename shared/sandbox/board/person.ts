/** The person who acts through the control functions. */
import { findMember } from './access.ts'
import type { Actor, World } from './records.ts'

/**
 * Id or user name of the acting person; the first member by default. A person's actions are not attributed to an app.
 */
export type By = { by?: string }

export const personOf = (world: World, by: string | undefined): Actor => {
  const first = world.state.members.keys().next().value as string
  return { idMember: findMember(world, first, by ?? 'me').id, app: null, clientIdentifier: null }
}
/** The changes without undefined fields. */
export const withoutUndefined = <T extends object>(changes: T): Partial<T> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>
