import { fail, failField, failures, isFailure, isNotAllowed } from '#kit'
import type { TriggerManifest } from '../../runtime/catalogue/manifest.ts'
import type { NewSubscription, SubscriptionView } from '../../runtime/triggers/index.ts'
import type { Client } from './client.ts'
import { readInput } from './input.ts'
import { startReceiver } from './receiver.ts'
import { plain, wrap } from './table.ts'
import { formatStart } from './format-start.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

export type SubscribeOptions = {
  input?: string
  field: string[]
  connection?: string
  agent?: string
  agentId?: string
  watch?: boolean
  port?: string
  count?: string
  delivery?: string
  startFrom?: string
  settle?: string
  ownEvents?: boolean
  serial?: boolean
  externalId?: string
  label: string[]
  idempotencyKey?: string
  json?: boolean
}
type Asked = SubscribeOptions & { integration: string; trigger: string; argument: string | undefined }

const readNumber = (name: string, text: string | undefined, min: number, max: number): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!/^\d+(\.\d+)?$/.test(text) || value < min || value > max) throw failField(name, `--${name} takes a number from ${min} to ${max}, not "${text}".`)
  return value
}

const readLabels = (given: string[]): Record<string, string> =>
  Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(':')
      if (at < 1) throw failField('label', `"${text}" is not a label. Write it as name:value.`)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )

const findTrigger = async (client: Client, integration: string, id: string): Promise<TriggerManifest> => {
  const { triggers } = await client.manifest(integration)
  const found = triggers.find((trigger) => trigger.id === id)
  if (found) return found
  const those = triggers.length > 0 ? `It has: ${triggers.map((trigger) => trigger.id).join(', ')}.` : 'It has none.'
  throw failField('trigger', `"${integration}" has no trigger "${id}". ${those}`, 'not_found')
}

const readOptions = ({ delivery, startFrom, settle, ownEvents, serial }: Asked) => {
  const settleSeconds = readNumber('settle', settle, 1, 86_400)
  return {
    ...(delivery === undefined ? {} : { delivery }),
    ...(startFrom === undefined ? {} : { startFrom }),
    ...(settleSeconds === undefined ? {} : { settleMs: settleSeconds * 1000 }),
    ...(ownEvents ? { ownEvents } : {}),
    ...(serial ? { serial } : {}),
  }
}

const readGiven = async (client: Client, terminal: Terminal, asked: Asked): Promise<{ given: NewSubscription; trigger: TriggerManifest }> => {
  const { integration, connection, agent, agentId, externalId, idempotencyKey, label } = asked
  const trigger = await findTrigger(client, integration, asked.trigger)
  if (asked.argument !== undefined && asked.input !== undefined) throw failField('config', 'The config is given twice: as argument and as --input.')
  const config = await readInput({ whole: asked.input ?? asked.argument, fields: asked.field }, trigger.config, terminal.readStdin)
  const given: NewSubscription = {
    integration,
    trigger: asked.trigger,
    connection,
    config,
    agent: { ...(agentId === undefined ? {} : { id: agentId }), ...(agent === undefined ? {} : { url: agent }) },
    options: readOptions(asked),
    externalId,
    ...(label.length > 0 ? { labels: readLabels(label) } : {}),
    idempotencyKey,
  }
  return { given, trigger }
}

const deliveredBy = ({ delivery }: SubscriptionView) => (delivery === 'webhook' ? 'instant, by webhook' : 'by polling')

const sayAttached = (terminal: Terminal, made: SubscriptionView, { title, caveat }: TriggerManifest) => {
  const { out, width } = terminal
  out(`${plain(title)} is attached: ${made.id}, ${deliveredBy(made)}.\n`)
  if (caveat) out(`${wrap(caveat, width, '  ')}\n`)
  out(`  Starts are sent to ${made.agent.url}\n`)
  if (made.agent.secret !== undefined) out(`  Signed with ${made.agent.secret} (shown only once; Standard Webhooks)\n`)
  out(`Try it: ${typed(terminal, `subscriptions test ${made.id}`)}\n`)
}

const detach = async (client: Client, terminal: Terminal, id: string, count: number): Promise<number> => {
  try {
    await client.triggers.remove(id)
    terminal.err(`Detached after ${count} ${count === 1 ? 'start' : 'starts'}.\n`)
    return 0
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    terminal.err(`Detaching failed: ${plain(thrown.message)} Try again with: ${typed(terminal, `subscriptions remove ${id}`)}\n`)
    return failures[thrown.code].exit
  }
}

/** Receives starts on this machine until Ctrl-C or until `--count` is reached, then detaches. */
const watch = async (client: Client, terminal: Terminal, asked: Asked): Promise<number> => {
  if (asked.agent !== undefined) throw failField('agent', 'With --watch this command is the agent. Use either --watch or --agent.')
  const { given, trigger } = await readGiven(client, terminal, asked)
  const max = readNumber('count', asked.count, 1, 1_000_000) ?? Infinity
  const enough = Promise.withResolvers<void>()
  let count = 0
  const receiver = await startReceiver(
    readNumber('port', asked.port, 0, 65_535) ?? 0,
    (start) => {
      if (count >= max) return
      count += 1
      terminal.out(asked.json ? `${JSON.stringify(start)}\n` : `${formatStart(start, trigger.title)}\n`)
      if (count >= max) enough.resolve()
    },
    () => terminal.err('Refused a request that was not signed with the secret of this subscription.\n'),
  )
  try {
    const made = await client.triggers.subscribe({ ...given, agent: { ...given.agent, url: receiver.url } }).catch((thrown: unknown) => {
      if (!isNotAllowed(thrown) || !thrown.message.includes('agent.url')) throw thrown
      const { origin } = new URL(receiver.url)
      throw fail(
        'not_allowed',
        `The server may not send to this machine. Start it with TOOLYARD_AGENT_ORIGINS=${origin} and give --port ${new URL(origin).port} here; the sandbox server needs neither.`,
      )
    })
    // Starts cannot be verified without it: a repeated key returns the earlier subscription, without its secret.
    if (made.agent.secret === undefined)
      throw fail('conflict', `This idempotency key already created subscription ${made.id}, whose secret is not known here. Omit --idempotency-key.`)
    receiver.expect(made.agent.secret)
    terminal.err(`${trigger.title} is attached (${made.id}, ${deliveredBy(made)}). Waiting for events; Ctrl-C detaches it.\n`)
    if (!terminal.signal.aborted) {
      await Promise.race([enough.promise, new Promise((resolve) => terminal.signal.addEventListener('abort', resolve, { once: true }))])
    }
    return await detach(client, terminal, made.id, count)
  } finally {
    await receiver.close()
  }
}

/** `toolyard subscribe`: attaches a trigger to an agent, or watches it fire right here. */
export const subscribe = async (client: Client, terminal: Terminal, asked: Asked): Promise<number> => {
  try {
    if (asked.watch) return await watch(client, terminal, asked)
    if (asked.agent === undefined) throw failField('agent', 'Give the address of the agent with --agent <url>, or --watch to receive starts here.')
    const { given, trigger } = await readGiven(client, terminal, asked)
    const made = await client.triggers.subscribe(given)
    if (asked.json) terminal.out(`${JSON.stringify(made)}\n`)
    else sayAttached(terminal, made, trigger)
    return 0
  } finally {
    await client.close()
  }
}
