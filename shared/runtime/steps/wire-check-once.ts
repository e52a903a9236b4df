import { fail, isFailure, toFailureJson } from '#kit'
import type { Failure } from '#kit'
import { mustGetConnection } from '../connections/connections.ts'
import { stepBoundsOf } from '../bounds.ts'
import { hashRequest } from '../idempotency.ts'
import type { Intents } from '../idempotency.ts'
import type { Store } from '../ports/index.ts'
import { newRunId } from './run-id.ts'
import type { CheckWire, WireCheck } from './wire-check.ts'

type CheckOnceDependencies = { store: Pick<Store, 'connections'>; intents: Intents }

/** Checks at most once per idempotency key, since probes may be paid. */
export const checkOnceOf =
  ({ store, intents }: CheckOnceDependencies, check: CheckWire): CheckWire =>
  async (caller, id, { idempotencyKey, ...options } = {}) => {
    if (idempotencyKey === undefined) return check(caller, id, options)
    // Before the key is read: a caller that may not see the connection must not get the stored result either.
    const { id: connection } = await mustGetConnection(store, caller, id)
    const runId = newRunId()
    const request = {
      hash: hashRequest(['wire-check', connection, options.spend === true, ...stepBoundsOf(caller)]),
      isFormer: async () => false,
    }
    let refusal: Failure | undefined
    const outcome = await intents.once(caller, idempotencyKey, request, runId, async ({ sending }) => {
      await sending()
      const meta = { runId, durationMs: 0, attempts: 1 }
      try {
        return { ok: true, value: await check(caller, id, options), meta }
      } catch (thrown) {
        if (!isFailure(thrown)) throw thrown
        refusal = thrown
        return { ok: false, failure: toFailureJson(thrown), meta }
      }
    })
    if (!outcome.ok) throw refusal ?? fail(outcome.failure.code, outcome.failure.message)
    return outcome.value as WireCheck
  }
