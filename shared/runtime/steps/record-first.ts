import { fail, isFailure, toFailureJson } from '#kit'
import type { Audit } from '../admin/audit.ts'
import type { Keyed } from '../idempotency.ts'
import type { Clock, Log, Run, Store } from '../ports/index.ts'
import { runRow } from './run-records.ts'
import type { Running } from './run-records.ts'

type RecordFirstDependencies = {
  store: Pick<Store, 'runs'>
  audit?: Pick<Audit, 'settleOwed' | 'changed'> | undefined
  clock: Pick<Clock, 'monotonic'>
}

const asUnavailable = (thrown: unknown) => {
  const why = isFailure(thrown) ? thrown.message : 'the store refused it.'
  return fail('unavailable', `Nothing was sent: what changes something is only done when it can be recorded. ${why}`, {
    cause: thrown,
  })
}

/**
 * Makes durable what must be stored before the first byte of a write or of a paid request is sent: the row of the run,
 * the state of its key, and audit rows that could not be written before. Returns a function that does so once; when it
 * returns no promise, there is nothing to wait for. The promise rejects with Failure `unavailable` when the store
 * cannot write.
 */
export const recordFirst = (
  { store, audit, clock }: RecordFirstDependencies,
  running: Running,
  keyed: Keyed | undefined,
): (() => Promise<void> | undefined) => {
  let done = false
  const write = async () => {
    try {
      const run: Run = { ...runRow(running, clock.monotonic(), null), state: 'sending' }
      // Started in the same turn of the event loop, so that they share a commit.
      await Promise.all([store.runs.record(run, { admits: true }), keyed?.sending(), audit?.settleOwed(run.tenant)])
    } catch (thrown) {
      throw asUnavailable(thrown)
    }
    done = true
  }
  const show = () => {
    // Such a store shows running steps without a row.
    running.shown ??= store.runs.showSending!(() => runRow(running, clock.monotonic(), null))
    const sending = keyed?.sending()
    if (!sending) done = true
    // Whatever is sent at the same time waits for the same promise.
    return sending?.then(
      () => void (done = true),
      (thrown: unknown) => {
        throw asUnavailable(thrown)
      },
    )
  }
  const begin = store.runs.showSending ? show : write
  return () => (done ? undefined : begin())
}

const cutOff = toFailureJson(
  fail(
    'outcome_unknown',
    'The server stopped while this was being sent, so it may have happened. Look at the provider before you repeat it.',
  ),
)

type CutOffParts = Pick<RecordFirstDependencies, 'audit'> & {
  store: Pick<Store, 'runs' | 'credits'>
  clock: Pick<Clock, 'now'>
  log: Log
}

/** Marks runs that were sending when a process died: their outcome is unknown. */
export const settleCutOff = async ({ store, audit, clock, log }: CutOffParts, of?: string[]): Promise<void> => {
  const rows = await store.runs.cutOff(of)
  for (const run of rows) {
    // The reservation stays until somebody states what the run cost.
    await store.credits.abandon(run.tenant, run.id, clock.now())
    await store.runs.record({ ...run, state: 'unknown', code: cutOff.code, failure: cutOff })
    await audit?.changed(
      { tenant: run.tenant, token: run.token ?? 'library', ...(run.startId === null ? {} : { startId: run.startId }) },
      {
        what: 'steps.run',
        integration: run.integration,
        step: run.step,
        connection: run.connection,
        decision: `run ${run.id} was cut off while it was sent`,
      },
    )
  }
  if (rows.length > 0) log('warn', 'runs.cut_off', { runs: rows.length })
}
