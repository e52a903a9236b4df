import type { Event } from '#kit'
import type { Admission, Observation } from './admission.ts'
import type { ConnectionCache } from './connection-cache.ts'
import type { Cause, Causation } from './inbound/causation.ts'
import type { ObservedEvent } from './match.ts'
import type { TriggerParts } from './parts.ts'
import type { ConnectionRef } from './provider-session.ts'

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
})

/** Adds to an event the connection and hook it came through, and its cause. */
export const createObserve = ({
  store,
  own,
  connections,
}: Pick<TriggerParts, 'store'> & { own: Causation; connections: ConnectionCache }) => {
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

  const observeListed = async (admission: Admission, { event, finds }: Observation): Promise<ObservedEvent> => {
    const { tenant, connection } = admission
    const earlierEvent = finds ? undefined : await storedCause(admission, event)
    if (earlierEvent) return observed(admission, event, earlierEvent, earlierEvent.depth)
    const account = connections.get(tenant, connection)?.accountId ?? null
    return withDepth(
      admission,
      event,
      await own.ofListed({ tenant, connection, event, account, hasSiblings: connections.count(tenant) > 1 }),
    )
  }

  /** Returns a promise only where one of our own runs may be the cause. */
  return (admission: Admission, observation: Observation): ObservedEvent | Promise<ObservedEvent> => {
    if (!admission.delivery) return observeListed(admission, observation)
    const { tenant, connection, delivery } = admission
    const { event } = observation
    const of = (cause: Cause) =>
      cause.causedByUs === true ? withDepth(admission, event, cause) : observed(admission, event, cause)
    const cause = own.ofDelivery(
      {
        tenant,
        connection,
        event,
        account: connections.get(tenant, connection)?.accountId ?? null,
        hasSiblings: connections.count(tenant) > 1,
      },
      delivery.correlation,
    )
    return cause instanceof Promise ? cause.then(of) : of(cause)
  }
}
