import { offerOf } from '../catalogue/offered-fields.ts'
import { parseInput, requireBounded } from '../catalogue/parse.ts'
import type { LoadedStep, Registry } from '../catalogue/registry.ts'
import { requireRun } from '../bounds.ts'
import type { Caller } from '../ports/index.ts'
import type { StepCall } from './step-call.ts'

/** A call whose step exists and may be run by its caller, with the parsed input. */
export type ValidCall = {
  loadedStep: LoadedStep
  input: Record<string, unknown>
  isLarge: boolean
  /** The field of the container was left out; `fillContainer` fills it in. */
  lacksContainer: boolean
}

/** @throws Failure `not_found`, `not_allowed`, `invalid_input`, `too_large` */
export const validateCall = (registry: Registry, caller: Caller, call: StepCall): ValidCall => {
  const loadedStep = registry.step(call.integration, call.step)
  requireRun(caller, loadedStep)
  const isLarge = requireBounded(call.input)
  const input = parseInput(loadedStep.step, call.input, () => offerOf(loadedStep).hidden)
  const { container } = loadedStep.step
  return { loadedStep, input, isLarge, lacksContainer: container !== undefined && input[container] === undefined }
}
