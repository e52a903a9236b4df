import { isFailure, isOutcomeUnknown, nextTurn } from '#kit'
import type { Outcome } from '#kit'
import { parseOutput } from '../catalogue/parse.ts'
import { isLocal } from '../catalogue/find-endpoints-step.ts'
import { effectOf } from '../catalogue/registry.ts'
import { fillContainer } from './fill-container.ts'
import { noteListedEffect } from './listed-effect.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { OpenConnections } from '../connections/open-connection.ts'
import type { Hold } from '../approvals/hold.ts'
import type { Permits } from '../approvals/permits.ts'
import type { SendPlan } from '../approvals/match.ts'
import type { Intents, Keyed } from '../idempotency.ts'
import { actFor } from '../people/act-for.ts'
import type { Caller, Clock, Store } from '../ports/index.ts'
import { runHandler } from '../session/account-values.ts'
import { createAnswerHere } from './answer-here.ts'
import { createDryRuns } from './dry-run/run.ts'
import { createPlan, holdStep } from './hold-step.ts'
import { newRunId } from './run-id.ts'
import { formerHashRun, hashRun, keyedRun } from './run-keys.ts'
import type { RunRequest } from './run-keys.ts'
import type { Running, RunRecords } from './run-records.ts'
import type { RunSessions } from './run-sessions.ts'
import type { StepCall } from './step-call.ts'
import { validateCall } from './validate-call.ts'
import type { ValidCall } from './validate-call.ts'

export type Steps = {
  run(caller: Caller, call: StepCall): Promise<Outcome>
  /** What a call would send now, with free reads sent to find out. @throws Failure */
  plan(caller: Caller, call: StepCall): Promise<SendPlan>
}

type StepsDependencies = {
  registry: Registry
  openConnections: OpenConnections
  store: Pick<Store, 'runs' | 'starts' | 'events'>
  clock: Clock
  intents: Intents
  sessions: RunSessions
  records: RunRecords
  /** Absent: nobody is asked. */
  approvals?: { hold: Hold; permits: Pick<Permits, 'has'> } | undefined
}

/** What a run with an idempotency key is bound to before it starts. */
type KeyBinding = { connection: string; keyed: Keyed }

const requestOf = ({ call }: Running, { input }: ValidCall): RunRequest => ({
  integration: call.integration,
  step: call.step,
  requestedConnection: call.connection,
  input,
})

export const createSteps = ({
  registry,
  openConnections,
  store,
  clock,
  intents,
  sessions,
  records,
  approvals,
}: StepsDependencies): Steps => {
  const answerHere = createAnswerHere({ registry, openConnections, records, clock })
  const dryRun = createDryRuns({ openConnections, store, sessions, records })

  /**
   * Ends a run whose create has an unknown outcome: looks for what the create would have made, and adds what it found
   * to the failure.
   */
  const endUnknown = async (running: Running, valid: ValidCall, thrown: unknown): Promise<Outcome> => {
    const { caller, session } = running
    if (!session || !isFailure(thrown)) return records.failed(running, thrown)
    // Before verifying, which takes a while: an identical create must not pass meanwhile.
    if (running.effect === 'create' || session.lastWrite?.request.effect === 'create')
      intents.noteUnknown(caller, hashRun(requestOf(running, valid), session.opened.connection.id))
    const verified = await sessions.verify(session, running.createdAt, thrown).catch((defect: unknown) => {
      // A defect in verifying must not hide that the outcome is unknown.
      records.logDefect(running, defect)
      return thrown
    })
    return records.failed(running, verified)
  }

  const perform = async (running: Running, valid: ValidCall, bound?: KeyBinding): Promise<Outcome> => {
    const { caller, call } = running
    const { loadedStep, input } = valid
    try {
      const opening = openConnections.open(caller, loadedStep.loaded, bound?.connection ?? call.connection)
      // Awaiting a value that is already there would cost every run a turn of the event loop.
      const opened = opening instanceof Promise ? await opening : opening
      if (valid.lacksContainer) await fillContainer(store, running, valid, opened)
      if (loadedStep.step.id === 'api-call') await noteListedEffect(running, valid, opened)
      if (approvals?.hold.tenants.has(caller.tenant) && !running.permit) {
        const { hold } = approvals
        const outcome = await holdStep({ hold, sessions }, running, valid, opened, requestOf(running, valid))
        if (outcome) return outcome
      }
      const session = sessions.open(running, valid, opened, bound?.keyed)
      running.session = session
      // A step that updates may create something along the way, such as an attachment.
      if (running.effect !== 'read' && !bound && !call.force)
        intents.requireNotSuspect(caller, () => [
          hashRun(requestOf(running, valid), opened.connection.id),
          formerHashRun(requestOf(running, valid)),
        ])
      const value = parseOutput(loadedStep.step, await runHandler(loadedStep.step, sessions.context(session), input))
      const endedAt = clock.monotonic()
      records.succeeded(running, endedAt, value)
      return { ok: true, value, meta: records.meta(running, endedAt) }
    } catch (thrown) {
      return isOutcomeUnknown(thrown) ? endUnknown(running, valid, thrown) : records.failed(running, thrown)
    }
  }

  /**
   * Resolves the connection before the key: a run on another connection must be neither shown nor mistaken for this
   * one.
   */
  const performKeyed = async (running: Running, valid: ValidCall, key: string): Promise<Outcome> => {
    try {
      if (valid.isLarge) await nextTurn()
      const opened = await openConnections.open(running.caller, valid.loadedStep.loaded, running.call.connection)
      const { id: connection } = opened.connection
      // A key is bound to the request as it is sent: under another default it is another request.
      if (valid.lacksContainer) await fillContainer(store, running, valid, opened)
      const request = {
        ...keyedRun(store, running.caller, requestOf(running, valid), connection),
        resumes: valid.loadedStep.step.resumes === true,
      }
      return await intents.once(running.caller, key, request, running.runId, (keyed) =>
        perform(running, valid, { connection, keyed }),
      )
    } catch (thrown) {
      return records.failed(running, thrown)
    }
  }

  return {
    plan: createPlan({ registry, openConnections, store, sessions, clock }),
    // Not async: each additional promise would cost every run a turn of the event loop.
    run(requestedBy, call) {
      const running: Running = {
        caller: requestedBy,
        call,
        runId: call.runId ?? newRunId(),
        createdAt: clock.now(),
        began: clock.monotonic(),
        effect: 'read',
        session: undefined,
        input: undefined,
        permit: call.permit && approvals?.permits.has(call.permit) ? call.permit : undefined,
      }
      try {
        const caller = call.person === undefined ? requestedBy : actFor(requestedBy, call.person)
        running.caller = caller
        const valid = validateCall(registry, caller, call)
        running.input = valid.input
        running.effect = effectOf(valid.loadedStep.step, valid.input)
        if (isLocal(valid.loadedStep.step)) return answerHere(running, valid)
        if (call.dryRun) return dryRun(running, valid)
        if (call.idempotencyKey === undefined) return perform(running, valid)
        return performKeyed(running, valid, call.idempotencyKey)
      } catch (thrown) {
        return Promise.resolve(records.failed(running, thrown))
      }
    },
  }
}
