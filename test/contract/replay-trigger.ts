import { expect } from 'vitest'
import type {
  ExchangeReply,
  Json,
  ProviderRequest,
  Trigger,
  TriggerExampleCase,
  TriggerExampleFile,
  WatchContext,
} from '#kit'
import { deliveredBody } from './delivered.ts'
import type { Subject } from './structure.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Json

/** What a delivery starts, through decoding and match, as the runtime asks; null when nothing. */
const replayDelivery = (
  { integration }: Subject,
  trigger: Trigger,
  { config, delivery, facts = {} }: TriggerExampleCase,
): Json => {
  const { webhook } = trigger
  const { events, undecodable } = integration.webhooks!.decode(deliveredBody(delivery), 'webhook')
  expect([events.length, undecodable]).toEqual([1, undefined])
  const event = events[0]!
  const parsed = trigger.config.parse(config)
  if (!webhook) throw new Error(`${trigger.id} has a delivery as an example but no webhook`)
  const watched = webhook.watch(parsed)
  if (!event.models.some((model) => watched.some(({ kind, id }) => kind === model.kind && id === model.id))) return null
  const types = webhook.types(parsed)
  if (!types.includes('*') && !types.includes(event.type)) return null
  const needs = webhook.needs?.(event, parsed) ?? []
  expect(
    Object.keys(facts).filter((name) => !needs.includes(name)),
    'facts that the match does not ask for',
  ).toEqual([])
  expect(
    needs.filter((need) => !(need in facts)),
    'facts that the match asks for',
  ).toEqual([])
  const frozen = JSON.stringify(event)
  const data = webhook.match(event, parsed, facts)
  expect(JSON.stringify(event), 'a match changes nothing').toBe(frozen)
  return data === undefined ? null : plain(trigger.data.parse(data))
}

/** What a scan finds, and the cursor it leaves. */
const replayScan = async (trigger: Trigger, { config, scan }: TriggerExampleCase) => {
  const { poll } = trigger
  if (!poll || !scan) throw new Error(`${trigger.id} has a scan as an example but no poll`)
  const sent: ProviderRequest[] = []
  const exchange = (request: ProviderRequest): Promise<ExchangeReply> => {
    sent.push(request)
    const next = scan.exchanges[sent.length - 1]
    if (!next) return Promise.reject(new Error('no such exchange in the example'))
    return Promise.resolve(
      structuredClone({ status: next.status ?? 200, headers: next.headers ?? {}, body: next.reply }),
    )
  }
  const ctx: WatchContext = {
    exchange,
    send: async (request) => (await exchange(request)).body,
    signal: new AbortController().signal,
    now: () => Date.parse(scan.now),
  }
  const parsed = trigger.config.parse(config)
  const resources = poll.resources(parsed)
  expect(resources, 'an example scans one thing').toHaveLength(1)
  const { items, cursor } = await poll.fetch(ctx, resources[0]!, scan.cursor)
  expect(sent).toEqual(scan.exchanges.map(({ request }) => request))
  const time = {
    since: Date.parse(scan.since),
    scanned: scan.scanned === undefined ? undefined : Date.parse(scan.scanned),
    now: Date.parse(scan.now),
  }
  const polledEvents = poll.pick(items, parsed, time)
  for (const polledEvent of polledEvents)
    expect(trigger.data.safeParse(polledEvent.data).success, JSON.stringify(polledEvent.data)).toBe(true)
  expect(new Set(polledEvents.map(({ key }) => key)).size, 'each find has a key of its own').toBe(polledEvents.length)
  return { found: plain(polledEvents), cursor }
}

/** Runs one example of a trigger and compares what it starts or finds. */
export const replayTrigger = async (subject: Subject, file: TriggerExampleFile, exampleCase: TriggerExampleCase) => {
  const trigger = subject.integration.triggers!.find(({ id }) => id === file.trigger)!
  if (exampleCase.scan)
    expect(await replayScan(trigger, exampleCase)).toEqual({
      found: exampleCase.found,
      ...(exampleCase.nextCursor === undefined ? {} : { cursor: exampleCase.nextCursor }),
    })
  else expect(replayDelivery(subject, trigger, exampleCase)).toEqual(exampleCase.data)
}
