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
import { requireNone, requireSame } from './messages.ts'
import type { Subject } from './structure.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Json

/** What a delivery starts, through decoding and match, as the runtime asks; null when nothing. */
const replayDelivery = (
  where: string,
  { integration }: Subject,
  trigger: Trigger,
  { config, delivery, facts = {} }: TriggerExampleCase,
): Json => {
  const { webhook } = trigger
  const { events, undecodable } = integration.webhooks!.decode(deliveredBody(delivery), 'webhook')
  if (events.length !== 1 || undecodable !== undefined)
    throw new Error(
      `${where}: the delivery is decoded to ${events.length} events${undecodable === undefined ? '' : `, because: ${undecodable}`}. An example has one: correct \`decode\` or the delivery.`,
    )
  const event = events[0]!
  const parsed = trigger.config.parse(config)
  if (!webhook) throw new Error(`${where}: a polled trigger takes no deliveries. Write a scan, or give it a webhook.`)
  const watched = webhook.watch(parsed)
  if (!event.models.some((model) => watched.some(({ kind, id }) => kind === model.kind && id === model.id))) return null
  const types = webhook.types(parsed)
  if (!types.includes('*') && !types.includes(event.type)) return null
  const needs = webhook.needs?.(event, parsed) ?? []
  requireNone([
    ...Object.keys(facts)
      .filter((name) => !needs.includes(name))
      .map((name) => `${where}: the match does not ask for the fact "${name}". Remove it, or name it in \`needs\`.`),
    ...needs
      .filter((need) => !(need in facts))
      .map((need) => `${where}: the match asks for the fact "${need}". Give it in \`facts\`.`),
  ])
  const frozen = JSON.stringify(event)
  const data = webhook.match(event, parsed, facts)
  if (JSON.stringify(event) !== frozen)
    throw new Error(`${where}: \`match\` changes the event, which other triggers match too. Copy what you change.`)
  return data === undefined ? null : plain(trigger.data.parse(data))
}

/** The example of a poll, which nothing records. */
const byHand = 'if the code is right, put its values into the example'

/** What a scan finds, and the cursor it leaves. */
const replayScan = async (where: string, trigger: Trigger, { config, scan }: TriggerExampleCase) => {
  const { poll } = trigger
  if (!poll || !scan) throw new Error(`${where}: the trigger has no \`poll\`. Write a delivery, or give it one.`)
  const sent: ProviderRequest[] = []
  const exchange = ({ effect: _, effectSource: __, ...request }: ProviderRequest): Promise<ExchangeReply> => {
    sent.push(request)
    const next = scan.exchanges[sent.length - 1]
    if (!next)
      return Promise.reject(
        new Error(
          `${where}: the poll sends request ${sent.length}, and the example has ${scan.exchanges.length}. Add it.`,
        ),
      )
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
  if (resources.length !== 1)
    throw new Error(
      `${where}: the config polls ${resources.length} resources, and a scan is of one. Use another config.`,
    )
  const { items, cursor } = await poll.fetch(ctx, resources[0]!, scan.cursor)
  const said = scan.exchanges.map(({ request }) => request)
  requireSame(where, 'what was sent', { requests: plain(sent) }, { requests: said }, byHand)
  const time = {
    since: Date.parse(scan.since),
    scanned: scan.scanned === undefined ? undefined : Date.parse(scan.scanned),
    now: Date.parse(scan.now),
  }
  const polledEvents = poll.pick(items, parsed, time)
  requireNone(
    polledEvents.flatMap(({ key, data }) => {
      const [issue] = trigger.data.safeParse(data).error?.issues ?? []
      return issue
        ? [
            `${where}: the find "${key}" has other data than \`data\` says: ${issue.path.join('.')} ${issue.message}. Correct \`pick\` or the schema.`,
          ]
        : []
    }),
  )
  if (new Set(polledEvents.map(({ key }) => key)).size < polledEvents.length)
    throw new Error(`${where}: two finds have the same key, so one of them would start nothing. Make \`key\` unique.`)
  return { found: plain(polledEvents), cursor }
}

/** Runs one example of a trigger and compares what it starts or finds. */
export const replayTrigger = async (subject: Subject, file: TriggerExampleFile, exampleCase: TriggerExampleCase) => {
  const trigger = subject.integration.triggers!.find(({ id }) => id === file.trigger)!
  const where = `${subject.integration.id}: examples/${file.trigger}.json, "${exampleCase.title}"`
  if (!exampleCase.scan) {
    const data = replayDelivery(where, subject, trigger, exampleCase)
    requireSame(where, 'what it starts', { data }, { data: exampleCase.data })
    return
  }
  const { found, cursor } = await replayScan(where, trigger, exampleCase)
  requireSame(where, 'what it finds', { found }, { found: exampleCase.found }, byHand)
  if (exampleCase.nextCursor !== undefined)
    requireSame(where, 'the cursor', { nextCursor: cursor }, { nextCursor: exampleCase.nextCursor }, byHand)
}
