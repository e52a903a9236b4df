import type { Outcome } from '#kit'
import { hashRequest, refuseUnclearKey } from '../idempotency.ts'
import type { KeyedRequest } from '../idempotency.ts'
import type { Caller, Store } from '../ports/index.ts'

/** What makes two runs the same, apart from the connection: `requestedConnection` is how the caller named that. */
export type RunRequest = {
  integration: string
  step: string
  requestedConnection: string | undefined
  input: Record<string, unknown>
}

export const hashRun = ({ integration, step, input }: RunRequest, connection: string) =>
  hashRequest([integration, step, connection, input])

/** The hash of earlier versions, without the id of the connection. */
export const formerHashRun = ({ integration, step, requestedConnection, input }: RunRequest) =>
  hashRequest([integration, step, requestedConnection ?? null, input])

/** What the idempotency key of a run is bound to. `connection`: id of the connection, already resolved and allowed. */
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
    // The history of runs says which connection an earlier row was stored for.
    const row = await store.runs.get(caller.tenant, stored?.meta.runId ?? runId)
    if (row?.connection) return row.connection === connection
    // A run that ended before it had a connection, or whose outcome is unknown, shows nobody's data.
    return stored?.ok === true ? refuseUnclearKey() : true
  },
})
