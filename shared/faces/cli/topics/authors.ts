import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fail, failField, isAbsent } from '#kit'
import type { ExampleCase, ExampleFile } from '#kit'
import { command, flag, text } from '../declare.ts'
import type { Context } from '../declare.ts'
import { exists } from '../exists.ts'
import { readInput, readWhole } from '../input.ts'
import { findStep, stepArguments, stepOptions } from '../step-arguments.ts'
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

const readFileOf = async (file: string, step: string): Promise<ExampleFile> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw fail('unavailable', `${file} cannot be read (${error.code}).`)
  })
  if (text === undefined) return { step, cases: [] }
  try {
    const examples = JSON.parse(text) as ExampleFile
    if (examples.step === step && Array.isArray(examples.cases)) return examples
  } catch {
    // Falls through to the one refusal below.
  }
  throw fail('conflict', `${file} does not hold examples of "${step}", so nothing was written. Correct or remove it.`)
}

const titleFor = ({ cases }: ExampleFile, title: string | undefined): string => {
  const isTaken = (title: string) => cases.some((example) => example.title === title)
  if (title !== undefined && isTaken(title))
    throw failField(
      'title',
      `--title "${title}": there is a case with this title already. Give another one.`,
      'conflict',
    )
  let number = cases.length + 1
  while (isTaken(`Recorded run ${number}`)) number += 1
  return title ?? `Recorded run ${number}`
}

const recordTimeoutMs = 180_000

/** Commands for people who write an integration. */
export const authorCommands = [
  command(
    {
      usage: 'dev <folder>',
      about:
        'serve the integration of one folder for its author: reloads it on change, allows providers and agents on this machine',
      arguments: { folder: 'the folder with manifest.ts; TypeScript runs as it is' },
      options: {
        wire: text('<file>', 'JSON file with wire overrides, read again on change; default: TOOLYARD_WIRE'),
        data: text('<folder>', 'keep the data there; default: a temporary folder, removed at the end'),
      },
      textOnly: true,
      help: ({ typed }) =>
        `\nExample:\n  ${typed('dev integrations/<id> --wire overrides.json')}\nA new integration: npm run new -- <id>`,
    },
    ({ configuration, parts: { cwd, dev } }, { folder, wire, data }) =>
      dev(configuration(), { folder, data, wireFile: wire === undefined ? undefined : resolve(cwd, wire), cwd }),
  ),
  command(
    {
      usage: 'record <integration> <step> [input]',
      about: 'run a step and write what happened, without secrets, as an example',
      arguments: stepArguments,
      options: {
        ...stepOptions,
        title: text('<title>', 'title of the example; default: a numbered one'),
        to: text(
          '<folder>',
          'folder of the integration; default: the one "toolyard dev" serves, else integrations/<integration>',
        ),
        sandbox: flag('use a sandbox started for this run'),
      },
      needs: 'recorder',
      help: ({ typed }) =>
        `\nExample:\n  ${typed(`record <integration> <step> --input '{"name":"Press kit"}' --title "A new item"`)}`,
    },
    async (context, { integration, step: id, input: argument, whole, fields, connection, to, ...options }) => {
      const { client, say, terminal } = context
      const step = await findStep(context, integration, id)
      const input = await readInput({ whole: readWhole(argument, whole), fields }, step.form, terminal.readStdin)
      // Checked before the run, which may create something at the provider.
      const folder = await folderOf(context, to, integration)
      const file = join(folder, 'examples', `${id}.json`)
      const examples = await readFileOf(file, id)
      const title = titleFor(examples, options.title)
      const { ask } = await client()
      const body = { integration, step: id, connection, input, title }
      const recorded = await ask<ExampleCase>('dev/record', { method: 'post', json: body, timeout: recordTimeoutMs })
      await mkdir(join(folder, 'examples'), { recursive: true })
      await writeFile(file, `${JSON.stringify({ ...examples, cases: [...examples.cases, recorded] }, null, 2)}\n`)
      const requests = recorded.exchanges.length
      say(
        { file, title, requests },
        `Wrote "${plain(title)}" to ${plain(file)}: ${requests} request${requests === 1 ? '' : 's'}.`,
      )
      terminal.err(
        'Read it before you commit it: what people wrote at the provider is in it. The contract test replays it.\n',
      )
    },
  ),
]
