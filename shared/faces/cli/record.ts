import { noSuchStep } from './step-arguments.ts'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fail, failField } from '#kit'
import type { ExampleCase, ExampleFile } from '#kit'
import type { Client } from './client.ts'
import { readInput } from './input.ts'
import { plain } from './table.ts'
import type { Terminal } from './terminal.ts'

export type RecordOptions = { input?: string; field: string[]; connection?: string; title?: string; to?: string; json?: boolean }
type Asked = RecordOptions & { integration: string; step: string; argument: string | undefined; cwd: string }

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** The folder of the integration: the one given, the one a server has, or the one of the checkout. */
const folderOf = async ({ to, integration, cwd }: Asked, served: string | undefined): Promise<string> => {
  const folder = resolve(cwd, to ?? served ?? join('integrations', integration))
  if (await isThere(folder)) return folder
  throw failField('to', `There is no folder ${folder}. Give the folder of the integration with --to.`, 'not_found')
}

const readFileOf = async (file: string, step: string): Promise<ExampleFile> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw fail('unavailable', `${file} cannot be read (${error.code}).`)
  })
  if (text === undefined) return { step, cases: [] }
  try {
    const known = JSON.parse(text) as ExampleFile
    if (known.step === step && Array.isArray(known.cases)) return known
  } catch {
    // Falls through to the one refusal below.
  }
  throw fail('conflict', `${file} does not hold examples of "${step}", so nothing was written. Correct or remove it.`)
}

const titleFor = ({ cases }: ExampleFile, given: string | undefined): string => {
  const isTaken = (title: string) => cases.some((one) => one.title === title)
  if (given !== undefined && isTaken(given))
    throw failField('title', `--title "${given}": there is a case with this title already. Give another one.`, 'conflict')
  let number = cases.length + 1
  while (isTaken(`Recorded run ${number}`)) number += 1
  return given ?? `Recorded run ${number}`
}

/** `toolyard record`: runs a step and writes what happened as an example case. */
export const record = async (client: Client, terminal: Terminal, asked: Asked): Promise<number> => {
  try {
    const { integration, step: id, connection } = asked
    const manifest = await client.manifest(integration)
    const step = manifest.steps.find((candidate) => candidate.id === id)
    if (!step) throw noSuchStep(terminal, manifest, id)
    if (asked.argument !== undefined && asked.input !== undefined) throw failField('input', 'The input is given twice: as argument and as --input.')
    const input = await readInput({ whole: asked.input ?? asked.argument, fields: asked.field }, step.form, terminal.readStdin)
    // Before the run, which may create something.
    const folder = await folderOf(asked, await client.recordsInto())
    const file = join(folder, 'examples', `${id}.json`)
    const examples = await readFileOf(file, id)
    const title = titleFor(examples, asked.title)
    const made: ExampleCase = await client.record({ integration, step: id, connection, input, title })
    await mkdir(join(folder, 'examples'), { recursive: true })
    await writeFile(file, `${JSON.stringify({ ...examples, cases: [...examples.cases, made] }, null, 2)}\n`)
    const requests = made.exchanges.length
    if (asked.json) terminal.out(`${JSON.stringify({ file, title, requests })}\n`)
    else terminal.out(`Wrote "${plain(title)}" to ${plain(file)}: ${requests} request${requests === 1 ? '' : 's'}.\n`)
    terminal.err('Read it before you commit it: what people wrote at the provider is in it. The contract test replays it.\n')
    return 0
  } finally {
    await client.close()
  }
}
