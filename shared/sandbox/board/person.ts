/** Who acts through the control functions. */
import { findMember } from './access.ts'
import type { Actor, World } from './records.ts'

/** The person acting: id or user name; the first member where absent. Nothing a person does carries an app. */
export type By = { by?: string }

export const personOf = (world: World, by: string | undefined): Actor => {
  const first = world.state.members.keys().next().value as string
  return { idMember: findMember(world, first, by ?? 'me').id, app: null, clientIdentifier: null }
}
/** Without the fields that were not given. */
export const withoutUndefined = <T extends object>(changes: T): Partial<T> =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>
