import { fail, failField } from '#kit'
import type { Event, Facts, Integration, Json, TriggerExampleCase } from '#kit'
import { readDelivered } from '../pack.ts'
import type { Exchanged, Pack } from '../pack-types.ts'
import type { Caller } from '../runtime/ports/index.ts'
import { deliveryCase } from './delivery-case.ts'
import type { RawDelivery } from './delivery-case.ts'
import type { createRecentDeliveries } from './recent-deliveries.ts'
import { deliverySecretNames, hideInAddresses, hideSecrets, requireNoSecret } from './secrets.ts'
import type { StandIns } from './stand-ins.ts'
import { mapTexts } from './texts.ts'

export type RecordDelivery = {
  integration: string
  trigger: string
  connection?: string | undefined
  title: string
  /** Config of a subscription. */
  config: Record<string, unknown>
  /** What the match asks for and the delivery does not say. */
  facts?: Facts | undefined
  /** A delivery that somebody pasted; default: that of `event`, else the last one that arrived. */
  delivery?: RawDelivery | undefined
  /** Id of a stored event. */
  event?: string | undefined
}

type Parts = {
  deliveries: ReturnType<typeof createRecentDeliveries>
  standIns: StandIns
  observe<T>(work: () => Promise<T>): Promise<{ result: T; exchanges: Exchanged[] }>
}

const sameEvent = ({ webhooks }: Integration, { headers, body }: RawDelivery, event: string): boolean => {
  try {
    const delivered = { body: JSON.parse(body) as unknown, headers, model: { kind: 'unknown', id: '' } }
    return webhooks!.decode(delivered, 'webhook').events.some(({ id }) => id === event)
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return false
    throw thrown
  }
}

/** The delivery to make an example of: the pasted one, that of an event, or the last one that arrived. */
const findDelivery = async (
  pack: Pack,
  caller: Caller,
  received: RawDelivery[],
  integration: Integration,
  { delivery, event }: RecordDelivery,
): Promise<RawDelivery> => {
  if (delivery) return delivery
  if (event === undefined) {
    if (received[0]) return received[0]
    throw fail(
      'not_found',
      'No delivery has arrived since this server began. Make something happen at the provider, or give a delivery with --delivery <file>.',
    )
  }
  const arrived = received.find((candidate) => sameEvent(integration, candidate, event))
  if (arrived) return arrived
  const { raw } = await pack.events.get(caller, event)
  const storedDelivery = { headers: {}, body: JSON.stringify(raw) }
  if (raw !== null && sameEvent(integration, storedDelivery, event)) return storedDelivery
  throw failField(
    'event',
    `What is stored of the event "${event}" is not its whole delivery. Give the delivery with --delivery <file>, or make it happen again while "toolyard dev" runs.`,
    'not_found',
  )
}

/** The body by its content type, as the runtime gives it to `decode`. */
const bodyOf = async ({ wire }: Integration, { headers, body }: RawDelivery): Promise<Json> => {
  const type = headers['content-type'] ?? 'application/json'
  const read = (await readDelivered(type, Buffer.from(body), wire.deliveries)) ?? {
    why: `Its content type is "${type}", which the profile does not list in \`deliveries\`.`,
  }
  if ('value' in read) return read.value as Json
  throw failField('delivery', `${read.why} Give the whole body of a delivery, with its headers if it is not JSON.`)
}

/** Makes examples of triggers from deliveries. */
export const createRecordDelivery =
  ({ deliveries, standIns, observe }: Parts) =>
  async (pack: Pack, caller: Caller, call: RecordDelivery): Promise<TriggerExampleCase> => {
    const { integration } = pack.registry.integration(call.integration)
    const trigger = integration.triggers?.find(({ id }) => id === call.trigger)
    if (!trigger) throw fail('not_found', `"${call.integration}" has no trigger "${call.trigger}".`)
    if (!integration.webhooks || !trigger.webhook)
      throw fail(
        'invalid_input',
        `"${trigger.id}" takes no deliveries: it is polled. Write its example by hand, with a "scan" of the provider's replies; docs/authors.md shows one.`,
      )
    const raw = await findDelivery(pack, caller, deliveries.of(integration.id), integration, call)
    const delivery = { headers: raw.headers, body: await bodyOf(integration, raw) }
    const accounts = await pack.connections.list(caller, { integration: integration.id })
    const account = accounts.find(({ id, name }) => call.connection === id || call.connection === name) ?? accounts[0]
    const hide = hideSecrets([...integration.wire.reserved, ...deliverySecretNames])
    const hideAddress = hideInAddresses(delivery)
    const example = deliveryCase(
      integration,
      trigger,
      { ...call, delivery, facts: call.facts ?? {}, account: account?.account?.id ?? null },
      ({ actor }: Event) => standIns.learn({ actor }),
      <T>(value: T): T => {
        standIns.learn(value)
        return mapTexts(hide(value), (text) => standIns.replace(hideAddress(text))) as T
      },
    )
    // A test of the connection is free, and tells which secrets the example may not hold.
    const tested = account && (await observe(() => pack.connections.test(caller, account.id)))
    requireNoSecret(example, tested?.exchanges.map(({ holdsSecret }) => holdsSecret) ?? [])
    return example
  }
