import { failField } from '#kit'
import type { Listed, SubscriptionState } from '../../runtime/ports/index.ts'
import type { SubscriptionView } from '../../runtime/triggers/index.ts'
import type { Client } from './client.ts'
import { plain, table, wrap } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import type { Paging, TriggerVerbs } from './trigger-client.ts'

export type Listing = { limit: string; cursor?: string; json?: boolean }

const mostRows = 200

export const readPaging = ({ limit, cursor }: Listing): Paging => {
  const rows = /^\d{1,3}$/.test(limit) ? Number(limit) : 0
  if (rows < 1 || rows > mostRows) throw failField('limit', `--limit takes a number from 1 to ${mostRows}, not "${limit}".`)
  return { limit: rows, cursor }
}

/** A list as a table, or as it came; `none` is said where there is nothing. */
export const sayList = <T>(
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
  if (next !== undefined) terminal.err(`There are more: --cursor ${next}\n`)
}

/** Runs a command over a client that is closed afterwards. */
export const over = async (client: Client, work: (triggers: TriggerVerbs) => Promise<unknown>): Promise<number> => {
  try {
    await work(client.triggers)
    return 0
  } finally {
    await client.close()
  }
}

/** Date and time of this moment, to the second. */
export const shortTime = (time: string | null) => (time === null ? '' : time.slice(0, 19).replace('T', ' '))

export type SubscriptionsAsked = Listing & { integration?: string; trigger?: string; connection?: string; state?: string; externalId?: string }

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
    sayList(
      terminal,
      listed,
      json,
      ['subscription', 'trigger', 'state', 'told', 'since', 'agent'],
      row,
      `No trigger is attached. Attach one with: ${typed(terminal, 'subscribe <integration> <trigger>')}`,
    )
  })

const say = (terminal: Terminal, one: SubscriptionView, json: boolean | undefined) => {
  if (json) return terminal.out(`${JSON.stringify(one)}\n`)
  const rows: [string, string][] = [
    ['subscription', one.id],
    ['trigger', `${one.integration} ${one.trigger}`],
    ['state', `${one.state}${one.stateReason === null ? '' : `: ${one.stateReason}`}`],
    ['account', one.connection],
    ['config', JSON.stringify(one.config)],
    ['options', JSON.stringify(one.options)],
    ['told', one.delivery === 'webhook' ? 'instant, by webhook' : 'by polling'],
    ['agent', `${one.agent.url ?? 'taken by this process'}${one.agent.id === null ? '' : ` (${one.agent.id})`}`],
    ['starts from', shortTime(one.startsFrom)],
  ]
  for (const [name, text] of rows) terminal.out(`${name.padEnd(14)}${plain(text)}\n`)
  if (one.caveat) terminal.out(`${wrap(one.caveat, terminal.width, '  ')}\n`)
}

type One = { id: string; json?: boolean }

/** `toolyard subscriptions show|pause|resume <id>` */
export const oneSubscription = (client: Client, terminal: Terminal, verb: 'subscription' | 'pause' | 'resume', { id, json }: One) =>
  over(client, async (triggers) => say(terminal, await triggers[verb](id), json))

/** `toolyard subscriptions remove <id>` */
export const removeSubscription = (client: Client, terminal: Terminal, { id }: One) =>
  over(client, async (triggers) => {
    await triggers.remove(id)
    terminal.out(`Subscription ${id} is detached.\n`)
  })

const later = ({ isServed }: Client) => (isServed ? '' : ' It is sent when the server runs.')

/** `toolyard subscriptions test <id>` */
export const testSubscription = (client: Client, terminal: Terminal, { id, json }: One) =>
  over(client, async (triggers) => {
    const done = await triggers.test(id)
    const sample = done.from === 'history' ? 'the newest event that fits' : 'the example of the trigger'
    terminal.out(json ? `${JSON.stringify(done)}\n` : `Start ${done.start} is sent with ${sample}, marked as a test.${later(client)}\n`)
  })

/** `toolyard subscriptions sample <id>` */
export const sampleSubscription = (client: Client, terminal: Terminal, { id, json }: One) =>
  over(client, async (triggers) => {
    const sample = await triggers.sample(id)
    terminal.out(json ? `${JSON.stringify(sample)}\n` : `${JSON.stringify(sample.start, null, 2)}\n`)
    if (!json)
      terminal.err(sample.from === 'history' ? 'Of the newest event that fits.\n' : 'Nothing in the history fits, so this is the example of the trigger.\n')
  })

/** `toolyard subscriptions recover <id>` */
export const recoverSubscription = (client: Client, terminal: Terminal, { id, json }: One) =>
  over(client, async (triggers) => {
    const found = await triggers.recover(id)
    terminal.out(
      json
        ? `${JSON.stringify(found)}\n`
        : `New events: ${found.events}, starts: ${found.starts}, gaps: ${found.gaps}.${found.starts > 0 ? later(client) : ''}\n`,
    )
  })
