import { isAbsent, isFailure, toFailureJson } from '#kit'
import type { CallOptions } from '../call.ts'
import type { Answer } from '../operations.ts'
import { amount, command, flag, text, texts } from '../declare.ts'
import type { Context } from '../declare.ts'
import { readInput, readWhole } from '../input.ts'
import { personOption } from '../person-options.ts'
import { withProgress } from '../progress.ts'
import { connectionOption, findStep, noSuchStep, stepArguments, stepOptions } from '../step-arguments.ts'
import { plain } from '../table.ts'
import { printFailure, typed } from '../terminal.ts'

type Meta = Answer<'steps.runStep'>['meta']

/** Prints what a run reports besides its output. */
export const noteMeta = (
  { note }: Pick<Context, 'note'>,
  { credits, connection, warnings = [], unlisted, ...meta }: Meta,
) => {
  const cost = credits
    ? `, ${credits.charged} ${credits.charged === 1 ? 'credit' : 'credits'}${credits.estimated ? ' (estimated)' : ''}`
    : ''
  const account = connection ? `, connection "${plain(connection.name)}"` : ''
  note(
    `run ${meta.runId}: ${Math.round(meta.durationMs)} ms, ${meta.attempts} request${meta.attempts === 1 ? '' : 's'}${account}${cost}`,
  )
  for (const warning of warnings) note(`warning: ${plain(warning)}`)
  if (unlisted) note('note: this endpoint is not a listed one, so its parameters were not checked')
}

/** Prints the output of a run as JSON on standard output, everything else on standard error. */
export const sayOutput = (context: Context, done: { output?: unknown; meta: Meta }, dryRun: boolean | undefined) => {
  // Only made where it is printed: the text of a large answer takes a long turn.
  context.say(done, () => context.terminal.out(`${JSON.stringify(done.output, null, 2)}\n`))
  if (!dryRun) noteMeta(context, done.meta)
}

/** Headers of a run, and a signal that Ctrl-C aborts. */
export const runOptions = (
  { terminal }: Context,
  startId: string | undefined,
  idempotencyKey: string | undefined,
): CallOptions => ({
  headers: { 'start-id': startId, 'idempotency-key': idempotencyKey },
  signal: terminal.signal,
})

export const stepCommands = [
  command(
    {
      usage: 'run <integration> <step> [input]',
      about: 'run a step with a connection',
      arguments: stepArguments,
      options: {
        ...stepOptions,
        person: personOption,
        dryRun: flag('show the exact requests with secrets masked; send nothing'),
        idempotencyKey: text(
          '<key>',
          'makes a repeat safe: with the same key the stored outcome is returned and nothing is sent again',
        ),
        force: flag('create again even though the same run recently ended with an unknown outcome'),
        maxCredits: amount('<credits>', 'fail before anything is sent that might make the run cost more'),
        maxAge: amount('<seconds>', 'how old a stored result of a lookup may be; 0 asks the provider'),
        refresh: flag('ask the provider, and store its answer in place of the stored one'),
        merge: flag('send a lookup with others as one bulk request, also where every record asked for is charged'),
        alone: flag('send a lookup alone', '--no-merge'),
        startId: text('<id>', 'the agent start this run belongs to'),
        sandbox: flag('use the sandbox: the running one, otherwise a new one for this run'),
      },
      help: ({ typed }) => `
Examples:
  ${typed('run <integration> <step> -f name="Press kit" -f limit=5')}
  ${typed(`run <integration> <step> '{"name":"Press kit","limit":5}' --json`)}
The fields of a step, and a command to try: ${typed('describe <integration> <step>')}`,
    },
    async (
      context,
      {
        integration,
        step: id,
        input: argument,
        fields,
        whole,
        startId,
        idempotencyKey,
        sandbox: _,
        alone: __,
        ...options
      },
    ) => {
      const { call, client, json, terminal } = context
      const step = await findStep(context, integration, id)
      const input = await readInput({ whole: readWhole(argument, whole), fields }, step.form, terminal.readStdin)
      const { dryRun = false, force = false } = options
      try {
        const done = await withProgress(terminal, async (report) => {
          ;(await client()).onProgress?.(report)
          const body = { integration, step: id, ...options, input, dryRun, force }
          return call('steps.runStep', body, runOptions(context, startId, idempotencyKey))
        })
        sayOutput(context, done, dryRun)
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        const exit = printFailure(terminal, toFailureJson(thrown), json)
        const field = isAbsent(thrown)
          ? thrown.details.errors?.map(({ pointer }) => pointer.slice(1)).find((name) => step.fields[name]?.options)
          : undefined
        if (field !== undefined && !json)
          terminal.err(`  Choices: ${typed(terminal, `options ${integration} ${id} ${field}`)}\n`)
        return exit
      }
    },
  ),
  command(
    {
      usage: 'options <integration> <step> <field>',
      about: 'list the choices of an input field, loaded from the connected account',
      arguments: { step: 'id of a step, or of a trigger', field: 'a field that "describe" shows with choices' },
      options: {
        connection: connectionOption,
        person: personOption,
        filled: texts('-f, --field <name=value>', 'a field that the choices depend on; repeat for more'),
        query: text('-q <words>', 'only choices that contain these words'),
        cursor: text('<cursor>', 'continue after the previous page'),
      },
      help: ({ typed }) => `\nExample:\n  ${typed('options <integration> <step> <field> -f <other field>=<value>')}`,
    },
    async (context, { integration, step: id, filled, ...options }) => {
      const { call, list, say, terminal } = context
      const manifest = await call('catalogue.getIntegration', { id: integration })
      const step = manifest.steps.find((step) => step.id === id)
      const trigger = manifest.triggers.find((trigger) => trigger.id === id)
      if (!step && !trigger) throw noSuchStep(context, manifest, id, manifest.triggers)
      const values = await readInput(
        { whole: undefined, fields: filled },
        step?.form ?? trigger!.config,
        terminal.readStdin,
      )
      const page = step
        ? await call('steps.loadStepOptions', { integration, step: id, ...options, values })
        : await call('subscriptions.loadTriggerOptions', { integration, trigger: id, ...options, values })
      say(page, () =>
        list({ items: page.options, next: page.next }, 'No choices found.', ({ value, label, hint }) => ({
          value: String(value),
          label: hint === undefined ? label : `${label} (${hint})`,
        })),
      )
    },
  ),
  command(
    {
      usage: 'fields <integration> <step>',
      about: 'list the fields that the connected account defines for a step, such as custom fields',
      options: {
        connection: connectionOption,
        person: personOption,
        field: texts('-f <name=value>', 'a field that they depend on; repeat for more'),
      },
      help: ({ typed }) => `\nExample:\n  ${typed('fields <integration> <step> -f <other field>=<value>')}`,
    },
    async (context, { integration, step: id, field, ...account }) => {
      const { call, list, say, terminal } = context
      const { form } = await findStep(context, integration, id)
      const values = await readInput({ whole: undefined, fields: field }, form, terminal.readStdin)
      const accountForm = await call('steps.loadStepFields', { integration, step: id, ...account, values })
      say(accountForm, () =>
        list(
          { items: accountForm.layout.fields },
          'No fields found.',
          ({ name, title, control, choices = [], labels = {} }) => ({
            id: name,
            name: title,
            takes:
              choices.length === 0
                ? control
                : `${control}: ${choices.map((choice) => labels[choice] ?? choice).join(', ')}`,
          }),
        ),
      )
    },
  ),
]
