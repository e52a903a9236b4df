import type { Start, StoredEvent } from '../runtime/ports/index.ts'
import type { TriggerTracing } from '../runtime/triggers/tracing.ts'
import { eventOf, idsOfEvent } from './event-ids.ts'
import type { Sampler } from './sampler.ts'
import { formatTraceparent } from './traceparent.ts'
import type { Span, SpanOptions, Tracer } from './tracer.ts'

const attributesOf = ({ tenant, integration, connection }: Pick<Start, 'tenant' | 'integration' | 'connection'>) => ({
  'toolyard.tenant': tenant,
  'toolyard.integration': integration,
  'toolyard.connection': connection,
})

/** A notification to the platform waits among the starts, and belongs to no integration. */
const nameOf = ({ integration }: Start) => (integration === '' ? 'toolyard.notification' : 'toolyard.start')

/** Other events of an admission have traces of their own; what started nothing needs none. */
const traceOthers = (
  { begin, decide }: Tracer,
  span: Span,
  events: readonly StoredEvent[],
  isNew: Set<string>,
  startedEvents: Set<string>,
): void => {
  for (const event of events) {
    const { traceId, spanId } = idsOfEvent(event)
    if (!isNew.has(event.id)) continue
    if (traceId === span.trace.id) span.id = spanId
    else if (startedEvents.has(event.id)) {
      const ofEvent = begin('toolyard.event', {
        parent: 'later',
        id: spanId,
        attributes: { ...attributesOf(event), 'toolyard.via': event.via },
        links: [span.context()],
      })
      decide(ofEvent.trace, traceId)
      ofEvent.end()
    }
  }
}

const optionsOf = (start: Start, sample: Sampler): SpanOptions => {
  const ids = idsOfEvent(eventOf(start))
  // A test has an event that never arrived.
  const isOfEvent = start.integration !== '' && !start.test
  const attributes = {
    ...attributesOf(start),
    'toolyard.subscription': start.subscription,
    'toolyard.trigger': start.trigger,
    'toolyard.start_id': start.id,
    'toolyard.attempt': start.attempts,
  }
  return { kind: 'consumer', attributes, parent: isOfEvent ? { ...ids, isSampled: sample(ids.traceId) } : 'new' }
}

/**
 * The spans of triggers. A delivery is in the trace of its first event, whose ids follow from the key of the event. The
 * span of the commit that stored the event has the id that the spans of its starts name as their parent.
 */
export const traceTriggers = (tracer: Tracer, sample: Sampler): TriggerTracing => {
  const { inSpan, active, decide } = tracer
  return {
    verify: (verify) => (delivery) =>
      inSpan('toolyard.verify', {}, async (span) => {
        const verified = await verify(delivery)
        if (!('status' in verified)) span.set(attributesOf(verified.hook))
        else if (verified.status === 401) span.fail('bad_signature')
        else span.set({ 'http.response.status_code': verified.status })
        return verified
      }),

    admit: (admit) => async (admission) => {
      const [first] = admission.observations
      const ids = first && idsOfEvent({ ...admission, id: first.event.id })
      const delivered = admission.delivery && active()
      if (ids && delivered) decide(delivered.trace, ids.traceId)
      const attributes = { ...attributesOf(admission), 'toolyard.events': admission.observations.length }
      if (!ids) return admit(admission)
      if (delivered) return inSpan('toolyard.admit', { attributes }, () => admit(admission))
      return inSpan('toolyard.admit', { attributes, parent: 'later' }, (span) => {
        decide(span.trace, ids.traceId)
        return admit(admission)
      })
    },

    commit: (ingest) => (arrival) => {
      const { events = [], starts = [] } = arrival
      // A poll that finds nothing only moves its cursor, every minute.
      if (events.length === 0 && starts.length === 0) return ingest(arrival)
      return inSpan('toolyard.commit', {}, async (span) => {
        const arrived = await ingest(arrival)
        const isNewStart = new Set(arrived.starts)
        const startedEvents = new Set(starts.flatMap(({ id, event }) => (isNewStart.has(id) ? [event] : [])))
        span.set({ 'toolyard.new_events': arrived.events.length, 'toolyard.new_starts': arrived.starts.length })
        traceOthers(tracer, span, events, new Set(arrived.events), startedEvents)
        return arrived
      })
    },

    attempt: (attempt) => (start) =>
      inSpan(nameOf(start), optionsOf(start, sample), async (span) => {
        const attempted = await attempt(start)
        span.set({ 'toolyard.state': attempted.end.state })
        if (attempted.end.state === 'dead') span.error('dead')
        return attempted
      }),

    deliver: (deliver) => (outbound) =>
      inSpan('toolyard.agent_call', { kind: 'client', attributes: { 'http.request.method': 'POST' } }, async (span) => {
        const traceparent = formatTraceparent(span.context()!)
        const delivered = await deliver({ ...outbound, headers: { ...outbound.headers, traceparent } })
        span.set({ 'http.response.status_code': delivered.status })
        if (delivered.status >= 400) span.error(String(delivered.status))
        return delivered
      }),
  }
}
