import { fail, failField } from '#kit'
import type { DeliveryHeaders, Event, Model, WebhookSource } from '#kit'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import type { Caller, Connection } from '../../ports/index.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import type { ObservedEvent } from '../match.ts'
import { readModel } from '../match-index.ts'
import type { ActiveSubscription, MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import { mayUse } from '../../people/act-for.ts'
import type { DescribeEvent } from '../../sentences/describe.ts'
import type { Wording } from '../../sentences/worded.ts'
import { judge } from '../why-not.ts'
import { readJson } from './body.ts'
import type { FetchFact } from './fetch-fact.ts'
import { maxReads, previewFacts } from './preview-facts.ts'
import { maxDeliveryBytes } from './verification.ts'
import type { DeliveryPreview } from '../../../api/resources/delivery-preview.ts'

export type { DeliveryPreview }

type PreviewedEvent = DeliveryPreview['events'][number]

type PreviewDependencies = Pick<TriggerParts, 'registry' | 'openConnections' | 'store' | 'own'> & {
  index: Pick<MatchIndex, 'ofConnection'>
  connections: Pick<ConnectionCache, 'get'>
  fetchFact: FetchFact
  describe: DescribeEvent
  wording: Wording
}

/**
 * A delivery as somebody has copied it. `body`: its JSON, as text or parsed; `model`: what the hook watches
 * (`kind:id`), where the delivery does not say.
 */
export type AskedDelivery = {
  integration: string
  connection?: string | undefined
  body: string | Record<string, unknown>
  headers?: Record<string, string> | undefined
  model?: string | undefined
}
const maxEvents = 20
const maxSubscriptions = 200

const readBody = (body: AskedDelivery['body']): unknown => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  if (bytes.byteLength > maxDeliveryBytes)
    throw failField('/body', `The delivery is larger than ${maxDeliveryBytes} bytes, which is the maximum.`)
  const read = readJson(bytes)
  if ('why' in read)
    throw failField('/body', `${read.why} Paste the whole body of a delivery, as the provider sent it.`)
  return read.value
}

const readModelField = (model: string | undefined): Model => {
  if (model === undefined) return { kind: '', id: '' }
  if (!/^[^:]+:.+$/s.test(model))
    throw failField('/model', 'The model is what the hook watches, as <kind>:<id>; GET /v1/hooks shows it.')
  return readModel(model)
}

const lowerCase = (headers: Record<string, string>): DeliveryHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const decode = (source: WebhookSource, delivery: AskedDelivery) => {
  const headers = lowerCase(delivery.headers ?? {})
  const decoded = source.decode(
    { body: readBody(delivery.body), headers, model: readModelField(delivery.model) },
    'webhook',
  )
  if (decoded.events.length > 0 || decoded.ignored !== undefined) return { ...decoded, headers }
  throw failField('/body', `No event can be read from it. ${decoded.undecodable ?? 'It contains no event.'}`)
}

const viewPreviewed = (
  { event }: ObservedEvent,
  summary: PreviewedEvent['summary'],
  isStored: boolean,
  subscriptions: PreviewedEvent['subscriptions'][number][],
): PreviewedEvent => ({
  id: event.id,
  type: event.type,
  at: event.at,
  causedByUs: event.causedByUs,
  summary,
  known: isStored,
  subject: event.subject ?? null,
  container: event.container ?? null,
  before: event.before ?? null,
  after: event.after ?? null,
  subscriptions,
})

/** Reports what a delivery would do, without storing or starting anything. */
export const createPreview = ({
  registry,
  openConnections,
  store,
  own,
  index,
  connections,
  fetchFact,
  describe,
  wording,
}: PreviewDependencies) => {
  const connectionOf = async (
    caller: Caller,
    loaded: LoadedIntegration,
    connectionId: string | undefined,
  ): Promise<Connection> => {
    const row = connectionId === undefined ? undefined : await store.connections.get(caller.tenant, connectionId)
    // The row is used without opening it, so a connection that must be reconnected can be previewed too.
    if (row?.integration === loaded.integration.id && mayUse(caller, row)) return row
    return (await openConnections.open(caller, loaded, connectionId)).connection
  }

  const observe = async (
    { tenant, id: connection, integration }: Connection,
    event: Event,
    correlation: string | undefined,
  ) => {
    const stored = await store.events.get(tenant, connection, event.id)
    const ours = own.correlationIdOf('')
    const { accountId: account = null, ownIds } = connections.get(tenant, connection) ?? {}
    const read = async () => {
      if (correlation?.startsWith(ours))
        return { causedByUs: true as const, runId: correlation.slice(ours.length) || null }
      // The id is not passed: `ofDelivery` learns our app from events with our ids, and here anybody can write one.
      return correlation
        ? { causedByUs: false as const, runId: null }
        : own.ofDelivery({ tenant, connection, event, account, ownIds }, undefined)
    }
    const cause = stored ?? (await read())
    const depth = stored?.depth ?? (await own.depthOf(tenant, connection, cause, event.subject?.id ?? null))
    const observedEvent: ObservedEvent = {
      tenant,
      integration,
      connection,
      hook: null,
      event: { ...event, causedByUs: cause.causedByUs },
      runId: cause.runId,
      depth,
      summary: describe(integration, event),
    }
    return { one: observedEvent, isStored: stored !== undefined }
  }

  const judgeAll = async (
    caller: Caller,
    actives: ActiveSubscription[],
    one: ObservedEvent,
    reads: { left: number },
  ): Promise<PreviewedEvent['subscriptions']> => {
    const facts = previewFacts({ store, connections, fetchFact }, caller, one, reads)
    const found: PreviewedEvent['subscriptions'] = []
    for (const active of actives) {
      const { id, trigger, agent } = active.subscription
      found.push({ subscription: id, trigger, agent: agent.id ?? null, ...(await judge(active, one, facts)) })
    }
    return found
  }

  return async (caller: Caller, delivery: AskedDelivery): Promise<DeliveryPreview> => {
    const loaded = registry.integration(delivery.integration)
    const source = loaded.integration.webhooks
    if (!source)
      throw failField(
        '/integration',
        `${loaded.integration.title} sends no deliveries: none of its triggers uses webhooks.`,
      )
    const connection = await connectionOf(caller, loaded, delivery.connection)
    const { events, ignored, undecodable, headers } = decode(source, delivery)
    const foreign = events.find(
      ({ account }) => account !== undefined && account !== connections.get(caller.tenant, connection.id)?.accountId,
    )
    if (foreign)
      throw fail(
        'conflict',
        `The delivery is for the account "${foreign.account}", but this connection is for another one. Choose the connection of that account.`,
      )
    const mark = registry.forConnection(connection).wire.writeMark
    const actives = index.ofConnection(caller.tenant, connection.id)
    const reads = { left: maxReads }
    const previewed: PreviewedEvent[] = []
    for (const event of events.slice(0, maxEvents)) {
      const { one: observedEvent, isStored } = await observe(
        connection,
        event,
        mark && headers[mark.header.toLowerCase()],
      )
      const [words] = await wording.rows(caller.tenant, [{ ...observedEvent, subject: null, container: null }])
      previewed.push(
        viewPreviewed(
          observedEvent,
          words!.summary,
          isStored,
          await judgeAll(caller, actives.slice(0, maxSubscriptions), observedEvent, reads),
        ),
      )
    }
    return {
      connection: connection.id,
      events: previewed,
      ignored: ignored ?? null,
      undecodable: undecodable ?? null,
      more: events.length > maxEvents || actives.length > maxSubscriptions,
    }
  }
}
