import { failField, failures } from '#kit'
import { subscriptionState } from '../../../api/resources/subscription.ts'
import type { Item } from '../operations.ts'
import { choice, command, flag, paging, text, texts } from '../declare.ts'
import type { Context } from '../declare.ts'
import { readMs } from '../input.ts'
import { personColumn, personFilter } from '../person-options.ts'
import { plain, printPairs, shortTime, wrap } from '../table.ts'
import { triggerNotes } from '../trigger-notes.ts'
import { subscribeCommand } from './subscribe.ts'

type Subscription = Item<'subscriptions.listSubscriptions'>

/** Filters by the external id and the labels that the platform has set. */
export const ownerOptions = {
  externalId: text('<id>', 'only with this external id'),
  label: texts('-l <name:value>', 'only with this label; repeat to narrow further'),
}
export const filterOptions = { ...ownerOptions, connection: text('-c <id>', 'only of this connection'), ...paging() }

const show = ({ say, terminal }: Context, subscription: Subscription) =>
  say(subscription, () => {
    const { agent, state, stateReason } = subscription
    printPairs(terminal, 14, {
      subscription: subscription.id,
      trigger: `${subscription.integration} ${subscription.trigger}`,
      state: `${state}${stateReason === null ? '' : `: ${stateReason}`}`,
      connection: subscription.connection,
      ...(subscription.person === null ? {} : { person: subscription.person }),
      config: JSON.stringify(subscription.config),
      options: JSON.stringify(subscription.options),
      delivery: subscription.delivery === 'webhook' ? 'instant, by webhook' : 'by polling',
      agent: `${agent.url ?? 'handled in the server process'}${agent.id === null ? '' : ` (${agent.id})`}`,
      'starts from': shortTime(subscription.startsFrom),
    })
    for (const note of triggerNotes(subscription)) terminal.out(`${wrap(note, terminal.width, '  ')}\n`)
  })

const lastAnswerOf = ({ status, at }: NonNullable<Item<'subscriptions.listAgents'>['lastAnswer']>) =>
  `${status ?? 'none'}, ${shortTime(at)}`

const signedWith = {
  subscription: 'the secret of the subscription',
  given: 'the given secret',
  made: 'a secret made for this test',
}

