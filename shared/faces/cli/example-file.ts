import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail, failField } from '#kit'
import type { ExampleFile, TriggerExampleFile } from '#kit'

/** The examples of one step or trigger: `of` is its id. */
export type Examples = { kind: 'step' | 'trigger'; of: string; file: string; content: ExampleFile | TriggerExampleFile }

/** @throws Failure `conflict` when the file holds something else */
export const readExamples = async (kind: Examples['kind'], of: string, file: string): Promise<Examples> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw fail('unavailable', `${file} cannot be read (${error.code}).`)
  })
  if (text === undefined)
    return { kind, of, file, content: kind === 'step' ? { step: of, cases: [] } : { trigger: of, cases: [] } }
  try {
    const content = JSON.parse(text) as ExampleFile & TriggerExampleFile
    if (content[kind] === of && Array.isArray(content.cases)) return { kind, of, file, content }
  } catch {
    // Falls through to the one refusal below.
  }
  throw fail('conflict', `${file} does not hold examples of "${of}", so nothing was written. Correct or remove it.`)
}

/** The title for a new case. @throws Failure `conflict` when a case has it already */
export const titleFor = ({ kind, content: { cases } }: Examples, title: string | undefined): string => {
  const isTaken = (other: string) => cases.some((example) => example.title === other)
  if (title !== undefined && isTaken(title))
    throw failField(
      'title',
      `--title "${title}": there is a case with this title already. Give another one.`,
      'conflict',
    )
  const numbered = (number: number) => `Recorded ${kind === 'step' ? 'run' : 'delivery'} ${number}`
  let number = cases.length + 1
  while (isTaken(numbered(number))) number += 1
  return title ?? numbered(number)
}

export const addCases = async ({ file, content }: Examples, recorded: unknown[]): Promise<void> => {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify({ ...content, cases: [...content.cases, ...recorded] }, null, 2)}\n`)
}
