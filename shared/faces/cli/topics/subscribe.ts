import { fail, failField, failures, isFailure, isNotAllowed } from '#kit'
import type { Answer, Input } from '../operations.ts'
import { choice, command, flag, text, texts } from '../declare.ts'
import type { Context, ValuesOf } from '../declare.ts'
import { formatStart } from '../format-start.ts'
import { readInput, readWhole } from '../input.ts'
import { personOption } from '../person-options.ts'
import { startReceiver } from '../receiver.ts'
import { connectionOption } from '../step-arguments.ts'
import { plain, wrap } from '../table.ts'
import { triggerNotes } from '../trigger-notes.ts'

const options = {
  whole: text('--input <json>', 'the same as the argument'),
  field: texts('-f <name=value>', 'one field of the config; repeat for more fields and for list entries'),
  connection: connectionOption,
  person: personOption,
  agent: text('-a <url>', 'address that receives starts, by signed POST'),
  agentId: text('<id>', 'your own id for the agent; included in every start'),
  watch: flag('act as the agent: print each start as it arrives, and detach at Ctrl-C', '-w'),
  port: text('<port>', 'with --watch: port on 127.0.0.1 that receives starts; default: any free port'),
  count: text('<n>', 'with --watch: exit after this many starts'),
  delivery: choice('<how>', 'how events are delivered; default: webhook where possible', ['webhook', 'poll']),
  startFrom: text('<when>', 'also start for earlier events: since a time (RFC 3339), or "recent:25"'),
  settle: text(
    '<seconds>',
    'quiet period: start once for several changes of the same subject, after this long without another',
  ),
  serial: flag('starts for the same subject wait for each other'),
  ownEvents: flag('also start for events that our own runs caused; at most 3 starts in a chain'),
  externalId: text('<id>', "the platform's id for the subscription"),
  label: texts('<name:value>', 'a label of your own; repeat for more'),
  idempotencyKey: text('<key>', 'makes a repeat safe: the same key returns the subscription created before'),
}

type SubscribeInput = ValuesOf<'<integration> <trigger> [config]', typeof options>
type Subscription = Answer<'subscriptions.createSubscription'>
type NewSubscription = Input<'subscriptions.createSubscription'>

const readNumber = (name: string, text: string | undefined, min: number, max: number): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max)
    throw failField(name, `--${name} takes a number from ${min} to ${max}, not "${text}".`)
  return value
}

