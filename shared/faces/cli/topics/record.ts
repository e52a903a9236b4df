import { join, resolve } from 'node:path'
import { fail, failField, isAbsent } from '#kit'
import type { ExampleCase, TriggerExampleCase } from '#kit'
import { amount, command, flag, text } from '../declare.ts'
import type { Context } from '../declare.ts'
import { addCases, readExamples, titleFor } from '../example-file.ts'
import type { Examples } from '../example-file.ts'
import { exists } from '../exists.ts'
import { readInput, readWhole } from '../input.ts'
import { readDeliveryFile } from '../pasted-delivery.ts'
import { noSuchStep, stepArguments, stepOptions } from '../step-arguments.ts'
import { plain } from '../table.ts'

/**
 * The folder of the integration that the server serves, if it serves one.
 * @throws Failure `unavailable` when the server does not record runs
 */
const servedFolder = async ({ client, typed }: Context): Promise<string | undefined> => {
  const { ask, address } = await client()
  try {
    return (await ask<{ folder: string | null }>('dev/record')).folder ?? undefined
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown
    throw fail(
      'unavailable',
      `The server at ${address} does not record. Serve the integration with "${typed('dev <folder>')}" and set TOOLYARD_DATA as it says, or record against the sandbox with --sandbox.`,
    )
  }
}

/** The folder of the integration: the one passed with --to, the one the server serves, or the one in the checkout. */
const folderOf = async (context: Context, to: string | undefined, integration: string): Promise<string> => {
  const served = await servedFolder(context)
  const folder = resolve(context.parts.cwd, to ?? served ?? join('integrations', integration))
  if (await exists(folder)) return folder
  throw failField('to', `There is no folder ${folder}. Give the folder of the integration with --to.`, 'not_found')
}

/** The step or trigger with this id, and the schema of what is given to it. */
const findSubject = async (context: Context, integration: string, id: string) => {
  const manifest = await context.call('catalogue.getIntegration', { id: integration })
  const { steps, triggers } = manifest
  const step = steps.find((candidate) => candidate.id === id)
  if (step) return { kind: 'step' as const, form: step.form }
  const trigger = triggers.find((candidate) => candidate.id === id)
  if (trigger) return { kind: 'trigger' as const, form: trigger.config }
  throw noSuchStep(context, manifest, id, triggers)
}

type Options = {
  connection: string | undefined
  failing: boolean | undefined
  pages: number | undefined
  delivery: string | undefined
  event: string | undefined
  facts: string | undefined
}

/** @throws Failure `invalid_input` for an option of the other kind */
const requireOptionsOf = (kind: Examples['kind'], id: string, options: Options): void => {
  const foreign = kind === 'step' ? (['delivery', 'event', 'facts'] as const) : (['failing', 'pages'] as const)
  for (const name of foreign)
    if (options[name] !== undefined)
      throw failField(
        name,
        `--${name} is for ${kind === 'step' ? 'triggers' : 'steps'}, and "${id}" is a ${kind}. Leave it out.`,
      )
  if (options.delivery !== undefined && options.event !== undefined)
    throw failField('event', 'Give --delivery or --event, not both.')
}

const readFacts = (facts: string | undefined): Record<string, unknown> | undefined => {
  if (facts === undefined) return undefined
  try {
    const value = JSON.parse(facts) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Falls through to the one refusal below.
  }
  throw failField('facts', `--facts takes a JSON object, like {"me":"acc_1"}, not: ${facts}`)
}

const recordTimeoutMs = 180_000

const recordRun = async (
  { client }: Context,
  run: { integration: string; step: string; input: Record<string, unknown>; title: string },
  { connection, failing, pages }: Options,
): Promise<ExampleCase[]> => {
  const { ask } = await client()
  const json = { ...run, connection, fails: failing, pages }
  return ask<ExampleCase[]>('dev/record', { method: 'post', json, timeout: recordTimeoutMs })
}

const recordDelivery = async (
  { client, parts, terminal }: Context,
  trigger: { integration: string; trigger: string; config: Record<string, unknown>; title: string },
  { connection, delivery, event, facts }: Options,
): Promise<TriggerExampleCase> => {
  const pasted = delivery === undefined ? undefined : await readDeliveryFile(delivery, parts.cwd, terminal.readStdin)
  const { ask } = await client()
  const json = { ...trigger, connection, facts: readFacts(facts), delivery: pasted, event }
  return ask<TriggerExampleCase>('dev/record/delivery', { method: 'post', json, timeout: recordTimeoutMs })
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

export const recordCommand = command(
  {
    usage: 'record <integration> <step> [input]',
    about: 'write what really happened as an example of a step or trigger, without secrets and real people',
    arguments: { ...stepArguments, step: 'id of a step, or of a trigger whose config the input is' },
    options: {
      ...stepOptions,
      title: text('<title>', 'title of the example; default: a numbered one'),
      failing: flag('record a run that fails, as an example of a failure'),
      pages: amount('<n>', 'record up to n pages, each as an example of its own', { isWhole: true }),
      delivery: text(
        '<file>',
        'of a trigger: a delivery as it was copied, - for standard input; default: the last one',
      ),
      event: text('<id>', 'of a trigger: the delivery of this stored event'),
      facts: text('<json>', 'of a trigger: what its match asks for and the delivery does not say'),
      to: text(
        '<folder>',
        'folder of the integration; default: the one "toolyard dev" serves, else integrations/<integration>',
      ),
      sandbox: flag('use a sandbox started for this run'),
    },
    needs: 'recorder',
    help: ({ typed }) =>
      `\nExamples:\n  ${typed(`record <integration> <step> --input '{"name":"Press kit"}' --title "A new item"`)}\n  ${typed(`record <integration> <trigger> --title "Starts an agent"`)}`,
  },
  async (context, { integration, step: id, input: argument, whole, fields, to, title: chosen, ...options }) => {
    const { say, terminal } = context
    const { kind, form } = await findSubject(context, integration, id)
    requireOptionsOf(kind, id, options)
    const input = await readInput({ whole: readWhole(argument, whole), fields }, form, terminal.readStdin)
    // Checked before the run, which may create something at the provider.
    const folder = await folderOf(context, to, integration)
    const examples = await readExamples(kind, id, join(folder, 'examples', `${id}.json`))
    const title = titleFor(examples, chosen)
    const { file } = examples
    const wrote = `Wrote "${plain(title)}" to ${plain(file)}`
    if (kind === 'step') {
      const cases = await recordRun(context, { integration, step: id, input, title }, options)
      await addCases(examples, cases)
      const requests = cases.flatMap(({ exchanges }) => exchanges).length
      const more = cases.length > 1 ? ` in ${counted(cases.length, 'example')}` : ''
      say({ file, title, requests, cases: cases.length }, `${wrote}: ${counted(requests, 'request')}${more}.`)
    } else {
      const trigger = { integration, trigger: id, config: input, title }
      const recorded = await recordDelivery(context, trigger, options)
      await addCases(examples, [recorded])
      const starts = recorded.data !== null
      say({ file, title, starts }, `${wrote}: a delivery that ${starts ? 'starts an agent' : 'starts nothing'}.`)
    }
    terminal.err(
      'Read it before you commit it: people and secrets are replaced where they were recognised, other texts and ids are real. The contract test replays it.\n',
    )
  },
)
