import type { Failure, StepContext } from '#kit'
import type { Json } from '#kit'
import type { Audit } from '../admin/audit.ts'
import { stepCost } from '../catalogue/price.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { OpenConnection } from '../connections/open-connection.ts'
import type { Keyed } from '../idempotency.ts'
import type { Clock, Store } from '../ports/index.ts'
import { createContext } from './context.ts'
import type { Gate, ProvenEndpoints } from '../gate/pass.ts'
import { createSpend, noSpend } from '../gate/spend.ts'
import type { RunSpend } from '../gate/spend.ts'
import type { Reservations } from '../credits/reservations.ts'
import { recordFirst } from './record-first.ts'
import { startOfRun } from './run-records.ts'
import type { Running } from './run-records.ts'
import type { FilesRuntime } from '../files/files.ts'
import { openSession, stepWith } from '../session/session.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { Session, SessionLookups, SessionMerging } from '../session/session.ts'
import type { Privacy } from '../privacy/guard.ts'
import type { ValidCall } from './validate-call.ts'
import { verifyCreate } from './verify-create.ts'

/** A write that a run sent, with its reply. */
export type Write = {
  tenant: string
  integration: string
  connection: string
  runId: string
  step: string
  startId: string | null
  method: string
  path: string
  body: Json | undefined
  reply: unknown
}

/** Remembers the writes of runs, by which events that they cause are recognised later. */
export type Causation = {
  /** The correlation id to send with a run's writes. */
  correlationIdOf(runId: string): string
  /** False when no subscription could receive the events, so nothing needs to be remembered. */
  isNeeded(): boolean
  /** Called before a run can write, since its event may arrive before the run has ended. */
  began(tenant: string, runId: string, startId: string | null): void
  wrote: (write: Write) => void
}

/** Opens what a run may use at the provider. */
export type RunSessions = {
  open(running: Running, valid: ValidCall, opened: OpenConnection, keyed: Keyed | undefined): Session
  /** The session of a dry run, which sends nothing: it has no row, no budget and no deadline. */
  openDry(running: Running, valid: ValidCall, opened: OpenConnection): Session
  context(session: Session): StepContext
  /** Adds to the failure of a create whose outcome is unknown what the provider shows about it. */
  verify(session: Session, startedAt: number, failure: Failure): Promise<Failure>
}

type RunSessionsDependencies = {
  gate: Gate
  clock: Clock
  store: Pick<Store, 'runs'>
  causation: Causation
  audit?: Audit
  provenEndpoints: ProvenEndpoints
  lookups?: SessionLookups
  merging?: SessionMerging
  privacy?: Privacy
  files?: FilesRuntime
  reservations: Reservations
}

/**
 * Written in one turn, so that the run's row and its reservation share a commit; the row first, since a reservation is
 * found by its row.
 */
const withReservation = (first: () => Promise<void> | undefined, spend: RunSpend) => async () => {
  const recorded = first()
  await (spend.isShort() ? Promise.all([recorded, spend.commit()]) : recorded)
}

/** Checks first, so that a run that may no longer send leaves neither a row nor a reservation. */
const checkedFirst = (check: () => Promise<void>, then: () => Promise<void> | undefined) => async () => {
  await check()
  await then()
}

export const createRunSessions = ({
  gate,
  clock,
  store,
  causation,
  audit,
  provenEndpoints,
  lookups,
  merging,
  privacy,
  files,
  reservations,
}: RunSessionsDependencies): RunSessions => {
  const noteWrite =
    (running: Running, connection: string) =>
    ({ method, path, body }: OutgoingRequest, reply: { body: unknown }) =>
      causation.wrote({
        tenant: running.caller.tenant,
        integration: running.call.integration,
        connection,
        runId: running.runId,
        step: running.call.step,
        startId: startOfRun(running),
        method,
        path,
        body,
        reply: reply.body,
      })

  const spendOf = ({ caller, call, runId }: Running, { loaded, step }: LoadedStep, { connection }: OpenConnection) =>
    createSpend({
      entry: {
        tenant: caller.tenant,
        entry: runId,
        job: call.job ?? null,
        connection: connection.id,
        integration: loaded.integration.id,
        step: step.id,
        token: caller.token ?? null,
        person: caller.person ?? connection.person ?? null,
      },
      reservations,
      now: () => clock.now(),
      maxCredits: call.maxCredits,
    })

  return {
    open(running, { loadedStep: ofOperator, input }, opened, keyed) {
      const loadedStep = stepWith(ofOperator, opened)
      const { caller, call, runId, began, effect } = running
      const startId = startOfRun(running)
      if (effect !== 'read') causation.began(caller.tenant, runId, startId)
      const first = recordFirst({ store, audit, clock }, running, keyed ?? running.permit)
      // An integration without endpoints has no prices and looks nobody up, so its runs pay nothing.
      const isPayable = loadedStep.loaded.wire.endpoints !== undefined
      const spend = isPayable ? spendOf(running, loadedStep, opened) : undefined
      running.spend = spend
      const reserved = spend ? withReservation(first, spend) : first
      return openSession({
        gate,
        clock,
        loaded: loadedStep,
        opened,
        effect,
        cost: stepCost(loadedStep, input),
        correlationId: causation.correlationIdOf(runId),
        signal: call.signal,
        deadlineAt: began + (call.deadlineMs ?? loadedStep.loaded.wire.timeouts.deadlineMs),
        priority: call.priority ?? (loadedStep.step.resumes ? 'bulk' : undefined),
        noWait: call.noWait,
        progress: call.onProgress,
        onSending: call.checkBeforeSending ? checkedFirst(call.checkBeforeSending, reserved) : reserved,
        checkBeforeSending: call.checkBeforeSending,
        guards: { spend: spend ?? noSpend, privacy: isPayable ? privacy?.of(caller.tenant) : undefined },
        provenEndpoints,
        lookups,
        freshness: { maxAgeMs: call.maxAge === undefined ? undefined : call.maxAge * 1000, refresh: call.refresh },
        merging,
        // Sent together with others, it would not be the request that was approved.
        merge: running.permit?.isExact ? false : call.merge,
        permit: running.permit?.isExact ? running.permit : undefined,
        files: files && { files, caller, runId },
        audit: audit?.forRun(caller, { runId, startId }),
        onWritten:
          causation.isNeeded() && loadedStep.loaded.integration.webhooks
            ? noteWrite(running, opened.connection.id)
            : undefined,
      })
    },
    openDry(running, { loadedStep: ofOperator, input }, opened) {
      const loadedStep = stepWith(ofOperator, opened)
      const { caller, call, runId, began, effect } = running
      return openSession({
        gate,
        clock,
        loaded: loadedStep,
        opened,
        effect,
        cost: stepCost(loadedStep, input),
        correlationId: causation.correlationIdOf(runId),
        signal: call.signal,
        // It sends free reads at most.
        deadlineAt: began + loadedStep.loaded.wire.timeouts.deadlineMs,
        noWait: call.noWait,
        progress: call.onProgress,
        guards: {
          spend: { ...noSpend, rest: () => call.maxCredits },
          privacy: loadedStep.loaded.wire.endpoints && privacy?.of(caller.tenant),
        },
        provenEndpoints,
        merging,
        merge: call.merge,
        files: files && { files, caller, runId },
        audit: audit?.forRun(caller, { runId, startId: startOfRun(running) }),
      })
    },
    context: createContext,
    verify: verifyCreate,
  }
}
