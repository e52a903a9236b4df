import type * as z from 'zod'
import type { Trigger, TriggerDefinition } from './trigger-types.ts'
import type { Integration, Step, StepDefinition } from './types.ts'

/** Identity functions: a definition is a plain object; these only give it types. */
export const defineIntegration = (integration: Integration): Integration => integration

export const defineStep = <I extends z.ZodObject, O extends z.ZodType>(step: StepDefinition<I, O>): Step => step as unknown as Step

export const defineTrigger = <C extends z.ZodObject, D extends z.ZodType>(trigger: TriggerDefinition<C, D>): Trigger => trigger as unknown as Trigger
