import { Option } from 'commander'
import type { Command } from 'commander'
import type { Client } from './client.ts'
import { listEvents, listGaps, listHooks, listStarts, pruneHooks, replayEvent, replayStarts, showEvent, showStart } from './inbox.ts'
import { subscribe } from './subscribe.ts'
import type { SubscribeOptions } from './subscribe.ts'
import { listSubscriptions, oneSubscription, recoverSubscription, removeSubscription, sampleSubscription, testSubscription } from './subscriptions.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type Line = {
  program: Command
  terminal: Terminal
  finish(code: number): void
  client(): Promise<Client>
}

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const
const ofLimit = ['-n, --limit <n>', 'at most so many rows, 1 to 200', '20'] as const
const ofCursor = ['--cursor <cursor>', 'go on after the page before'] as const
const ofAccount = ['-c, --connection <id>', 'only of this account'] as const
const collect = (value: string, before: string[]) => [...before, value]

const subscribeExamples = (terminal: Terminal) => `
Examples:
  ${typed(terminal, 'subscribe work-board card-moved -f boards=<id or pasted address> --watch')}
  ${typed(terminal, 'subscribe work-board new-card -f boards=<id> --agent https://agents.example/start')}
The fields of its config: ${typed(terminal, 'describe work-board card-moved')}`

const addSubscribe = ({ program, terminal, finish, client }: Line) => {
  program
    .command('subscribe')
    .description('attach a trigger to an agent, with the running server; or watch it fire right here')
    .argument('<integration>')
    .argument('<trigger>')
    .argument('[config]', 'JSON object, @file.json, or - for standard input')
    .option('--input <json>', 'the same as the argument')
    .option('-f, --field <name=value>', 'one field of the config; repeat for more, and for the entries of a list', collect, [])
    .option('-c, --connection <name>', 'id or name of the account; needed where several are connected')
    .option('-a, --agent <url>', 'where starts are sent, by POST and signed')
    .option('--agent-id <id>', 'your own id of the agent; comes back in every start')
    .option('-w, --watch', 'be the agent: print each start as it arrives, and detach at Ctrl-C')
    .option('--port <port>', 'with --watch: take starts on this port of 127.0.0.1; default any free one')
    .option('--count <n>', 'with --watch: end after so many starts')
    .addOption(new Option('--delivery <how>', 'how its events become known; default: webhook where that is possible').choices(['webhook', 'poll']))
    .option('--start-from <when>', 'also for what happened since then (RFC 3339), or "recent:25"')
    .option('--settle <seconds>', 'quiet period: changes of one card start once, when nothing more has happened for so long')
    .option('--serial', 'starts about the same card wait for each other')
    .option('--own-events', 'also for what our own runs caused; at most 3 starts in a chain')
    .option('--external-id <id>', "the platform's own id for it")
    .option('--label <name:value>', 'a mark of your own; repeat for more', collect, [])
    .option('--idempotency-key <key>', 'repeated with the same key it gives the subscription made before')
    .option(...asJson)
    .addHelpText('after', subscribeExamples(terminal))
    .action(async (integration: string, trigger: string, config: string | undefined, options: SubscribeOptions) =>
      finish(await subscribe(await client(), terminal, { ...options, integration, trigger, argument: config })),
    )
}

const addSubscriptions = ({ program, terminal, finish, client }: Line) => {
  const all = program
    .command('subscriptions')
    .description('list triggers attached to agents')
    .option('-i, --integration <id>', 'only of this integration')
    .option('--trigger <id>', 'only of this trigger')
    .addOption(new Option('--state <state>', 'only in this state').choices(['pending', 'active', 'paused', 'paused_auth', 'paused_model']))
    .option('--external-id <id>', "only with this id of the platform's")
    .option(...ofAccount)
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
  add('pause', 'start nothing until it is resumed', (to, asked) => oneSubscription(to, terminal, 'pause', asked))
  add('resume', 'go on from now', (to, asked) => oneSubscription(to, terminal, 'resume', asked))
  add('remove', 'detach it; safe to repeat', (to, asked) => removeSubscription(to, terminal, asked))
  add('test', 'start the agent once with a sample, marked as a test', (to, asked) => testSubscription(to, terminal, asked))
  add('sample', 'show what the agent would get, without waiting for an event', (to, asked) => sampleSubscription(to, terminal, asked))
  add('recover', 'look at the provider right now for what was missed', (to, asked) => recoverSubscription(to, terminal, asked))
}

const addEvents = ({ program, terminal, finish, client }: Line) => {
  const events = program
    .command('events')
    .description('list what arrived, newest first')
    .option('--type <type>', 'only of this type, as the provider calls it')
    .option('--subject <id>', 'only about this thing')
    .option('--container <id>', 'only about things that lie there')
    .option(...ofAccount)
    .option(...ofLimit)
    .option(...ofCursor)
    .option(...asJson)
    .action(async (options) => finish(await listEvents(await client(), terminal, options)))
  const add = (name: string, what: string, work: typeof showEvent) =>
    events
      .command(name)
      .description(what)
      .argument('<id>')
      .option('-c, --connection <id>', 'where several accounts saw it')
      .option(...asJson)
      .action(async (id: string, _options, command: Command) => finish(await work(await client(), terminal, { ...command.optsWithGlobals(), id })))
  add('show', 'show one with its payload and what it started', showEvent)
  add('replay', 'send what it started again, and ask subscriptions that have no start of it', replayEvent)
}

const addStarts = ({ program, terminal, finish, client }: Line) => {
  const starts = program
    .command('starts')
    .description('list agent starts, newest first; --state dead lists those that were given up')
    .addOption(new Option('--state <state>', 'only in this state').choices(['pending', 'leased', 'done', 'dead', 'merged', 'paused', 'missed', 'cancelled']))
    .option('-s, --subscription <id>', 'only of this subscription')
    .option('--event <id>', 'only of this event')
    .option(...ofAccount)
    .option(...ofLimit)
    .option(...ofCursor)
    .option(...asJson)
    .action(async (options) => finish(await listStarts(await client(), terminal, options)))
  starts
    .command('show')
    .description('show one with what it hands over')
    .argument('<id>')
    .option(...asJson)
    .action(async (id: string, _options, command: Command) => finish(await showStart(await client(), terminal, { ...command.optsWithGlobals(), id })))
  starts
    .command('replay')
    .description('send an ended start again, or with --subscription all dead ones of it')
    .argument('[id]')
    .option('-s, --subscription <id>', 'all dead starts of this subscription')
    .option('--state <state>', 'with --subscription: dead or missed; default dead')
    .option('--force', 'under a new key, so that the agent takes it as new')
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
    .description('before uninstalling: pause what webhooks tell and take every hook of ours away from the providers')
    .option(...asJson)
    .action(async (_options, command: Command) => finish(await pruneHooks(await client(), terminal, command.optsWithGlobals())))
  program
    .command('gaps')
    .description('list what happened while nobody listened and cannot be recovered')
    .option(...ofLimit)
    .option(...ofCursor)
    .option(...asJson)
    .action(async (options) => finish(await listGaps(await client(), terminal, options)))
}

/** Commands about triggers. They talk to the running server; with none, to the data directory. */
export const addTriggerCommands = (line: Line) => {
  for (const add of [addSubscribe, addSubscriptions, addEvents, addStarts, addHooks]) add(line)
}
