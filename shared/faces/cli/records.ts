import { noSuchStep } from './step-arguments.ts'
import { failField } from '#kit'
import type { ConnectionView } from '../../runtime/connections/connections.ts'
import type { LayoutField } from '../../runtime/catalogue/form-layout.ts'
import type { RunState, UsageRow } from '../../runtime/ports/index.ts'
import type { RunView } from '../../runtime/steps/runs.ts'
import type { Client } from './client.ts'
import { sayCredits } from './credits.ts'
import { readInput } from './input.ts'
import { readPaging, printList, shortTime } from './subscriptions.ts'
import type { Listing } from './subscriptions.ts'
import { plain } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const over = async (client: Client, work: () => Promise<unknown>): Promise<number> => {
  try {
    await work()
    return 0
  } finally {
    await client.close()
  }
}
const json = (terminal: Terminal, value: unknown) => terminal.out(`${JSON.stringify(value)}\n`)

export type RunsAsked = Listing & {
  integration?: string
  step?: string
  connection?: string
  state?: string
  startId?: string
  externalId?: string
  label?: string[]
}

const endOf = ({ state, failure, code }: RunView) => (failure ? `${failure.code}: ${failure.message}` : (code ?? state))

/** `toolyard runs` */
export const listRuns = (client: Client, terminal: Terminal, { limit, cursor, json: asJson, state, ...filter }: RunsAsked) =>
  over(client, async () => {
    const asked = { ...filter, ...(state === undefined ? {} : { state: state as RunState }) }
    const listed = await client.records.runs(readPaging({ limit, ...(cursor === undefined ? {} : { cursor }) }), asked)
    const row = (one: RunView) => [
      one.id,
      `${one.integration} ${one.step}`,
      shortTime(one.createdAt),
      `${Math.round(one.durationMs)} ms`,
      one.credits === 0 ? '' : `${one.credits}${one.creditsEstimated ? ' (estimated)' : ''}`,
      endOf(one),
    ]
    const none = `No runs yet. Run a step with: ${typed(terminal, 'run <integration> <step>')}`
    printList(terminal, listed, asJson, ['run', 'step', 'at', 'duration', 'credits', 'outcome'], row, none)
  })

/** `toolyard runs show <id>` */
export const showRun = (client: Client, terminal: Terminal, { id, json: asJson }: { id: string; json?: boolean }) =>
  over(client, async () => terminal.out(`${JSON.stringify(await client.records.run(id), null, asJson ? 0 : 2)}\n`))

/** `toolyard usage` */
export const showUsage = (client: Client, terminal: Terminal, { days, json: asJson }: { days: string; json?: boolean }) =>
  over(client, async () => {
    const count = /^\d{1,3}$/.test(days) ? Number(days) : 0
    if (count < 1 || count > 366) throw failField('days', `--days takes a number from 1 to 366, not "${days}".`)
    const report = await client.records.usage(count)
    if (asJson) return json(terminal, report)
    const row = (one: UsageRow) => [
      one.day,
      `${one.integration} ${one.step}`,
      String(one.runs),
      String(one.failed),
      String(one.calls),
      String(one.credits),
      one.connection ?? '',
    ]
    const head = ['day', 'step', 'runs', 'failed', 'requests', 'credits', 'connection']
    printList(terminal, { items: report.items }, false, head, row, `No runs in the last ${count} days.`)
    sayCredits(terminal, report)
  })

const connectionRow = (one: ConnectionView) => [
  one.id,
  `${one.integration} (${one.type})`,
  `${one.state}${one.isDefault ? ', default' : ''}`,
  shortTime(one.lastUsedAt),
  one.stateReason === null ? one.name : `${one.name}: ${one.stateReason}`,
]

/** `toolyard connections` */
export const listConnections = (client: Client, terminal: Terminal, { integration, json: asJson }: { integration?: string; json?: boolean }) =>
  over(client, async () => {
    const items = await client.operator.connections(integration)
    const none = `No connections yet. Connect an account with: ${typed(terminal, `connect ${integration ?? '<integration>'}`)}`
    printList(terminal, { items }, asJson, ['connection', 'integration', 'state', 'last used', 'name'], connectionRow, none)
  })

