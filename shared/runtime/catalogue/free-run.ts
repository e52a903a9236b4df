import { effectOfRun, operationsOf } from './operations.ts'
import type { ApiRequest } from './check-call.ts'
import { priceOfPath } from './path-price.ts'
import { stepCost } from './price.ts'
import { effectOf } from './registry.ts'
import type { LoadedStep } from './registry.ts'

/** Whether a run only reads and costs nothing, so that it can be repeated. For API Call, its request decides. */
export const isFreeRun = async (loadedStep: LoadedStep, input: Record<string, unknown>): Promise<boolean> => {
  const { step, loaded } = loadedStep
  const effect = effectOf(step, input)
  if (stepCost(loadedStep, input) !== undefined) return false
  if (step.id !== 'api-call') return effect === 'read'
  if ((await effectOfRun(loaded, input, effect)) !== 'read') return false
  return priceOfPath(loaded, await operationsOf(loaded), input as ApiRequest) === 'free'
}
