import { failField } from '#kit'
import type { StartState } from '../../runtime/ports/index.ts'
import type { EventView, GapView, HookView, StartView } from '../../runtime/triggers/index.ts'
import type { Client } from './client.ts'
import { plain } from './table.ts'
import { over, readPaging, printList, shortTime } from './subscriptions.ts'
import type { Listing } from './subscriptions.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import type { EventAsked } from './trigger-client.ts'

const json = (terminal: Terminal, value: unknown) => terminal.out(`${JSON.stringify(value)}\n`)
const pagingOf = ({ limit, cursor }: Listing) => readPaging({ limit, ...(cursor === undefined ? {} : { cursor }) })

/** `toolyard hooks` */
export const listHooks = (client: Client, terminal: Terminal, asked: Listing) =>
  over(client, async (triggers) => {
    const row = (one: HookView) => [one.model, one.state, String(one.failures), shortTime(one.lastDeliveryAt), one.stateReason ?? one.callbackUrl]
    printList(
      terminal,
      await triggers.hooks(pagingOf(asked)),
      asked.json,
      ['watches', 'state', 'failures', 'last delivery', 'address or reason'],
      row,
      'No webhooks are registered.',
    )
  })

/** `toolyard hooks prune` */
export const pruneHooks = (client: Client, terminal: Terminal, asked: { json?: boolean }) =>
  over(client, async (triggers) => {
    const done = await triggers.prune()
    if (asked.json) json(terminal, done)
    else
      terminal.out(
        `Webhooks removed: ${done.hooks}. Subscriptions paused: ${done.subscriptions}; to register again: ${typed(terminal, 'subscriptions resume <id>')}\n`,
      )
  })

/** `toolyard gaps` */
export const listGaps = (client: Client, terminal: Terminal, { limit, cursor, json: asJson, ...filter }: Listing & { externalId?: string; label?: string[] }) =>
  over(client, async (triggers) => {
    const row = (one: GapView) => [one.model, shortTime(one.from), shortTime(one.to), one.kind, one.reason]
    const listed = await triggers.gaps(pagingOf({ limit, ...(cursor === undefined ? {} : { cursor }) }), filter)
    printList(terminal, listed, asJson, ['watched', 'from', 'to', 'kind', 'reason'], row, 'There are no gaps.')
  })

export type EventsAsked = Listing & EventAsked

const causes = { true: 'our run', false: '', unknown: 'maybe us' }
const causeOf = ({ causedByUs }: EventView) => causes[String(causedByUs) as keyof typeof causes]

/** `toolyard events` */
export const listEvents = (client: Client, terminal: Terminal, { limit, cursor, json: asJson, ...filter }: EventsAsked) =>
  over(client, async (triggers) => {
    const row = (one: EventView) => [one.id, one.type, shortTime(one.at), one.via, causeOf(one), one.subject ?? one.container ?? '']
    const listed = await triggers.events(pagingOf({ limit, ...(cursor === undefined ? {} : { cursor }) }), filter)
    printList(terminal, listed, asJson, ['event', 'type', 'at', 'via', 'caused by', 'subject or container'], row, 'No events yet.')
  })

type One = { id: string; connection?: string; json?: boolean }

/** `toolyard events show <id>` */
export const showEvent = (client: Client, terminal: Terminal, { id, connection, json: asJson }: One) =>
  over(client, async (triggers) => {
    const event = await triggers.event(id, connection)
    terminal.out(`${JSON.stringify(event, null, asJson ? 0 : 2)}\n`)
  })

/** `toolyard events replay <id>` */
export const replayEvent = (client: Client, terminal: Terminal, { id, connection, json: asJson }: One) =>
  over(client, async (triggers) => {
    const done = await triggers.replayEvent(id, connection)
    if (asJson) json(terminal, done)
    else terminal.out(`Starts sent again: ${done.replayed}. New starts: ${done.started}.${client.isServed ? '' : ' They are sent when a server runs.'}\n`)
  })

export type StartsAsked = Listing & { state?: string; subscription?: string; event?: string; connection?: string; externalId?: string; label?: string[] }

const responseOf = ({ answer, state, dueAt }: StartView) => {
  if (!answer) return state === 'pending' ? `due ${shortTime(dueAt)}` : ''
  const response = answer.status === null ? (answer.message ?? 'no response') : `${answer.status}${answer.message ? ` ${answer.message}` : ''}`
  return `${response} after ${Math.round(answer.durationMs)} ms${dueAt === null ? '' : `; next attempt ${shortTime(dueAt)}`}`
}

/** `toolyard starts` */
export const listStarts = (client: Client, terminal: Terminal, { limit, cursor, json: asJson, state, ...filter }: StartsAsked) =>
  over(client, async (triggers) => {
    const row = (one: StartView) => [one.id, one.trigger, `${one.state}${one.test ? ' (test)' : ''}`, String(one.attempts), shortTime(one.at), responseOf(one)]
    const asked = { ...filter, ...(state === undefined ? {} : { state: state as StartState }) }
    const listed = await triggers.starts(pagingOf({ limit, ...(cursor === undefined ? {} : { cursor }) }), asked)
    printList(terminal, listed, asJson, ['start', 'trigger', 'state', 'attempts', 'event at', "agent's response"], row, 'No agent starts yet.')
  })

/** `toolyard starts show <id>` */
export const showStart = (client: Client, terminal: Terminal, { id, json: asJson }: One) =>
  over(client, async (triggers) => terminal.out(`${JSON.stringify(await triggers.start(id), null, asJson ? 0 : 2)}\n`))

export type ReplayAsked = { id: string | undefined; subscription?: string; state?: string; force?: boolean; json?: boolean }

/** `toolyard starts replay [id]`: one, or all dead ones of a subscription. */
export const replayStarts = (client: Client, terminal: Terminal, { id, subscription, state = 'dead', force = false, json: asJson }: ReplayAsked) =>
  over(client, async (triggers) => {
    if ((id === undefined) === (subscription === undefined))
      throw failField('start', 'Give the id of a start, or --subscription <id> for all of a subscription.')
    if (state !== 'dead' && state !== 'missed') throw failField('state', `"${state}" starts cannot be replayed together. --state takes dead or missed.`)
    if (subscription !== undefined && force) throw failField('force', '--force is for a single start.')
    const later = client.isServed ? '' : ' Sent when a server runs.'
    if (id === undefined) {
      const done = await triggers.replayStarts({ subscription: subscription!, state })
      return asJson ? json(terminal, done) : terminal.out(`Starts sent again: ${done.replayed}.${done.replayed > 0 ? later : ''}\n`)
    }
    const start = await triggers.replayStart(id, { force })
    return asJson ? json(terminal, start) : terminal.out(`Start ${plain(start.id)} is sent again${force ? ' with a new key' : ' with the same key'}.${later}\n`)
  })
