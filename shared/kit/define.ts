import type * as z from 'zod'
import type { Events } from './events/define.ts'
import { wordsOf } from './events/words.ts'
import { once } from './once.ts'
import type { Words } from './sentence.ts'
import type { Trigger, TriggerDefinition } from './trigger.ts'
import type { Integration } from './integration.ts'
import type { Step, StepDefinition } from './step.ts'

/**
 * Builds schemas given as functions when they are first read: building all of them would take a third of a cold start.
 */
const withSchemas = <T extends object, K extends keyof T>(definition: T, names: K[]): T => {
  const made = { ...definition }
  for (const name of names) {
    const value = definition[name]
    if (typeof value === 'function')
      Object.defineProperty(made, name, { enumerable: true, get: once(value as unknown as () => unknown) })
  }
  return made
}

/** As `Integration`; of an integration with `events`, webhooks and the words of events follow from them. */
export type IntegrationDefinition = Omit<Integration, 'words'> & { events?: Events<any>; words?: Partial<Words> }

export const defineIntegration = ({ events, words, ...integration }: IntegrationDefinition): Integration => {
  const eventWords = events && wordsOf(events, integration.triggers ?? [])
  return {
    ...(events?.webhooks ? { webhooks: events.webhooks } : {}),
    ...integration,
    ...(eventWords || words ? { words: { describe: () => undefined, ...eventWords, ...words } } : {}),
  }
}

/** Gives a plain step definition its types, and builds its schemas on first use. */
export const defineStep = <I extends z.ZodObject, O extends z.ZodType>(step: StepDefinition<I, O>): Step =>
  withSchemas(step, ['input', 'output']) as unknown as Step

/** As `defineStep`. */
export const defineTrigger = <C extends z.ZodObject, D extends z.ZodType>(trigger: TriggerDefinition<C, D>): Trigger =>
  withSchemas(trigger, ['config', 'data']) as unknown as Trigger
