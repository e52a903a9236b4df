import { effectOfRun } from '../catalogue/operations.ts'
import type { OpenConnection } from '../connections/open-connection.ts'
import { stepWith } from '../session/session.ts'
import type { Running } from './run-records.ts'
import type { ValidCall } from './validate-call.ts'

/** Gives a run of API Call the effect that the connection's list of operations names for its request. */
export const noteListedEffect = async (
  running: Pick<Running, 'effect'>,
  { loadedStep, input }: ValidCall,
  opened: OpenConnection,
): Promise<void> => {
  running.effect = await effectOfRun(stepWith(loadedStep, opened).loaded, input, running.effect)
}
