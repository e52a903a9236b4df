import type { Event } from '#kit'
import type { DescribeEvent } from '../sentences/describe.ts'
import type { Admission, Observation } from './admission.ts'
import type { ConnectionCache } from './connection-cache.ts'
import type { Cause, Causation } from './inbound/causation.ts'
import type { ObservedEvent } from './match.ts'
import type { TriggerParts } from './parts.ts'
import type { ConnectionRef } from './provider-session.ts'

type ObserveDependencies = Pick<TriggerParts, 'store'> & {
  own: Causation
  connections: ConnectionCache
  describe: DescribeEvent
}

/** Adds to an event the connection and hook it came through, its cause, and what happened in words. */
export const createObserve = ({ store, own, connections, describe }: ObserveDependencies) => {
  const observed = (
    { tenant, connection, integration, delivery }: Admission,
    event: Event,
    { causedByUs, runId }: Cause,
    depth = 0,
  ): ObservedEvent => ({
    tenant,
    connection,
    integration,
    hook: delivery?.hook ?? null,
    event: { ...event, causedByUs },
    runId,
    depth,
    summary: describe(integration, event),
  })

  /** The cause stored with the event, if any: a delivery shows more of the cause than a list does. */
  const storedCause = async ({ tenant, connection }: ConnectionRef, event: Event) => {
    const earlierEvent = await store.events.get(tenant, connection, event.id)
    return earlierEvent && earlierEvent.causedByUs !== 'unknown' ? earlierEvent : undefined
  }

  const withDepth = async (admission: Admission, event: Event, cause: Cause): Promise<ObservedEvent> =>
    observed(
      admission,
      event,
      cause,
      await own.depthOf(admission.tenant, admission.connection, cause, event.subject?.id ?? null),
    )

  const queryOf = ({ tenant, connection }: ConnectionRef, event: Event) => {
    const { accountId = null, ownIds } = connections.get(tenant, connection) ?? {}
    return { tenant, connection, event, account: accountId, ownIds, hasSiblings: connections.count(tenant) > 1 }
  }

  const observeListed = async (admission: Admission, { event, finds }: Observation): Promise<ObservedEvent> => {
    const earlierEvent = finds ? undefined : await storedCause(admission, event)
    if (earlierEvent) return observed(admission, event, earlierEvent, earlierEvent.depth)
    return withDepth(admission, event, await own.ofListed(queryOf(admission, event)))
  }

  /** Returns a promise only where one of our own runs may be the cause. */
  return (admission: Admission, observation: Observation): ObservedEvent | Promise<ObservedEvent> => {
    if (!admission.delivery) return observeListed(admission, observation)
    const { event } = observation
    const cause = own.ofDelivery(queryOf(admission, event), admission.delivery.correlation)
    if (cause instanceof Promise) return cause.then((readCause) => withDepth(admission, event, readCause))
    return cause.causedByUs === true ? withDepth(admission, event, cause) : observed(admission, event, cause)
  }
}
