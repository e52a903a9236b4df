import { failField } from '#kit'
import { startState } from '../../../api/resources/start.ts'
import { shippedAliases } from '../../../pack.ts'
import type { Item } from '../operations.ts'
import { asJson, choice, command, flag, paging, text } from '../declare.ts'
import { personFilter } from '../person-options.ts'
import { plain, sentenceCell, shortTime } from '../table.ts'
import { filterOptions, ownerOptions } from './subscriptions.ts'

const aliasOptions = (names: readonly string[], where: string) =>
  Object.fromEntries(names.map((name) => [name, text('<id>', `only ${where} this ${name}`)]))
const eventConnection = { connection: text('-c <id>', 'the connection, if several received the event') }

const causes = { true: 'our run', false: '', unknown: 'maybe us' }
const causeOf = (causedByUs: boolean | 'unknown') => causes[String(causedByUs) as keyof typeof causes]

const responseOf = ({ answer, state, dueAt }: Item<'events.listStarts'>) => {
  if (!answer) return state === 'pending' ? `due ${shortTime(dueAt)}` : ''
  const response =
    answer.status === null
      ? (answer.message ?? 'no response')
      : `${answer.status}${answer.message ? ` ${answer.message}` : ''}`
  return `${response} after ${Math.round(answer.durationMs)} ms${dueAt === null ? '' : `; next attempt ${shortTime(dueAt)}`}`
}

export const eventCommands = [
  command(
    {
      usage: 'events',
      about: 'list received events, newest first',
      options: {
        type: text('<type>', 'only of this type, as the provider names it'),
        subject: text('<id>', 'only about this thing'),
        container: text('<id>', 'only about things in this container'),
        trigger: text('<id>', 'only those that started this trigger'),
        agent: text('<name>', 'only those that started this agent'),
        ...filterOptions,
        json: asJson,
        ...aliasOptions(shippedAliases.subject, 'about'),
        ...aliasOptions(shippedAliases.container, 'in'),
      },
    },
    async ({ call, list }, filter) =>
      list(await call('events.listEvents', filter), 'No events yet.', (event) => ({
        'what happened': sentenceCell(event.summary, event.type),
        event: event.id,
        type: event.type,
        at: shortTime(event.at),
        via: event.via,
        'caused by': causeOf(event.causedByUs),
      })),
  ),
  command(
    {
      usage: 'events show <id>',
      about: 'show one with its payload and its starts',
      options: eventConnection,
    },
    async ({ call, show }, event) => show(await call('events.getEvent', event)),
  ),
  command(
    {
      usage: 'events replay <id>',
      about: 'send its starts again, and create those that are missing',
      options: eventConnection,
    },
    async ({ call, say, ifNoServer }, event) => {
      const { replayed, started } = await call('events.replayEvent', event)
      say(
        { replayed, started },
        `Starts sent again: ${replayed}. New starts: ${started}.${await ifNoServer(' They are sent when a server runs.')}`,
      )
    },
  ),
  command(
    {
      usage: 'starts',
      about: 'list agent starts, newest first; --state dead lists those that failed for good',
      options: {
        state: choice('<state>', 'only in this state', startState.options),
        subscription: text('-s <id>', 'only of this subscription'),
        event: text('<id>', 'only of this event'),
        trigger: text('<id>', 'only of this trigger'),
        agent: text('<name>', 'only of this agent'),
        person: personFilter,
        ...filterOptions,
      },
    },
    async ({ call, list }, filter) =>
      list(await call('events.listStarts', filter), 'No agent starts yet.', (start) => ({
        'what happened': sentenceCell(start.summary, start.trigger),
        start: start.id,
        trigger: start.trigger,
        state: `${start.state}${start.test ? ' (test)' : ''}`,
        attempts: String(start.attempts),
        'event at': shortTime(start.at),
        "agent's response": responseOf(start),
      })),
  ),
  command(
    {
      usage: 'starts show <id>',
      about: 'show one with its payload',
    },
    async ({ call, show }, { id }) => show(await call('events.getStart', { id })),
  ),
  command(
    {
      usage: 'starts replay [id]',
      about: 'send a finished start again, or all dead starts with --subscription',
      options: {
        subscription: text('-s <id>', 'all dead starts of this subscription'),
        state: text('<state>', 'with --subscription: dead or missed; default dead'),
        force: flag('with a new key, so that the agent treats it as new'),
      },
    },
    async ({ call, say, ifNoServer }, { id, subscription, state = 'dead', force = false }) => {
      if ((id === undefined) === (subscription === undefined))
        throw failField('start', 'Give the id of a start, or --subscription <id> for all of a subscription.')
      if (state !== 'dead' && state !== 'missed')
        throw failField('state', `"${state}" starts cannot be replayed together. --state takes dead or missed.`)
      if (subscription !== undefined && force) throw failField('force', '--force is for a single start.')
      const later = ' Sent when a server runs.'
      if (id === undefined) {
        const { replayed } = await call('events.replayStarts', { subscription: subscription!, state })
        return say({ replayed }, `Starts sent again: ${replayed}.${replayed > 0 ? await ifNoServer(later) : ''}`)
      }
      const start = await call('events.replayStart', { id, force })
      say(
        start,
        `Start ${plain(start.id)} is sent again${force ? ' with a new key' : ' with the same key'}.${await ifNoServer(later)}`,
      )
    },
  ),
  command(
    {
      usage: 'hooks',
      about: 'list our webhooks at the providers',
      options: paging(),
    },
    async ({ call, list }, page) =>
      list(await call('events.listHooks', page), 'No webhooks are registered.', (hook) => ({
        watches: hook.model,
        state: hook.state,
        failures: String(hook.failures),
        'last delivery': shortTime(hook.lastDeliveryAt),
        'address or reason': hook.stateReason ?? hook.callbackUrl,
      })),
  ),
  command(
    {
      usage: 'hooks prune',
      about: 'before uninstalling: remove all our webhooks at the providers and pause the subscriptions that need them',
    },
    async ({ call, say, typed }) => {
      const done = await call('events.pruneHooks')
      const again = typed('subscriptions resume <id>')
      say(
        done,
        `Webhooks removed: ${done.hooks}. Subscriptions paused: ${done.subscriptions}; to register again: ${again}`,
      )
    },
  ),
  command(
    {
      usage: 'gaps',
      about: 'list times for which events cannot be recovered',
      options: { ...ownerOptions, ...paging() },
    },
    async ({ call, list }, filter) =>
      list(await call('events.listGaps', filter), 'There are no gaps.', (gap) => ({
        watched: gap.model,
        from: shortTime(gap.from),
        to: shortTime(gap.to),
        kind: gap.kind,
        reason: gap.reason,
      })),
  ),
]