/** `toolyard connections show|test|default <id or name>` */
export const oneConnection = (
  client: Client,
  terminal: Terminal,
  verb: 'connection' | 'testConnection' | 'makeDefault',
  { id, json: asJson }: { id: string; json?: boolean },
) =>
  over(client, async () => {
    const one = await client.records[verb](id)
    if (asJson) return json(terminal, one)
    const rows: [string, string][] = [
      ['connection', `${one.name} (${one.id})`],
      ['integration', `${one.integration} (${one.type})`],
      ['state', `${one.state}${one.stateReason === null ? '' : `: ${one.stateReason}`}`],
      ['provider account', one.account === null ? 'unknown' : `${one.account.name ?? ''} (${one.account.id})`.trim()],
      [
        'secrets',
        Object.entries(one.secrets)
          .map(([name, shown]) => `${name} ${shown}`)
          .join(', ') || 'none stored',
      ],
      ['default', one.isDefault ? 'yes' : 'no'],
      ['created', shortTime(one.createdAt)],
      ['last used', shortTime(one.lastUsedAt) || 'never'],
    ]
    for (const [name, text] of rows) terminal.out(`${name.padEnd(17)}${plain(text)}\n`)
  })

/** `toolyard connections remove <id or name>` */
export const removeConnection = (client: Client, terminal: Terminal, { id: given, json: asJson }: { id: string; json?: boolean }) =>
  over(client, async () => {
    const { id, name } = await client.records.connection(given)
    await client.records.removeConnection(id)
    if (asJson) return json(terminal, { removed: id })
    terminal.out(`Connection "${plain(name)}" (${id}) is removed; its subscriptions are paused.\n`)
  })

export type OptionsGiven = {
  integration: string
  id: string
  field: string
  connection?: string
  value: string[]
  query?: string
  cursor?: string
  json?: boolean
}

/** `toolyard options <integration> <step or trigger> <field>` */
export const listOptions = (client: Client, terminal: Terminal, given: OptionsGiven) =>
  over(client, async () => {
    const { integration, id, field, connection, query, cursor } = given
    const manifest = await client.manifest(integration)
    const { steps, triggers } = manifest
    const step = steps.find((one) => one.id === id)
    const trigger = triggers.find((one) => one.id === id)
    if (!step && !trigger) throw noSuchStep(terminal, manifest, id, triggers)
    const values = await readInput({ whole: undefined, fields: given.value }, step?.form ?? trigger!.config, terminal.readStdin)
    const asked = { integration, field, connection, values, query, cursor }
    const page = await client.records.options(step ? { ...asked, step: id } : { ...asked, trigger: id })
    if (given.json) return json(terminal, page)
    printList(
      terminal,
      { items: page.options, ...(page.next === undefined ? {} : { next: page.next }) },
      false,
      ['value', 'label'],
      ({ value, label, hint }) => [String(value), hint === undefined ? label : `${label} (${hint})`],
      'No choices found.',
    )
  })

export type FieldsGiven = { integration: string; step: string; connection?: string; value: string[]; json?: boolean }

/** `toolyard fields <integration> <step>` */
export const listFields = (client: Client, terminal: Terminal, { integration, step: id, connection, value, json: asJson }: FieldsGiven) =>
  over(client, async () => {
    const manifest = await client.manifest(integration)
    const step = manifest.steps.find((candidate) => candidate.id === id)
    if (!step) throw noSuchStep(terminal, manifest, id)
    const values = await readInput({ whole: undefined, fields: value }, step.form, terminal.readStdin)
    const form = await client.records.fields({ integration, step: id, connection, values })
    if (asJson) return json(terminal, form)
    const describe = ({ control, choices = [], labels = {} }: LayoutField) =>
      choices.length === 0 ? control : `${control}: ${choices.map((choice) => labels[choice] ?? choice).join(', ')}`
    printList(
      terminal,
      { items: form.layout.fields },
      false,
      ['id', 'name', 'takes'],
      (field) => [field.name, field.title, describe(field)],
      'No fields found.',
    )
  })
