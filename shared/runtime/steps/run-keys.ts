import type { Outcome } from '#kit'
import { hashRequest, refuseUnclearKey } from '../idempotency.ts'
import type { KeyedRequest } from '../idempotency.ts'
import type { Caller, Store } from '../ports/index.ts'

/**
 * What makes two runs equal, apart from the connection. `requestedConnection`: the connection as the caller named it.
 */
export type RunRequest = {
  integration: string
  step: string
  requestedConnection: string | undefined
  input: Record<string, unknown>
}

export const hashRun = ({ integration, step, input }: RunRequest, connection: string) =>
  hashRequest([integration, step, connection, input])

/** The hash that earlier versions stored, without the id of the connection. */
export const formerHashRun = ({ integration, step, requestedConnection, input }: RunRequest) =>
  hashRequest([integration, step, requestedConnection ?? null, input])

/**
 * The request that an idempotency key is bound to. `connection`: the id of the resolved connection, which the caller
 * may use.
 */
export const keyedRun = (
  store: Pick<Store, 'runs'>,
  caller: Caller,
  request: RunRequest,
  connection: string,
): KeyedRequest => ({
  hash: hashRun(request, connection),
  async isFormer({ requestHash, runId, outcome }) {
    if (requestHash !== formerHashRun(request)) return false
    const stored = outcome as Outcome | null
    // The history of runs has the connection that an earlier key was stored for.
    const row = await store.runs.get(caller.tenant, stored?.meta.runId ?? runId)
    if (row?.connection) return row.connection === connection
    // A run that failed before it had a connection, or whose outcome is unknown, reveals nobody's data.
    return stored?.ok === true ? refuseUnclearKey() : true
  },
})
