/** Failures that are stored with a run or a job, as the API would have answered them. */
import type { Problem } from './client.ts'

export type StoredFailure = Omit<Problem, 'detail' | 'status'> & { message: string }

/** `runId`: the run that ended with it. */
export const problemOfFailure = ({ message, ...columns }: StoredFailure, runId?: string): Problem => ({
  ...columns,
  detail: message,
  // The request that brought it was answered.
  status: 200,
  ...(runId === undefined ? {} : { runId }),
})