const readLabels = (labels: string[]): Record<string, string> =>
  Object.fromEntries(
    labels.map((text) => {
      const at = text.indexOf(':')
      if (at < 1) throw failField('label', `"${text}" is not a label. Write it as name:value.`)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )

const findTrigger = async ({ call }: Context, integration: string, id: string) => {
  const { triggers } = await call('catalogue.getIntegration', { id: integration })
  const trigger = triggers.find((trigger) => trigger.id === id)
  if (trigger) return trigger
  const known = triggers.length > 0 ? `It has: ${triggers.map((trigger) => trigger.id).join(', ')}.` : 'It has none.'
  throw failField('trigger', `"${integration}" has no trigger "${id}". ${known}`, 'not_found')
}
type Trigger = Awaited<ReturnType<typeof findTrigger>>

const readOptions = ({ delivery, startFrom, settle, ownEvents, serial }: SubscribeInput) => {
  const seconds = readNumber('settle', settle, 1, 86_400)
  return { delivery, startFrom, settleMs: seconds === undefined ? undefined : seconds * 1000, ownEvents, serial }
}

const readSubscription = async (
  context: Context,
  input: SubscribeInput,
): Promise<{ subscription: NewSubscription; trigger: Trigger }> => {
  const { integration, connection, person, agent, agentId, externalId, label } = input
  const trigger = await findTrigger(context, integration, input.trigger)
  const whole = readWhole(input.config, input.whole, 'config')
  const config = await readInput({ whole, fields: input.field }, trigger.config, context.terminal.readStdin)
  const labels = label.length > 0 ? readLabels(label) : undefined
  const options = readOptions(input)
  return {
    subscription: {
      integration,
      trigger: trigger.id,
      connection,
      person,
      config,
      agent: { id: agentId, url: agent },
      options,
      externalId,
      labels,
    },
    trigger,
  }
}

const create = ({ call }: Context, subscription: NewSubscription, { idempotencyKey }: SubscribeInput) =>
  call('subscriptions.createSubscription', subscription, { headers: { 'idempotency-key': idempotencyKey } })

const deliveredBy = ({ delivery }: Subscription) => (delivery === 'webhook' ? 'instant, by webhook' : 'by polling')

const printAttached = (
  { terminal: { out, width }, typed }: Context,
  subscription: Subscription,
  { title }: Trigger,
) => {
  const { id, agent } = subscription
  out(`${plain(title)} is attached: ${id}, ${deliveredBy(subscription)}.\n`)
  for (const note of triggerNotes(subscription)) out(`${wrap(note, width, '  ')}\n`)
  out(`  Starts are sent to ${agent.url}\n`)
  if (agent.secret !== undefined) out(`  Signed with ${agent.secret} (shown only once; Standard Webhooks)\n`)
  out(`Try it: ${typed(`subscriptions test ${id}`)}\n`)
}

const detach = async ({ call, terminal, typed }: Context, id: string, count: number): Promise<number> => {
  try {
    await call('subscriptions.removeSubscription', { id })
    terminal.err(`Detached after ${count} ${count === 1 ? 'start' : 'starts'}.\n`)
    return 0
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    terminal.err(`Detaching failed: ${plain(thrown.message)} Try again with: ${typed(`subscriptions remove ${id}`)}\n`)
    return failures[thrown.code].exit
  }
}

/** Explains what to do if the server is not allowed to send to this machine. */
const explainRefusal = (thrown: unknown, { origin, port }: URL) =>
  isNotAllowed(thrown) && thrown.message.includes('agent.url')
    ? fail(
        'not_allowed',
        `The server may not send to this machine. Start it with TOOLYARD_AGENT_ORIGINS=${origin} and give --port ${port} here; the sandbox server needs neither.`,
      )
    : thrown

/** Receives starts on this machine until Ctrl-C or until `--count` is reached, then detaches. */
const watch = async (context: Context, input: SubscribeInput): Promise<number> => {
  const { json, terminal } = context
  if (input.agent !== undefined)
    throw failField('agent', 'With --watch this command is the agent. Use either --watch or --agent.')
  const { subscription, trigger } = await readSubscription(context, input)
  const max = readNumber('count', input.count, 1, 1_000_000) ?? Infinity
  const enough = Promise.withResolvers<void>()
  let count = 0
  const receiver = await startReceiver(
    readNumber('port', input.port, 0, 65_535) ?? 0,
    (start) => {
      if (count >= max) return
      count += 1
      terminal.out(json ? `${JSON.stringify(start)}\n` : `${formatStart(start, trigger.title)}\n`)
      if (count >= max) enough.resolve()
    },
    () => terminal.err('Refused a request that was not signed with the secret of this subscription.\n'),
  )
  try {
    const { url } = receiver
    const attached = await create(context, { ...subscription, agent: { ...subscription.agent, url } }, input).catch(
      (thrown: unknown) => {
        throw explainRefusal(thrown, new URL(url))
      },
    )
    // Starts cannot be verified without the secret, and a repeated key returns the earlier subscription without its
    // secret.
    if (attached.agent.secret === undefined)
      throw fail(
        'conflict',
        `This idempotency key already created subscription ${attached.id}, whose secret is not known here. Omit --idempotency-key.`,
      )
    receiver.expect(attached.agent.secret)
    terminal.err(
      `${trigger.title} is attached (${attached.id}, ${deliveredBy(attached)}). Waiting for events; Ctrl-C detaches it.\n`,
    )
    if (!terminal.signal.aborted) {
      await Promise.race([
        enough.promise,
        new Promise((resolve) => terminal.signal.addEventListener('abort', resolve, { once: true })),
      ])
    }
    return await detach(context, attached.id, count)
  } finally {
    await receiver.close()
  }
}

/** Attaches a trigger to an agent, or with --watch prints its starts here. */
export const subscribeCommand = command(
  {
    usage: 'subscribe <integration> <trigger> [config]',
    about: 'attach a trigger to an agent, or watch it fire here; needs a running server',
    arguments: { config: 'JSON object, @file.json, or - for standard input' },
    options,
    help: ({ typed }) => `
Examples:
  ${typed('subscribe <integration> <trigger> -f <field>=<value> --watch')}
  ${typed('subscribe <integration> <trigger> -f <field>=<value> --agent https://agents.example/start')}
The fields of its config: ${typed('describe <integration> <trigger>')}`,
  },
  async (context, input) => {
    if (input.watch) return watch(context, input)
    if (input.agent === undefined)
      throw failField('agent', 'Give the address of the agent with --agent <url>, or --watch to receive starts here.')
    const { subscription, trigger } = await readSubscription(context, input)
    const attached = await create(context, subscription, input)
    context.say(attached, () => printAttached(context, attached, trigger))
  },
)
