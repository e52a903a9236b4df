import type { Outcome } from '#kit'
import type { Caller, Pack } from '../pack.ts'
import type { AgentStart } from '../runtime/triggers/index.ts'
import type { Sandbox } from '../sandbox/index.ts'

/** An agent on this machine that accepts signed starts. */
type Receiver = { url: string; expect(secret: string): void; close(): Promise<void> }

/**
 * What the process passes in: a pack over a sandbox, and the command line's functions for output and for receiving
 * starts.
 */
export type DemoParts = {
  pack: Pack
  caller: Caller
  sandbox: Sandbox
  out(text: string): void
  err(text: string): void
  signal: AbortSignal
  /** A command line that the user can type here. */
  typed(words: string): string
  /** A provider's text, made safe for a terminal. */
  plain(text: string): string
  formatStart(start: AgentStart, title: string): string
  startReceiver(onStart: (start: AgentStart) => void, onForged: () => void): Promise<Receiver>
  /** Serves the pack at an address to which the sandbox can deliver. */
  listen(): Promise<{ close(): Promise<unknown> }>
}

/** Thrown when something does not go as the demo expects. */
export class DemoBroken extends Error {}

/** The functions that chapters use. Every call prints the question and, in one line, the response. */
export type Stage = {
  parts: DemoParts
  say(text: string): void
  /**
   * Runs a step that must succeed. `summarize` describes the output in one line, and throws `broken` when it is not as
   * expected.
   */
  step<T>(question: string, id: string, input: Record<string, unknown>, summarize: (output: T) => string): Promise<T>
  /** Runs a step that must fail with this failure code. */
  refused(question: string, id: string, input: Record<string, unknown>, code: string): Promise<void>
  /** Asks for a step's price by a dry run. */
  price(question: string, id: string, input: Record<string, unknown>): Promise<string>
  /** Loads the choices of a field. */
  choices(
    question: string,
    id: string,
    field: string,
    values: Record<string, unknown>,
  ): Promise<{ value: string; label: string }[]>
}
export type Chapter = { title: string; play(stage: Stage): Promise<void> }

export const broken = (why: string): never => {
  throw new DemoBroken(why)
}

const idOf = (step: string) => {
  const [integration = '', id = ''] = step.split('/')
  return { integration, step: id }
}

export const createStage = (parts: DemoParts): Stage => {
  const { pack, caller, signal, out, plain } = parts
  const ask = (question: string, step: string) => out(`\n  ${question}  (${idOf(step).step})\n`)
  const answer = (text: string) => out(`    → ${plain(text)}\n`)
  const run = (step: string, input: Record<string, unknown>): Promise<Outcome> =>
    pack.steps.run(caller, { ...idOf(step), input, signal })
  return {
    parts,
    say: (text) => out(`${text}\n`),
    async step<T>(question: string, step: string, input: Record<string, unknown>, summarize: (output: T) => string) {
      ask(question, step)
      const outcome = await run(step, input)
      if (!outcome.ok) return broken(`${outcome.failure.code}: ${outcome.failure.message}`)
      answer(summarize(outcome.value as T))
      return outcome.value as T
    },
    async refused(question, step, input, code) {
      ask(question, step)
      const outcome = await run(step, input)
      if (outcome.ok) return broken(`this should have been refused with ${code}, but it was done`)
      if (outcome.failure.code !== code)
        broken(
          `this should have been refused with ${code}, but it was ${outcome.failure.code}: ${outcome.failure.message}`,
        )
      answer(`refused (${code}): ${outcome.failure.message}`)
    },
    async price(question, step, input) {
      ask(question, step)
      const outcome = await pack.steps.run(caller, { ...idOf(step), input, dryRun: true })
      if (!outcome.ok) return broken(`${outcome.failure.code}: ${outcome.failure.message}`)
      const { price } = outcome.value as { price?: { typical: [number, number]; per: string } }
      return price ? `${price.typical.join(' to ')} credits per ${price.per}` : broken('the dry run names no price')
    },
    async choices(question, step, field, values) {
      ask(question, step)
      const { options } = await pack.steps.options(caller, { ...idOf(step), field, values, signal })
      answer(options.map(({ label }) => label).join(' | '))
      return options
    },
  }
}
