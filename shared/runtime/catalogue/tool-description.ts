import type { JsonSchema } from '#kit'
import { describeCost } from './describe-cost.ts'
import { statedPrice } from './price.ts'
import { whyNotReady } from './offered-fields.ts'
import type { LoadedStep } from './registry.ts'

/** The description of a step for a model: purpose, "one of" rules, price, replacement, and why it cannot run, if so. */
export const describeTool = (loadedStep: LoadedStep, input: JsonSchema): string => {
  const { step, loaded } = loadedStep
  const price = statedPrice(loadedStep)?.text
  const other = step.deprecated ?? step.legacy
  const replacement = other && loaded.steps.get(other.use)
  const parts = [
    step.purpose,
    typeof input.description === 'string' ? input.description : '',
    price !== undefined
      ? `Price: ${price}.`
      : typeof step.cost === 'object'
        ? describeCost(step.cost)
        : typeof step.cost === 'function'
          ? 'May cost credits of the account.'
          : '',
    replacement ? `${step.deprecated ? 'Deprecated' : 'Legacy'}: use ${replacement.tool}.` : '',
    whyNotReady(loadedStep) ?? '',
  ]
  return parts.filter(Boolean).join(' ')
}