export const subscriptionCommands = [
  subscribeCommand,
  command(
    {
      usage: 'subscriptions',
      about: 'list subscriptions: triggers attached to agents',
      options: {
        integration: text('-i <id>', 'only of this integration'),
        trigger: text('<id>', 'only of this trigger'),
        state: choice('<state>', 'only in this state', subscriptionState.options),
        person: personFilter,
        ...filterOptions,
      },
    },
    async ({ call, list, typed }, filter) => {
      const page = await call('subscriptions.listSubscriptions', filter)
      const personOf = personColumn(page.items)
      list(
        page,
        `No subscriptions yet. Attach a trigger with: ${typed('subscribe <integration> <trigger>')}`,
        (subscription) => ({
          subscription: subscription.id,
          trigger: subscription.trigger,
          state: subscription.state,
          delivery: subscription.delivery === 'webhook' ? 'instant' : 'polling',
          since: shortTime(subscription.createdAt),
          ...personOf(subscription),
          agent: subscription.agent.url ?? '',
        }),
      )
    },
  ),
  command(
    {
      usage: 'subscriptions show <id>',
      about: 'show one with its config and state',
    },
    async (context, { id }) => show(context, await context.call('subscriptions.getSubscription', { id })),
  ),
  command(
    {
      usage: 'subscriptions pause <id>',
      about: 'start no agents until it is resumed',
    },
    async (context, { id }) => show(context, await context.call('subscriptions.pauseSubscription', { id })),
  ),
  command(
    {
      usage: 'subscriptions resume <id>',
      about: 'continue from now on; after its agent failed, with everything that waited',
    },
    async (context, { id }) => show(context, await context.call('subscriptions.resumeSubscription', { id })),
  ),
  command(
    {
      usage: 'subscriptions rotate-secret <id>',
      about: 'replace the secret that signs its starts; the new one is shown once',
      options: {
        overlap: text('<time>', 'how long starts are signed with the previous secret too, like 12h; default: 1d'),
      },
    },
    async ({ call, say, note }, { id, overlap }) => {
      const subscription = await call('subscriptions.rotateSubscriptionSecret', {
        id,
        overlapMs: readMs('overlap', overlap),
      })
      const { secret, previousSecretUntil: until } = subscription.agent
      say(subscription, secret!)
      const previous =
        until === undefined
          ? 'The previous one is no longer used.'
          : `Starts are signed with the previous one too until ${until}.`
      note(`The new secret of ${subscription.id}, shown only once. ${previous}`)
    },
  ),
  command(
    {
      usage: 'subscriptions remove <id>',
      about: 'detach it; safe to repeat',
    },
    async ({ call, terminal }, { id }) => {
      await call('subscriptions.removeSubscription', { id })
      terminal.out(`Subscription ${id} is detached.\n`)
    },
  ),
  command(
    {
      usage: 'subscriptions test <id>',
      about: 'start the agent once with a sample, marked as a test',
    },
    async ({ call, say, ifNoServer }, { id }) => {
      const done = await call('subscriptions.testSubscription', { id })
      const sample = done.from === 'history' ? 'the latest matching event' : 'the example of the trigger'
      say(
        done,
        `Start ${done.start} is sent with ${sample}, marked as a test.${await ifNoServer(' It is sent when a server runs.')}`,
      )
    },
  ),
  command(
    {
      usage: 'subscriptions sample <id>',
      about: 'show what the agent would receive',
    },
    async ({ call, say, note }, { id }) => {
      const sample = await call('subscriptions.sampleSubscription', { id })
      say(sample, JSON.stringify(sample.start, null, 2))
      note(
        sample.from === 'history'
          ? 'From the latest matching event.'
          : 'No event in the history matches, so this is the example of the trigger.',
      )
    },
  ),
  command(
    {
      usage: 'subscriptions recover <id>',
      about: 'check the provider now for missed events',
    },
    async ({ call, say, ifNoServer }, { id }) => {
      const { events, starts, gaps } = await call('subscriptions.recoverSubscription', { id })
      const later = starts > 0 ? await ifNoServer(' It is sent when a server runs.') : ''
      say({ events, starts, gaps }, `New events: ${events}, starts: ${starts}, gaps: ${gaps}.${later}`)
    },
  ),
  command(
    {
      usage: 'agents',
      about: 'list the agents that subscriptions start, and whether they take their starts',
      options: {
        agent: text('<name>', 'only this agent: your id for it, otherwise its address'),
        integration: text('-i <id>', 'only of this integration'),
        person: personFilter,
        ...filterOptions,
      },
    },
    async ({ call, list, typed }, filter) =>
      list(
        await call('subscriptions.listAgents', filter),
        `No agent is started yet. Attach a trigger to one with: ${typed('subscribe <integration> <trigger>')}`,
        (agent) => ({
          agent: agent.id ?? agent.url ?? 'handled in the server process',
          state: agent.since === null ? agent.state : `${agent.state} since ${shortTime(agent.since)}`,
          triggers: [...new Set(agent.subscriptions.map(({ trigger }) => trigger))].join(', '),
          'last answer': agent.lastAnswer === null ? '' : lastAnswerOf(agent.lastAnswer),
          'what to do': agent.reason ?? '',
        }),
      ),
  ),
  command(
    {
      usage: 'agents test [url]',
      about:
        'call an address once, signed, without an event and marked as a test, to see whether an agent takes starts there',
      arguments: { url: 'the address, before a trigger is attached' },
      options: {
        subscription: text('-s <id>', 'instead: the address of this subscription, with its secret'),
        secretStdin: flag(
          'read the secret that signs the call from standard input; otherwise one is made that the agent does not know',
        ),
      },
    },
    async ({ call, say, terminal }, { url, subscription, secretStdin }) => {
      if (url === undefined && subscription === undefined)
        throw failField('url', 'Give the address of the agent, or --subscription <id>.')
      const secret = secretStdin ? (await terminal.readStdin()).trim() : undefined
      const tested = await call('subscriptions.testAgent', { url, subscription, secret })
      const { status, message, remedy } = tested
      const answer =
        status === null
          ? (message ?? 'There was no answer.')
          : `The agent answered ${status} in ${tested.durationMs} ms.`
      const advice = remedy === null ? '' : `\n${plain(remedy)}`
      say(tested, `${plain(answer)} The call was signed with ${signedWith[tested.signedWith]}.${advice}`)
      if (tested.ok) return 0
      return failures[status === null ? 'unreachable' : 'rejected'].exit
    },
  ),
]
