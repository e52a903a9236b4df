/** Failures stored with a run or a job, in the form in which the API would have answered them. */
import type { Problem } from './client.ts'

export type StoredFailure = Omit<Problem, 'detail' | 'status'> & { message: string }

/** `runId`: the run that ended with this failure. */
export const problemOfFailure = ({ message, ...columns }: StoredFailure, runId?: string): Problem => ({
  ...columns,
  detail: message,
  // The request that fetched the stored failure was itself answered.
  status: 200,
  ...(runId === undefined ? {} : { runId }),
})
