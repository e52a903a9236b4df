import type { Outcome } from '#kit'
import type { House } from '../client.ts'
import { plain } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** Something did not go as the story tells it. */
export class DemoBroken extends Error {}

/** What a chapter plays on. Every call tells what is asked and, in a line, what came back. */
export type Stage = {
  house: House
  say(text: string): void
  /** Runs a step that must work. `tell` says the answer in a line, and throws `broken` when it is not as told. */
  step<T>(asked: string, id: string, input: Record<string, unknown>, tell: (output: T) => string): Promise<T>
  /** Runs a step that must be refused with this failure code. */
  refused(asked: string, id: string, input: Record<string, unknown>, code: string): Promise<void>
  /** Asks what a step would cost, by a dry run. */
  price(asked: string, id: string, input: Record<string, unknown>): Promise<string>
  /** Loads the choices of a field. */
  choices(asked: string, id: string, field: string, values: Record<string, unknown>): Promise<{ value: string; label: string }[]>
}
export type Chapter = { title: string; play(stage: Stage): Promise<void> }

export const broken = (why: string): never => {
  throw new DemoBroken(why)
}

const idOf = (step: string) => {
  const [integration = '', id = ''] = step.split('/')
  return { integration, step: id }
}

export const createStage = (house: House, terminal: Terminal): Stage => {
  const ask = (asked: string, step: string) => terminal.out(`\n  ${asked}  (${idOf(step).step})\n`)
  const answer = (text: string) => terminal.out(`    → ${plain(text)}\n`)
  const run = (step: string, input: Record<string, unknown>): Promise<Outcome> =>
    house.pack.steps.run(house.caller, { ...idOf(step), input, signal: terminal.signal })
  return {
    house,
    say: (text) => terminal.out(`${text}\n`),
    async step<T>(asked: string, step: string, input: Record<string, unknown>, tell: (output: T) => string) {
      ask(asked, step)
      const outcome = await run(step, input)
      if (!outcome.ok) return broken(`${outcome.failure.code}: ${outcome.failure.message}`)
      answer(tell(outcome.value as T))
      return outcome.value as T
    },
    async refused(asked, step, input, code) {
      ask(asked, step)
      const outcome = await run(step, input)
      if (outcome.ok) return broken(`this should have been refused with ${code}, but it was done`)
      if (outcome.failure.code !== code) broken(`this should have been refused with ${code}, but it was ${outcome.failure.code}: ${outcome.failure.message}`)
      answer(`refused (${code}): ${outcome.failure.message}`)
    },
    async price(asked, step, input) {
      ask(asked, step)
      const outcome = await house.pack.steps.run(house.caller, { ...idOf(step), input, dryRun: true })
      if (!outcome.ok) return broken(`${outcome.failure.code}: ${outcome.failure.message}`)
      const { price } = outcome.value as { price?: { typical: [number, number]; per: string } }
      return price ? `${price.typical.join(' to ')} credits per ${price.per}` : broken('the dry run names no price')
    },
    async choices(asked, step, field, values) {
      ask(asked, step)
      const { options } = await house.pack.steps.options(house.caller, { ...idOf(step), field, values, signal: terminal.signal })
      answer(options.map(({ label }) => label).join(' | '))
      return options
    },
  }
}
