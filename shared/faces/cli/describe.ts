import { noSuchStep } from './step-arguments.ts'
import { failField, showRule } from '#kit'
import type { JsonSchema } from '#kit'
import type { Manifest, StepManifest, TriggerManifest } from '../../runtime/catalogue/manifest.ts'
import type { Client } from './client.ts'
import { plain, table, wrap } from './table.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type Asked = { integration: string; step: string | undefined; json?: boolean; example?: boolean }

const typeOf = (schema: JsonSchema): string => {
  if (Array.isArray(schema.enum)) return schema.enum.join('|')
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as JsonSchema)}`
  return typeof schema.type === 'string' ? schema.type : 'any JSON'
}

/** One field per line. Full descriptions are in `--json`. */
const sayFields = ({ form, fields }: Pick<StepManifest, 'form' | 'fields'>, { out, width }: Terminal) => {
  const required = (form.required ?? []) as string[]
  const rows = Object.entries((form.properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => {
    const spec = fields[name]
    const notes = [
      ...(spec?.accepts === 'id-or-url' ? ['id or address'] : []),
      ...(spec?.options ? [spec.dependsOn ? `choices by ${spec.dependsOn.join(', ')}` : 'choices'] : []),
    ]
    const type = typeOf(schema)
    // A long enumeration would push the descriptions off the screen.
    return [
      `${name}${required.includes(name) ? ' *' : ''}`,
      type.length > 24 ? `${type.slice(0, 23)}…` : type,
      `${notes.length > 0 ? `[${notes.join('; ')}] ` : ''}${String(schema.description ?? '')}`,
    ]
  })
  out(`${table(['field', 'type', 'meaning'], rows, width, '  ')}\n`)
}

/** Commands for more: the choices of a field, the sample, everything. */
const sayMore = (of: Pick<StepManifest, 'fields'>, path: string, terminal: Terminal) => {
  const field = Object.entries(of.fields).find(([, { options, dependsOn }]) => options && !dependsOn)?.[0]
  if (field !== undefined) terminal.out(`Choices: ${typed(terminal, `options ${path} ${field}`)}\n`)
  terminal.out(`Sample: ${typed(terminal, `describe ${path} --example`)}; full descriptions and schemas: --json\n`)
}

const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const asJson = (value: unknown) => JSON.stringify(value, null, 2).replaceAll(/^/gm, '  ')

const sayStep = (manifest: Manifest, step: StepManifest, terminal: Terminal) => {
  const { out, width } = terminal
  out(`${step.title} (${manifest.id} ${step.id}), tool ${step.tool}\n${wrap(step.purpose, width)}\n`)
  out(
    `Effect: ${step.effect}.${step.price !== null ? ` Price: ${step.price}.` : step.cost ? ` Costs ${step.cost.typical.join(' to ')} credits per ${step.cost.per}.` : ''}${step.legacy ? ` Legacy: use ${step.legacy.use}.` : ''}\n`,
  )
  if (step.notReady !== null) out(`${wrap(step.notReady, width)}\n`)
  if (typeof step.form.description === 'string') out(`${wrap(step.form.description, width)}\n`)
  out(`\nInput (* required)\n`)
  sayFields(step, terminal)
  const example = step.examples[0]
  // A dry run against the sandbox works anywhere and changes nothing.
  if (example) out(`\nTry it: ${typed(terminal, dryRunLine(manifest, step, example.input))}\n`)
  sayMore(step, `${manifest.id} ${step.id}`, terminal)
}

const dryRunLine = ({ id }: Manifest, step: StepManifest, input: unknown) => `run ${id} ${step.id} ${shellQuote(JSON.stringify(input))} --sandbox --dry-run`

const sayStepExample = (step: StepManifest, { out }: Terminal) => {
  for (const example of step.examples) {
    out(`${plain(example.title)}: with the input\n${asJson(example.input)}\n`)
    const result = example.failure ?? example.output
    if (result !== undefined) out(`it ${example.failure ? 'fails with' : 'returns'}\n${asJson(result)}\n`)
  }
}

export const deliveredBy = ({ instant, delivery }: Pick<TriggerManifest, 'instant' | 'delivery'>) =>
  instant ? (delivery.includes('poll') ? 'instant, or polling' : 'instant only') : 'polling'

const recovers = {
  all: 'Events that occur while the server is down are recovered.',
  some: 'Some events that occur while the server is down are recovered; the rest is reported as a gap.',
  none: 'Events that occur while the server is down cannot be recovered; they are reported as a gap.',
}

const sayTrigger = (manifest: Manifest, trigger: TriggerManifest, terminal: Terminal) => {
  const { out, width } = terminal
  out(`${trigger.title} (${manifest.id} ${trigger.id}), ${deliveredBy(trigger)}\n${wrap(trigger.purpose, width)}\n`)
  if (trigger.caveat) out(`${wrap(trigger.caveat, width)}\n`)
  out(`${wrap(recovers[trigger.recoverable], width)}\n\nConfig (* required)\n`)
  sayFields({ form: trigger.config, fields: trigger.fields }, terminal)
  const required = ((trigger.config.required ?? []) as string[]).map((name) => ` -f ${name}=<${name}>`).join('')
  out(`\nAttach it: ${typed(terminal, `subscribe ${manifest.id} ${trigger.id}${required} --watch`)}\n`)
  sayMore(trigger, `${manifest.id} ${trigger.id}`, terminal)
}

const sayTriggerExample = (trigger: TriggerManifest, { out }: Terminal) => {
  for (const example of trigger.examples) {
    out(`${plain(example.title)}: with the config\n${asJson(example.config)}\n`)
    out(example.data === null ? 'no agent is started\n' : `the agent is started with this as data.event\n${asJson(example.data)}\n`)
  }
}

const sayIntegration = (manifest: Manifest, terminal: Terminal) => {
  const { out, width } = terminal
  out(`${manifest.title} (${manifest.id}) ${manifest.version}, ${manifest.maturity}\n${wrap(manifest.summary, width)}\n\nConnect by\n`)
  for (const type of manifest.connections) out(`${wrap(`${type.id}: ${type.purpose}`, width, '  ')}\n`)
  out(`\nSteps\n${wrap(manifest.steps.map(({ id }) => id).join(', '), width, '  ')}\n`)
  if (manifest.triggers.length > 0) out(`Triggers\n${wrap(manifest.triggers.map(({ id }) => id).join(', '), width, '  ')}\n`)
  out(`What each does: ${typed(terminal, `list -i ${manifest.id}`)}\n`)
  const allow = manifest.apiCall.allow?.map(showRule).join(', ')
  out(
    `\nAPI Call: ${manifest.apiCall.methods.join(', ')} under ${manifest.apiCall.under}${allow === undefined ? '' : `, only ${allow}`}; refused by default: ${manifest.apiCall.deny.map(({ path, query }) => (query ? `${path} with ${query.join(' or ')}` : path)).join(', ') || 'nothing'}\n`,
  )
  const assumed = Object.keys(manifest.wire.assumed).length
  out(
    `Wire profile ${manifest.wire.profile}${manifest.wire.profiles.length > 1 ? ` (of ${manifest.wire.profiles.join(', ')})` : ''}: ${assumed} facts are assumptions${manifest.wire.unset.length > 0 ? `, not set: ${manifest.wire.unset.join(', ')}` : ''}. --json lists them.\n`,
  )
}

/** `toolyard describe`: one integration, or one step or trigger. */
export const describe = async (client: Client, terminal: Terminal, { integration, step: id, json, example }: Asked): Promise<number> => {
  try {
    const manifest = await client.manifest(integration)
    const step = manifest.steps.find((one) => one.id === id)
    const trigger = manifest.triggers.find((one) => one.id === id)
    if (id !== undefined && !step && !trigger) {
      throw noSuchStep(terminal, manifest, id, manifest.triggers)
    }
    if (example && !step && !trigger) throw failField('example', '--example needs a step or a trigger.')
    if (json) terminal.out(`${JSON.stringify(step ?? trigger ?? manifest)}\n`)
    else if (step && example) sayStepExample(step, terminal)
    else if (step) sayStep(manifest, step, terminal)
    else if (trigger && example) sayTriggerExample(trigger, terminal)
    else if (trigger) sayTrigger(manifest, trigger, terminal)
    else sayIntegration(manifest, terminal)
    return 0
  } finally {
    await client.close()
  }
}
