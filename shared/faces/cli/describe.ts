import { failField } from '#kit'
import type { JsonSchema } from '#kit'
import type { Manifest, StepManifest, TriggerManifest } from '../../runtime/manifest.ts'
import type { Client } from './client.ts'
import { plain, table, wrap } from './table.ts'
import type { Terminal } from './terminal.ts'

type Asked = { integration: string; step: string | undefined; json?: boolean }

const typeOf = (schema: JsonSchema): string => {
  if (Array.isArray(schema.enum)) return schema.enum.join('|')
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as JsonSchema)}`
  return typeof schema.type === 'string' ? schema.type : 'any JSON'
}

const fieldRows = ({ form, fields }: Pick<StepManifest, 'form' | 'fields'>) => {
  const required = (form.required ?? []) as string[]
  return Object.entries((form.properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => {
    const spec = fields[name]
    const notes = [
      ...(spec?.accepts === 'id-or-url' ? ['Takes an id or a pasted address.'] : []),
      ...(spec?.options ? [spec.dependsOn ? `Choices can be loaded once ${spec.dependsOn.join(', ')} is given.` : 'Choices can be loaded.'] : []),
    ]
    const type = typeOf(schema)
    // A long list of words would push the descriptions off the screen.
    return [
      `  ${name}${required.includes(name) ? ' *' : ''}`,
      type.length > 24 ? `${type.slice(0, 23)}…` : type,
      [String(schema.description ?? ''), ...notes].join(' '),
    ]
  })
}

const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const sayStep = (manifest: Manifest, step: StepManifest, terminal: Terminal) => {
  const { out, width } = terminal
  out(`${step.title} (${manifest.id} ${step.id}), tool ${step.tool}\n${wrap(step.purpose, width)}\n`)
  out(
    `Effect: ${step.effect}.${step.cost ? ` Costs ${step.cost.typical.join(' to ')} credits per ${step.cost.per}.` : ''}${step.legacy ? ` Legacy: use ${step.legacy.use}.` : ''}\n`,
  )
  if (!step.ready) out(`Not ready: the operator has yet to set ${step.needs.join(', ')}.\n`)
  if (typeof step.form.description === 'string') out(`${wrap(step.form.description, width)}\n`)
  out(`\nInput (* must be given)\n`)
  sayFields(step, terminal)
  const [example] = step.examples
  if (!example) return
  out(`\nExample: ${plain(example.title)}\n  toolyard run ${manifest.id} ${step.id} ${shellQuote(JSON.stringify(example.input))}\n`)
  const result = example.failure ?? example.output
  if (result !== undefined) out(`gives\n${JSON.stringify(result, null, 2).replaceAll(/^/gm, '  ')}\n`)
}

const sayFields = (of: Pick<StepManifest, 'form' | 'fields'>, { out, width }: Terminal) => {
  for (const [name, type, text] of fieldRows(of)) out(`${name}  ${type}\n${wrap(text ?? '', width, '      ')}\n`)
}

export const toldBy = ({ instant, delivery }: Pick<TriggerManifest, 'instant' | 'delivery'>) =>
  instant ? (delivery.includes('poll') ? 'instant, or polling' : 'instant only') : 'polling'

const recovers = {
  all: 'What happens while nobody listens is found again.',
  some: 'Of what happens while nobody listens, a part is found again; the rest is shown as a gap.',
  none: 'What happens while nobody listens cannot be found again; it is shown as a gap.',
}

const sayTrigger = (manifest: Manifest, trigger: TriggerManifest, terminal: Terminal) => {
  const { out, width } = terminal
  out(`${trigger.title} (${manifest.id} ${trigger.id}), ${toldBy(trigger)}\n${wrap(trigger.purpose, width)}\n`)
  if (trigger.caveat) out(`${wrap(trigger.caveat, width)}\n`)
  out(`${wrap(recovers[trigger.recoverable], width)}\n\nConfig (* must be given)\n`)
  sayFields({ form: trigger.config, fields: trigger.fields }, terminal)
  const example = trigger.examples.find(({ data }) => data !== null)
  if (!example) return
  out(`\nExample: ${plain(example.title)}\n  toolyard subscribe ${manifest.id} ${trigger.id} ${shellQuote(JSON.stringify(example.config))} --watch\n`)
  out(`starts the agent with this as data.event\n${JSON.stringify(example.data, null, 2).replaceAll(/^/gm, '  ')}\n`)
}

const sayIntegration = (manifest: Manifest, terminal: Terminal) => {
  const { out, width } = terminal
  out(`${manifest.title} (${manifest.id}) ${manifest.version}, ${manifest.maturity}\n${wrap(manifest.summary, width)}\n\nConnect by\n`)
  for (const type of manifest.connections) out(`${wrap(`${type.id}: ${type.purpose}`, width, '  ')}\n`)
  out(
    `\n${table(
      ['step', 'effect', 'what it does'],
      manifest.steps.map((step) => [step.id, step.effect, step.purpose]),
      width,
      '  ',
    )}\n`,
  )
  if (manifest.triggers.length > 0) {
    const rows = manifest.triggers.map((trigger) => [trigger.id, toldBy(trigger), trigger.purpose])
    out(`\n${table(['trigger', 'told', 'what it does'], rows, width, '  ')}\n`)
  }
  out(
    `\nAPI Call: ${manifest.apiCall.methods.join(', ')} under ${manifest.apiCall.under}; refused by default: ${manifest.apiCall.deny.map(({ path }) => path).join(', ') || 'nothing'}\n`,
  )
  const assumed = Object.keys(manifest.wire.assumed).length
  out(
    `Wire profile ${manifest.wire.profile}: ${assumed} facts are assumed${manifest.wire.unset.length > 0 ? `, not set: ${manifest.wire.unset.join(', ')}` : ''}. --json shows them.\n`,
  )
}

/** `toolyard describe`: one integration, or one step or trigger. */
export const describe = async (client: Client, terminal: Terminal, { integration, step: id, json }: Asked): Promise<number> => {
  try {
    const manifest = await client.manifest(integration)
    const step = manifest.steps.find((one) => one.id === id)
    const trigger = manifest.triggers.find((one) => one.id === id)
    if (id !== undefined && !step && !trigger) {
      const triggers = manifest.triggers.length > 0 ? ` Its triggers: ${manifest.triggers.map((one) => one.id).join(', ')}.` : ''
      throw failField('step', `"${integration}" has no step "${id}". It has: ${manifest.steps.map((one) => one.id).join(', ')}.${triggers}`, 'not_found')
    }
    if (json) terminal.out(`${JSON.stringify(step ?? trigger ?? manifest)}\n`)
    else if (step) sayStep(manifest, step, terminal)
    else if (trigger) sayTrigger(manifest, trigger, terminal)
    else sayIntegration(manifest, terminal)
    return 0
  } finally {
    await client.close()
  }
}
