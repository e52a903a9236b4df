import { Option } from 'commander'
import type { Command } from 'commander'
import { startState } from '../../api/resources/start.ts'
import { subscriptionState } from '../../api/resources/subscription.ts'
import { shippedAliases } from '../../pack.ts'
import { testAgent } from './agents.ts'
import type { AgentTestAsked } from './agents.ts'
import type { Client } from './client.ts'
import { listEvents, listGaps, listHooks, listStarts, pruneHooks, replayEvent, replayStarts, showEvent, showStart } from './inbox.ts'
import { subscribe } from './subscribe.ts'
import type { SubscribeOptions } from './subscribe.ts'
import {
  listSubscriptions,
  oneSubscription,
  recoverSubscription,
  removeSubscription,
  rotateSecret,
  sampleSubscription,
  testSubscription,
} from './subscriptions.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { upgrade } from './upgrade.ts'

type Line = {
  program: Command
  terminal: Terminal
  finish(code: number): void
  client(): Promise<Client>
}

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const
const ofLimit = ['-n, --limit <n>', 'maximum number of rows, 1 to 200', '20'] as const
const ofCursor = ['--cursor <cursor>', 'continue after the previous page'] as const
const ofConnection = ['-c, --connection <id>', 'only of this connection'] as const
const ofPlatform = ['--external-id <id>', 'only with this external id'] as const
const collect = (value: string, before: string[]) => [...before, value]
const ofLabel = ['-l, --label <name:value>', 'only with this label; repeat to narrow further', collect, [] as string[]] as const

const subscribeExamples = (terminal: Terminal) => `
Examples:
  ${typed(terminal, 'subscribe <integration> <trigger> -f <field>=<value> --watch')}
  ${typed(terminal, 'subscribe <integration> <trigger> -f <field>=<value> --agent https://agents.example/start')}
The fields of its config: ${typed(terminal, 'describe <integration> <trigger>')}`

const addSubscribe = ({ program, terminal, finish, client }: Line) => {
  program
    .command('subscribe')
    .description('attach a trigger to an agent, or watch it fire here; needs a running server')
    .argument('<integration>')
    .argument('<trigger>')
    .argument('[config]', 'JSON object, @file.json, or - for standard input')
    .option('--input <json>', 'the same as the argument')
    .option('-f, --field <name=value>', 'one field of the config; repeat for more fields and for list entries', collect, [])
    .option('-c, --connection <name>', 'id or name of the connection; required if there are several and no default')
    .option('-a, --agent <url>', 'address that receives starts, by signed POST')
    .option('--agent-id <id>', 'your own id for the agent; included in every start')
    .option('-w, --watch', 'act as the agent: print each start as it arrives, and detach at Ctrl-C')
    .option('--port <port>', 'with --watch: port on 127.0.0.1 that receives starts; default: any free port')
    .option('--count <n>', 'with --watch: exit after this many starts')
    .addOption(new Option('--delivery <how>', 'how events are delivered; default: webhook where possible').choices(['webhook', 'poll']))
    .option('--start-from <when>', 'also start for earlier events: since a time (RFC 3339), or "recent:25"')
    .option('--settle <seconds>', 'quiet period: start once for several changes of the same subject, after this long without another')
    .option('--serial', 'starts for the same subject wait for each other')
    .option('--own-events', 'also start for events that our own runs caused; at most 3 starts in a chain')
    .option('--external-id <id>', "the platform's id for the subscription")
    .option('--label <name:value>', 'a label of your own; repeat for more', collect, [])
    .option('--idempotency-key <key>', 'makes a repeat safe: the same key returns the subscription created before')
    .option(...asJson)
    .addHelpText('after', subscribeExamples(terminal))
    .action(async (integration: string, trigger: string, config: string | undefined, options: SubscribeOptions) =>
      finish(await subscribe(await client(), terminal, { ...options, integration, trigger, argument: config })),
    )
}

const addSubscriptions = ({ program, terminal, finish, client }: Line) => {
  const all = program
    .command('subscriptions')
    .description('list subscriptions: triggers attached to agents')
    .option('-i, --integration <id>', 'only of this integration')
    .option('--trigger <id>', 'only of this trigger')
    .addOption(new Option('--state <state>', 'only in this state').choices(subscriptionState.options))
    .option(...ofPlatform)
    .option(...ofLabel)
    .option(...ofConnection)
    .option(...ofLimit)
    .option(...ofCursor)
    .option(...asJson)
    .action(async (options) => finish(await listSubscriptions(await client(), terminal, options)))
  const add = (name: string, what: string, work: (client: Client, asked: { id: string; json?: boolean }) => Promise<number>) =>
    all
      .command(name)
      .description(what)
      .argument('<id>')
      .option(...asJson)
      .action(async (id: string, _options, command: Command) => finish(await work(await client(), { ...command.optsWithGlobals(), id })))
  add('show', 'show one with its config and state', (to, asked) => oneSubscription(to, terminal, 'subscription', asked))
  add('pause', 'start no agents until it is resumed', (to, asked) => oneSubscription(to, terminal, 'pause', asked))
  add('resume', 'continue from now on; after its agent failed, with everything that waited', (to, asked) => oneSubscription(to, terminal, 'resume', asked))
  all
    .command('rotate-secret')
    .description('replace the secret that signs its starts; the new one is shown once')
    .argument('<id>')
    .option('--overlap <time>', 'how long starts are signed with the previous secret too, like 12h; default: 1d')
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await rotateSecret(await client(), terminal, { ...command.optsWithGlobals(), id })))
  add('remove', 'detach it; safe to repeat', (to, asked) => removeSubscription(to, terminal, asked))
  add('test', 'start the agent once with a sample, marked as a test', (to, asked) => testSubscription(to, terminal, asked))
  add('sample', 'show what the agent would receive', (to, asked) => sampleSubscription(to, terminal, asked))
  add('recover', 'check the provider now for missed events', (to, asked) => recoverSubscription(to, terminal, asked))
}

