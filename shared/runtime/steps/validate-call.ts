import { fail } from '#kit'
import { offerOf } from '../catalogue/offered-fields.ts'
import { parseInput, requireBounded } from '../catalogue/parse.ts'
import { isInToolSet } from '../catalogue/tool-sets.ts'
import type { LoadedStep, Registry } from '../catalogue/registry.ts'
import type { Caller } from '../ports/index.ts'
import type { StepCall } from './step-call.ts'

/** A call whose step exists, may be run by its caller and accepts the input. */
export type ValidCall = { found: LoadedStep; input: Record<string, unknown>; isLarge: boolean }

/** Throws `not_allowed` when the token is bound to other steps. */
export const requireBound = (caller: Caller, found: LoadedStep) => {
  const { loaded, step } = found
  const id = `${loaded.integration.id}/${step.id}`
  if (caller.steps && !caller.steps.includes(id)) throw fail('not_allowed', `This token may not run ${id}. It is bound to: ${caller.steps.join(', ')}.`)
  if (caller.toolSet !== undefined && !isInToolSet(found, caller.toolSet))
    throw fail('not_allowed', `This token may not run ${id}. It is bound to the tool set "${caller.toolSet}", which does not have it.`)
}

/** Throws `not_allowed` when the token may not run the step. */
export const requireAllowed = (caller: Caller, found: LoadedStep) => {
  if (caller.scopes && !caller.scopes.includes('run')) throw fail('not_allowed', 'This token may not run steps. Use one with the scope "run".')
  requireBound(caller, found)
}

/** A token that is bound to steps reads nothing else of the account. @throws Failure `not_allowed` */
export const requireTriggers = ({ scopes, steps, toolSet }: Caller) => {
  if ((steps === undefined && toolSet === undefined) || (scopes?.includes('subscriptions') ?? true)) return
  throw fail('not_allowed', 'This token is bound to certain steps and may not read the choices of triggers. Use one with the scope "subscriptions".')
}

/** @throws Failure `not_found`, `not_allowed`, `invalid_input`, `too_large` */
export const validateCall = (registry: Registry, caller: Caller, call: StepCall): ValidCall => {
  const found = registry.step(call.integration, call.step)
  requireAllowed(caller, found)
  const isLarge = requireBounded(call.input)
  return { found, input: parseInput(found.step, call.input, () => offerOf(found).hidden), isLarge }
}
