import { failField } from '#kit'
import type { Listed, SubscriptionState } from '../../runtime/ports/index.ts'
import type { SubscriptionView } from '../../runtime/triggers/index.ts'
import type { Client } from './client.ts'
import { plain, table, wrap } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import type { Paging, TriggerVerbs } from './trigger-client.ts'

export type Listing = { limit: string; cursor?: string; json?: boolean }

const maxRows = 200

export const readPaging = ({ limit, cursor }: Listing): Paging => {
  const rows = /^\d{1,3}$/.test(limit) ? Number(limit) : 0
  if (rows < 1 || rows > maxRows) throw failField('limit', `--limit takes a number from 1 to ${maxRows}, not "${limit}".`)
  return { limit: rows, cursor }
}

/** Prints a list as a table or as JSON; `none` is printed for an empty list. */
export const printList = <T>(
  terminal: Terminal,
  { items, next }: Listed<T>,
  json: boolean | undefined,
  head: string[],
  row: (item: T) => string[],
  none: string,
) => {
  if (json) return terminal.out(`${JSON.stringify({ items, ...(next === undefined ? {} : { next }) })}\n`)
  if (items.length === 0) return terminal.out(`${none}\n`)
  terminal.out(`${table(head, items.map(row), terminal.width, '', { whole: true })}\n`)
  if (next !== undefined) terminal.err(`More: --cursor ${next}\n`)
}

/** Runs a command with a client and closes the client. */
export const over = async (client: Client, work: (triggers: TriggerVerbs) => Promise<unknown>): Promise<number> => {
  try {
    await work(client.triggers)
    return 0
  } finally {
    await client.close()
  }
}

/** Date and time, to the second. */
export const shortTime = (time: string | null) => (time === null ? '' : time.slice(0, 19).replace('T', ' '))

export type SubscriptionsAsked = Listing & {
  integration?: string
  trigger?: string
  connection?: string
  state?: string
  externalId?: string
  label?: string[]
}

/** `toolyard subscriptions` */
export const listSubscriptions = (client: Client, terminal: Terminal, { limit, cursor, json, state, ...filter }: SubscriptionsAsked) =>
  over(client, async (triggers) => {
    const asked = { ...filter, ...(state === undefined ? {} : { state: state as SubscriptionState }) }
    const listed = await triggers.subscriptions(readPaging({ limit, ...(cursor === undefined ? {} : { cursor }) }), asked)
    const row = (one: SubscriptionView) => [
      one.id,
      one.trigger,
      one.state,
      one.delivery === 'webhook' ? 'instant' : 'polling',
      shortTime(one.createdAt),
      one.agent.url ?? '',
    ]
    printList(
      terminal,
      listed,
      json,
      ['subscription', 'trigger', 'state', 'delivery', 'since', 'agent'],
      row,
      `No subscriptions yet. Attach a trigger with: ${typed(terminal, 'subscribe <integration> <trigger>')}`,
    )
  })

const say = (terminal: Terminal, one: SubscriptionView, json: boolean | undefined) => {
  if (json) return terminal.out(`${JSON.stringify(one)}\n`)
  const rows: [string, string][] = [
    ['subscription', one.id],
    ['trigger', `${one.integration} ${one.trigger}`],
    ['state', `${one.state}${one.stateReason === null ? '' : `: ${one.stateReason}`}`],
    ['connection', one.connection],
    ['config', JSON.stringify(one.config)],
    ['options', JSON.stringify(one.options)],
    ['delivery', one.delivery === 'webhook' ? 'instant, by webhook' : 'by polling'],
    ['agent', `${one.agent.url ?? 'handled in the server process'}${one.agent.id === null ? '' : ` (${one.agent.id})`}`],
    ['starts from', shortTime(one.startsFrom)],
  ]
  for (const [name, text] of rows) terminal.out(`${name.padEnd(14)}${plain(text)}\n`)
  if (one.caveat) terminal.out(`${wrap(one.caveat, terminal.width, '  ')}\n`)
}

type One = { id: string; json?: boolean }

/** `toolyard subscriptions show|pause|resume <id>` */
export const oneSubscription = (client: Client, terminal: Terminal, verb: 'subscription' | 'pause' | 'resume', { id, json }: One) =>
  over(client, async (triggers) => say(terminal, await triggers[verb](id), json))

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration like 12h, in ms. */
export const readMs = (text: string, option = 'overlap'): number => {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count === undefined) throw failField(option, `--${option} takes a duration like 30m, 12h or 7d, not "${text}".`)
  return Number(count) * units[unit as keyof typeof units]
}

/** `toolyard subscriptions rotate-secret <id>` */
export const rotateSecret = (client: Client, terminal: Terminal, { id, json, overlap }: One & { overlap?: string }) =>
  over(client, async (triggers) => {
    const one = await triggers.rotateSecret(id, overlap === undefined ? {} : { overlapMs: readMs(overlap) })
    if (json) return terminal.out(`${JSON.stringify(one)}\n`)
    terminal.out(`${one.agent.secret}\n`)
    const until = one.agent.previousSecretUntil
    terminal.err(
      `The new secret of ${one.id}, shown only once. ${until === undefined ? 'The previous one is no longer used.' : `Starts are signed with the previous one too until ${until}.`}\n`,
    )
  })

/** `toolyard subscriptions remove <id>` */
export const removeSubscription = (client: Client, terminal: Terminal, { id }: One) =>
  over(client, async (triggers) => {
    await triggers.remove(id)
    terminal.out(`Subscription ${id} is detached.\n`)
  })

const whenSent = ({ isServed }: Client) => (isServed ? '' : ' It is sent when a server runs.')

/** `toolyard subscriptions test <id>` */
export const testSubscription = (client: Client, terminal: Terminal, { id, json }: One) =>
  over(client, async (triggers) => {
    const done = await triggers.test(id)
    const sample = done.from === 'history' ? 'the latest matching event' : 'the example of the trigger'
    terminal.out(json ? `${JSON.stringify(done)}\n` : `Start ${done.start} is sent with ${sample}, marked as a test.${whenSent(client)}\n`)
  })

/** `toolyard subscriptions sample <id>` */
export const sampleSubscription = (client: Client, terminal: Terminal, { id, json }: One) =>
  over(client, async (triggers) => {
    const sample = await triggers.sample(id)
    terminal.out(json ? `${JSON.stringify(sample)}\n` : `${JSON.stringify(sample.start, null, 2)}\n`)
    if (!json)
      terminal.err(
        sample.from === 'history' ? 'From the latest matching event.\n' : 'No event in the history matches, so this is the example of the trigger.\n',
      )
  })

/** `toolyard subscriptions recover <id>` */
export const recoverSubscription = (client: Client, terminal: Terminal, { id, json }: One) =>
  over(client, async (triggers) => {
    const found = await triggers.recover(id)
    terminal.out(
      json
        ? `${JSON.stringify(found)}\n`
        : `New events: ${found.events}, starts: ${found.starts}, gaps: ${found.gaps}.${found.starts > 0 ? whenSent(client) : ''}\n`,
    )
  })
