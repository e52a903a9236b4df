import { fail, ownAccountNeed, ownIdsNeed } from '#kit'
import type { Event, WebhookSource } from '#kit'
import type { ConnectionCache } from '../connection-cache.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import { readEvent } from '../stored-events.ts'

type Providers = Pick<TriggerParts, 'registry' | 'store'> & { connections: ConnectionCache; sessions: ProviderSessions }

/** How many earlier events of a subject are searched for what the provider no longer returns. */
const lookBack = 100

export type FetchFact = ReturnType<typeof createFetchFact>

/** Fetches a fact that a match needs and the event does not contain. */
export const createFetchFact = ({ registry, store, connections, sessions }: Providers) => {
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!

  const accountId = async ({ tenant, connection }: ConnectionRef): Promise<string> => {
    const knownId =
      connections.get(tenant, connection)?.accountId ?? (await connections.refresh(tenant, connection))?.accountId
    if (knownId) return knownId
    throw fail('not_connected', 'It is not known yet whose account this is: test the connection.')
  }

  /** Stored events of the same subject, newest first: the source for what the provider no longer returns. */
  const earlierEvents = async (ref: ConnectionRef, event: Event): Promise<Event[]> => {
    if (event.subject === undefined) return []
    const { items } = await store.events.list(
      ref.tenant,
      { limit: lookBack },
      { connection: ref.connection, subject: event.subject.id },
    )
    return items.flatMap((row) => (row.id === event.id ? [] : (readEvent(sourceOf(ref.integration), row) ?? [])))
  }

  /** `limited`: within the policy of the connection, when a caller asks for it. */
  return async (ref: ConnectionRef, event: Event, need: string, limited?: 'limited'): Promise<unknown> => {
    if (need === ownAccountNeed) return accountId(ref)
    if (need === ownIdsNeed) return (await connections.refresh(ref.tenant, ref.connection))?.ownIds ?? []
    const source = sourceOf(ref.integration)
    if (!source.facts)
      throw fail('internal', `"${ref.integration}" has a trigger that needs "${need}", and nothing that fetches it.`)
    return (
      await sessions.use(
        ref,
        'read',
        (ctx) => source.facts!(ctx, event, need, () => earlierEvents(ref, event)),
        limited,
      )
    ).value
  }
}
