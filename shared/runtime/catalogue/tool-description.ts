import type { Cost, JsonSchema } from '#kit'
import { statedPrice } from './price.ts'
import { whyNotReady } from './offered-fields.ts'
import type { LoadedStep } from './registry.ts'

const describeCost = ({ per, typical: [min, max], unit }: Cost) => {
  const amount = min === max ? `${max}` : min === 0 ? `up to ${max}` : `${min} to ${max}`
  return `Costs ${amount} ${unit}${max === 1 ? '' : 's'} per ${per} of the account.`
}

/** The description of a step for a model: its purpose, "one of" rules, price, what replaces it, and whether it can run at all. */
export const describeTool = (found: LoadedStep, input: JsonSchema): string => {
  const { step, loaded } = found
  const price = statedPrice(found)?.text
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
    whyNotReady(found) ?? '',
  ]
  return parts.filter(Boolean).join(' ')
}