const addAgents = ({ program, terminal, finish, client }: Line) => {
  program
    .command('agents')
    .description('agents that take starts')
    .command('test')
    .description('call an address once, signed, without an event and marked as a test, to see whether an agent takes starts there')
    .argument('[url]', 'the address, before a trigger is attached')
    .option('-s, --subscription <id>', 'instead: the address of this subscription, with its secret')
    .option('--secret-stdin', 'read the secret that signs the call from standard input; otherwise one is made that the agent does not know')
    .option(...asJson)
    .action(async (url: string | undefined, options: AgentTestAsked) => finish(await testAgent(await client(), terminal, { ...options, url })))
}

const addUpgrade = ({ program, terminal, finish, client }: Line) => {
  program
    .command('upgrade')
    .description('move subscriptions from deprecated triggers to those that replace them, and list who else uses what is deprecated')
    .option('--check', 'only list: subscriptions, tokens bound to deprecated steps, and runs of the last 30 days')
    .option('--tenant <id>', 'whose tokens to list', 'default')
    .option(...asJson)
    .action(async (options: { check?: boolean; json?: boolean; tenant: string }) => finish(await upgrade(await client(), terminal, options)))
}

const addEvents = ({ program, terminal, finish, client }: Line) => {
  const events = program
    .command('events')
    .description('list received events, newest first')
    .option('--type <type>', 'only of this type, as the provider names it')
    .option('--subject <id>', 'only about this thing')
    .option('--container <id>', 'only about things in this container')
    .option(...ofPlatform)
    .option(...ofLabel)
    .option(...ofConnection)
    .option(...ofLimit)
    .option(...ofCursor)
    .option(...asJson)
    .action(async (options) => finish(await listEvents(await client(), terminal, options)))
  for (const name of shippedAliases.subject) events.option(`--${name} <id>`, `only about this ${name}`)
  for (const name of shippedAliases.container) events.option(`--${name} <id>`, `only in this ${name}`)
  const add = (name: string, what: string, work: typeof showEvent) =>
    events
      .command(name)
      .description(what)
      .argument('<id>')
      .option('-c, --connection <id>', 'the connection, if several received the event')
      .option(...asJson)
      .action(async (id: string, _options, command: Command) => finish(await work(await client(), terminal, { ...command.optsWithGlobals(), id })))
  add('show', 'show one with its payload and its starts', showEvent)
  add('replay', 'send its starts again, and create those that are missing', replayEvent)
}

const addStarts = ({ program, terminal, finish, client }: Line) => {
  const starts = program
    .command('starts')
    .description('list agent starts, newest first; --state dead lists those that failed for good')
    .addOption(new Option('--state <state>', 'only in this state').choices(startState.options))
    .option('-s, --subscription <id>', 'only of this subscription')
    .option('--event <id>', 'only of this event')
    .option(...ofPlatform)
    .option(...ofLabel)
    .option(...ofConnection)
    .option(...ofLimit)
    .option(...ofCursor)
    .option(...asJson)
    .action(async (options) => finish(await listStarts(await client(), terminal, options)))
  starts
    .command('show')
    .description('show one with its payload')
    .argument('<id>')
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await showStart(await client(), terminal, { ...command.optsWithGlobals(), id })))
  starts
    .command('replay')
    .description('send a finished start again, or all dead starts with --subscription')
    .argument('[id]')
    .option('-s, --subscription <id>', 'all dead starts of this subscription')
    .option('--state <state>', 'with --subscription: dead or missed; default dead')
    .option('--force', 'with a new key, so that the agent treats it as new')
    .option(...asJson)
    .action(async (id: string | undefined, _options, command: Command) =>
      finish(await replayStarts(await client(), terminal, { ...command.optsWithGlobals(), id })),
    )
}

const addHooks = ({ program, terminal, finish, client }: Line) => {
  const hooks = program
    .command('hooks')
    .description('list our webhooks at the providers')
    .option(...ofLimit)
    .option(...ofCursor)
    .option(...asJson)
    .action(async (options) => finish(await listHooks(await client(), terminal, options)))
  hooks
    .command('prune')
    .description('before uninstalling: remove all our webhooks at the providers and pause the subscriptions that need them')
    .option(...asJson)
    .action(async (_options, command: Command) => finish(await pruneHooks(await client(), terminal, command.optsWithGlobals())))
  program
    .command('gaps')
    .description('list times for which events cannot be recovered')
    .option(...ofPlatform)
    .option(...ofLabel)
    .option(...ofLimit)
    .option(...ofCursor)
    .option(...asJson)
    .action(async (options) => finish(await listGaps(await client(), terminal, options)))
}

/** Commands for triggers. They use the running server, or the data directory when none runs. */
export const addTriggerCommands = (line: Line) => {
  for (const add of [addSubscribe, addSubscriptions, addAgents, addUpgrade, addEvents, addStarts, addHooks]) add(line)
}
