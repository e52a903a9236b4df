import type { Outcome } from '#kit'
import { hashRequest, refuseUnclearKey } from '../idempotency.ts'
import type { KeyedRequest } from '../idempotency.ts'
import type { Caller, Store } from '../ports/index.ts'

/** What makes a run the same as another one, save the account: `asked` is what its caller named it by. */
export type RunRequest = { integration: string; step: string; asked: string | undefined; input: Record<string, unknown> }

export const hashRun = ({ integration, step, input }: RunRequest, connection: string) => hashRequest([integration, step, connection, input])

/** How a run was known before the account itself was part of the hash. */
export const formerHashRun = ({ integration, step, asked, input }: RunRequest) => hashRequest([integration, step, asked ?? null, input])

/** What the idempotency key of a run is bound to. `connection`: id of the account, found and allowed before. */
export const keyedRun = (store: Pick<Store, 'runs'>, caller: Caller, request: RunRequest, connection: string): KeyedRequest => ({
  hash: hashRun(request, connection),
  async isFormer({ requestHash, runId, outcome }) {
    if (requestHash !== formerHashRun(request)) return false
    const stored = outcome as Outcome | null
    // Which account a row of former days was stored for is in the history of runs.
    const row = await store.runs.get(caller.tenant, stored?.meta.runId ?? runId)
    if (row?.connection) return row.connection === connection
    // A run that ended before it came to an account, or of which nothing is known but that it is unknown, shows nobody's data.
    return stored?.ok === true ? refuseUnclearKey() : true
  },
})
