import { failField, showRule } from '#kit'
import type { JsonSchema } from '#kit'
import type { Answer } from '../operations.ts'
import { command, flag, text } from '../declare.ts'
import { noSuchStep } from '../step-arguments.ts'
import { plain, table, wrap } from '../table.ts'
import { typed } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { triggerNotes } from '../trigger-notes.ts'

type Manifest = Answer<'catalogue.getIntegration'>
type StepManifest = Manifest['steps'][number]
type TriggerManifest = Manifest['triggers'][number]

const typeOf = (schema: JsonSchema): string => {
  if (Array.isArray(schema.enum)) return schema.enum.join('|')
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as JsonSchema)}`
  return typeof schema.type === 'string' ? schema.type : 'any JSON'
}

/** Prints one field per line. Full descriptions are in `--json`. */
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

/** Prints commands that show more: the choices of a field, the sample, everything. */
const sayMore = (of: Pick<StepManifest, 'fields'>, path: string, terminal: Terminal) => {
  const field = Object.entries(of.fields).find(([, { options, dependsOn }]) => options && !dependsOn)?.[0]
  if (field !== undefined) terminal.out(`Choices: ${typed(terminal, `options ${path} ${field}`)}\n`)
  terminal.out(`Sample: ${typed(terminal, `describe ${path} --example`)}; full descriptions and schemas: --json\n`)
}

const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const indented = (value: unknown) => JSON.stringify(value, null, 2).replaceAll(/^/gm, '  ')

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

const dryRunLine = ({ id }: Manifest, step: StepManifest, input: unknown) =>
  `run ${id} ${step.id} ${shellQuote(JSON.stringify(input))} --sandbox --dry-run`

const sayStepExample = (step: StepManifest, { out }: Terminal) => {
  for (const example of step.examples) {
    out(`${plain(example.title)}: with the input\n${indented(example.input)}\n`)
    const result = example.failure ?? example.output
    if (result !== undefined) out(`it ${example.failure ? 'fails with' : 'returns'}\n${indented(result)}\n`)
  }
}

const deliveredBy = ({ instant, delivery }: Pick<TriggerManifest, 'instant' | 'delivery'>) =>
  instant ? (delivery.includes('poll') ? 'instant, or polling' : 'instant only') : 'polling'

const recovers = {
  all: 'Events that occur while the server is down are recovered.',
  some: 'Some events that occur while the server is down are recovered; the rest is reported as a gap.',
  none: 'Events that occur while the server is down cannot be recovered; they are reported as a gap.',
}

const sayTrigger = (manifest: Manifest, trigger: TriggerManifest, terminal: Terminal) => {
  const { out, width } = terminal
  out(`${trigger.title} (${manifest.id} ${trigger.id}), ${deliveredBy(trigger)}\n${wrap(trigger.purpose, width)}\n`)
  for (const note of triggerNotes(trigger)) out(`${wrap(note, width)}\n`)
  out(`${wrap(recovers[trigger.recoverable], width)}\n\nConfig (* required)\n`)
  sayFields({ form: trigger.config, fields: trigger.fields }, terminal)
  const required = (trigger.config.required ?? []) as string[]
  const fields = [...(trigger.container === null ? [] : [trigger.container]), ...required]
  const chosen = fields.map((name) => ` -f ${name}=<${name}>`).join('')
  out(`\nAttach it: ${typed(terminal, `subscribe ${manifest.id} ${trigger.id}${chosen} --watch`)}\n`)
  sayMore(trigger, `${manifest.id} ${trigger.id}`, terminal)
}

const sayTriggerExample = (trigger: TriggerManifest, { out }: Terminal) => {
  for (const example of trigger.examples) {
    out(`${plain(example.title)}: with the config\n${indented(example.config)}\n`)
    out(
      example.data === null
        ? 'no agent is started\n'
        : `the agent is started with this as data.event\n${indented(example.data)}\n`,
    )
  }
}

const sayIntegration = (manifest: Manifest, terminal: Terminal) => {
  const { out, width } = terminal
  out(
    `${manifest.title} (${manifest.id}) ${manifest.version}, ${manifest.maturity}\n${wrap(manifest.summary, width)}\n\nConnect by\n`,
  )
  for (const type of manifest.connections) out(`${wrap(`${type.id}: ${type.purpose}`, width, '  ')}\n`)
  out(`\nSteps\n${wrap(manifest.steps.map(({ id }) => id).join(', '), width, '  ')}\n`)
  if (manifest.triggers.length > 0)
    out(`Triggers\n${wrap(manifest.triggers.map(({ id }) => id).join(', '), width, '  ')}\n`)
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

const flagsOf = ({ legacy, cost, ready }: StepManifest) =>
  [legacy && 'legacy', cost && 'credits', !ready && 'not ready'].filter(Boolean).join(', ')

const hasAll = ({ id, title, purpose }: TriggerManifest, words: string[]) => {
  const text = `${id} ${title} ${purpose}`.toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}

export const catalogueCommands = [
  command(
    {
      usage: 'list [words...]',
      about: 'list integrations with their steps and triggers',
      arguments: { words: 'only steps and triggers that contain all these words' },
      options: { integration: text('-i <id>', 'only this integration') },
      needs: 'catalogue',
    },
    async ({ call, say, terminal }, { words, integration }) => {
      const query = words.length > 0 ? words.join(' ') : undefined
      const [all, { items: steps }] = await Promise.all([
        call('catalogue.listIntegrations'),
        call('catalogue.findSteps', { query, integration }),
      ])
      const integrations = all.items.filter(({ id }) => integration === undefined || id === integration)
      const manifests = await Promise.all(integrations.map(({ id }) => call('catalogue.getIntegration', { id })))
      const single = words.flatMap((word) => word.split(/\s+/))
      const triggers = manifests.flatMap(({ id, triggers }) =>
        triggers.filter((trigger) => hasAll(trigger, single)).map((trigger) => ({ ...trigger, integration: id })),
      )
      const { out, width } = terminal
      say({ integrations, steps, triggers }, () => {
        for (const { id, title, summary } of integrations) {
          const stepRows = steps
            .filter((step) => step.integration === id)
            .map((step) => [step.id, step.effect, flagsOf(step), step.purpose])
          const triggerRows = triggers
            .filter((trigger) => trigger.integration === id)
            .map((trigger) => [trigger.id, deliveredBy(trigger), trigger.purpose])
          if (stepRows.length + triggerRows.length === 0) continue
          out(`${wrap(`${title} (${id}): ${summary}`, width)}\n`)
          if (stepRows.length > 0) out(`${table(['step', 'effect', '', 'what it does'], stepRows, width, '  ')}\n\n`)
          if (triggerRows.length > 0)
            out(`${table(['trigger', 'delivery', 'what starts the agent'], triggerRows, width, '  ')}\n\n`)
        }
        const isEmpty = steps.length + triggers.length === 0
        const more = `Fields of a step or trigger: ${typed(terminal, 'describe <integration> <step>')}`
        out(`${isEmpty ? `No step or trigger contains all these words: ${words.join(' ')}` : more}\n`)
      })
    },
  ),
  command(
    {
      usage: 'describe <integration> [step]',
      about: 'show an integration, or a step or trigger with its fields',
      arguments: { step: 'id of a step, or of a trigger' },
      options: { example: flag('show sample inputs and outputs') },
      needs: 'catalogue',
    },
    async (context, { integration, step: id, example }) => {
      const { terminal } = context
      const manifest = await context.call('catalogue.getIntegration', { id: integration })
      const step = manifest.steps.find((step) => step.id === id)
      const trigger = manifest.triggers.find((trigger) => trigger.id === id)
      if (id !== undefined && !step && !trigger) throw noSuchStep(context, manifest, id, manifest.triggers)
      if (example && !step && !trigger) throw failField('example', '--example needs a step or a trigger.')
      context.say(step ?? trigger ?? manifest, () => {
        if (step) return example ? sayStepExample(step, terminal) : sayStep(manifest, step, terminal)
        if (trigger) return example ? sayTriggerExample(trigger, terminal) : sayTrigger(manifest, trigger, terminal)
        sayIntegration(manifest, terminal)
      })
    },
  ),
]
