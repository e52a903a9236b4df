import { failures } from '#kit'
import type { FailureJson, HeldRun } from '#kit'
import { plain } from './table.ts'

/** Where a command reads and writes. */
export type Terminal = {
  out(text: string): void
  err(text: string): void
  readStdin(): Promise<string>
  width: number
  /** Replaces the status line, or clears it (''). Absent when standard error is not a terminal. */
  status?: ((text: string) => void) | undefined
  /** Asks a question and returns the answer. Absent when nobody is at the terminal. */
  ask?: ((question: string) => Promise<string>) | undefined
  /** Aborted by Ctrl-C and by signals that end a process. */
  signal: AbortSignal
  /** How to run this command again from the working directory, see `invocationOf`. */
  self?: string
}

/** A command line as it can be typed here, for hints. */
export const typed = ({ self = 'toolyard' }: Pick<Terminal, 'self'>, words: string) => `${self} ${words}`

/** Flags and settings of the command line that replace the field names in messages of the pack. */
const flags: [RegExp, string][] = [
  [/"connection"/g, '-c'],
  [/"?agent\.url"?/g, '--agent'],
  [/"?options\.delivery"?|"delivery"/g, '--delivery'],
  [/"?(options\.)?startFrom"?/g, '--start-from'],
  [/"?(options\.)?settleMs"?/g, '--settle'],
  [/"?(options\.)?ownEvents"?/g, '--own-events'],
  [/in the Authorization header/g, 'in TOOLYARD_TOKEN'],
]
const inFlags = (message: string) => flags.reduce((text, [field, flag]) => text.replace(field, flag), message)

/** Where a held run is decided, as far as the message does not say so. */
const heldText = (terminal: Terminal, { id, url }: HeldRun, message: string): string =>
  [
    ...(url === undefined || message.includes(url) ? [] : [`Decide it at: ${url}`]),
    `Approve it with: ${typed(terminal, `approvals approve ${id}`)}`,
  ]
    .map((line) => `  ${plain(line)}\n`)
    .join('')

/** Prints a failure and returns its exit code. */
export const printFailure = (terminal: Terminal, failure: FailureJson & { runId?: string }, json: boolean): number => {
  const { code, message, providerMessage, retryAfterMs, runId, approval } = failure
  if (json) {
    terminal.err(`${JSON.stringify(failure)}\n`)
    return failures[code].exit
  }
  const details = [
    code,
    ...(retryAfterMs === undefined ? [] : [`retry in ${Math.ceil(retryAfterMs / 1000)} s`]),
    ...(runId ? [`run ${runId}`] : []),
  ]
  terminal.err(`toolyard: ${plain(inFlags(message))}\n`)
  if (providerMessage !== undefined && !message.includes(providerMessage))
    terminal.err(`  provider message: ${plain(providerMessage)}\n`)
  if (approval) terminal.err(heldText(terminal, approval, message))
  terminal.err(`  (${details.join(', ')})\n`)
  return failures[code].exit
}
