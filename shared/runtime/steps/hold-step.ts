import type { Json, Outcome } from '#kit'
import { shownHash } from '../approvals/permits.ts'
import { fingerprintOf } from '../approvals/fingerprint.ts'
import type { SendPlan } from '../approvals/match.ts'
import type { Hold } from '../approvals/hold.ts'
import { effectOf } from '../catalogue/registry.ts'
import { fillContainer } from './fill-container.ts'
import { noteListedEffect } from './listed-effect.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { OpenConnection, OpenConnections } from '../connections/open-connection.ts'
import type { Caller, Clock, Store } from '../ports/index.ts'
import { containersOf } from '../gate/gate.ts'
import { resultOf } from './dry-run/dry-run.ts'
import { record } from './dry-run/run.ts'
import { hashRequest } from '../idempotency.ts'
import { hashRun } from './run-keys.ts'
import type { RunRequest } from './run-keys.ts'
import { startOfRun } from './run-records.ts'
import type { Running } from './run-records.ts'
import type { RunSessions } from './run-sessions.ts'
import type { StepCall } from './step-call.ts'
import { newRunId } from './run-id.ts'
import { validateCall } from './validate-call.ts'
import type { ValidCall } from './validate-call.ts'

/** A call as it is stored until somebody decides. */
export type StoredCall = Pick<
  StepCall,
  | 'integration'
  | 'step'
  | 'connection'
  | 'input'
  | 'startId'
  | 'parentId'
  | 'force'
  | 'maxCredits'
  | 'maxAge'
  | 'refresh'
>

const storedCall = ({ call }: Running, valid: ValidCall, connection: string, startId: string | null): StoredCall => ({
  integration: call.integration,
  step: call.step,
  connection,
  input: valid.input,
  ...(startId === null ? {} : { startId }),
  ...(call.parentId === undefined ? {} : { parentId: call.parentId }),
  // A key of its own says that it is another create than one of unknown outcome.
  ...(call.force || call.idempotencyKey !== undefined ? { force: true } : {}),
  ...(call.maxCredits === undefined ? {} : { maxCredits: call.maxCredits }),
  ...(call.maxAge === undefined ? {} : { maxAge: call.maxAge }),
  ...(call.refresh === undefined ? {} : { refresh: call.refresh }),
})

/** What a run would send; reads that cost nothing are sent to find out. */
const planStep = async (
  sessions: Pick<RunSessions, 'openDry'>,
  running: Running,
  valid: ValidCall,
  opened: OpenConnection,
): Promise<SendPlan> => {
  const { recording, hasEnded } = await record(sessions, running, valid, opened, true)
  const { requests, price, complete } = resultOf(recording, running.effect, hasEnded)
  const { session, outgoing, previews, reads, isUnpriced } = recording
  // A step over many things goes on after the first of them.
  const isWhole = complete && valid.loadedStep.step.resumes !== true
  // Without a total, nobody knows how often the price is charged.
  const credits = isUnpriced ? undefined : price === undefined ? null : price.total?.[1]
  return {
    requests,
    shown: previews.map(shownHash),
    state: hashRequest(reads.toSorted()),
    complete: isWhole,
    isMany: valid.loadedStep.step.resumes === true,
    credits,
    matters: running.effect !== 'read' || outgoing.length > 0 || credits === undefined || (credits ?? 0) > 0,
    async containers() {
      if (session.loaded.loaded.integration.scopes === undefined) return undefined
      if (!isWhole) return 'unknown'
      const ids = await Promise.all(outgoing.map((request) => containersOf(session, request)))
      return ids.includes('unknown') ? 'unknown' : ids.flatMap((some) => some ?? [])
    },
  }
}

/**
 * Holds a run that waits for somebody's decision. Undefined: it may go on.
 * @throws Failure
 */
export const holdStep = (
  { hold, sessions }: { hold: Hold; sessions: Pick<RunSessions, 'openDry'> },
  running: Running,
  valid: ValidCall,
  opened: OpenConnection,
  request: RunRequest,
): Promise<Outcome | undefined> | undefined => {
  const { caller, call, effect } = running
  const { loadedStep, input } = valid
  // A read changes nothing, and where nothing has a price it costs nothing either.
  if (effect === 'read' && loadedStep.loaded.wire.endpoints === undefined) return undefined
  const { id, name } = opened.connection
  const startId = startOfRun(running)
  return hold.require({
    caller,
    kind: 'step',
    requestHash: hashRun(request, id),
    idempotencyKey: call.idempotencyKey,
    integration: call.integration,
    step: call.step,
    connection: id,
    startId,
    effect,
    facts: [{ caller, loadedStep, effect, connection: id }],
    call: storedCall(running, valid, id, startId) as unknown as Json,
    title: `${loadedStep.step.title} with the account "${name}"`,
    input: input as Json,
    person: caller.person ?? opened.connection.person ?? null,
    fingerprint: () => fingerprintOf(opened),
    plan: () => planStep(sessions, running, valid, opened),
  })
}

type PlanDependencies = {
  registry: Registry
  openConnections: OpenConnections
  store: Pick<Store, 'starts' | 'events'>
  sessions: Pick<RunSessions, 'openDry'>
  clock: Pick<Clock, 'monotonic'>
}

/** What a call would send now; it is no run, so nothing is written about it. */
export const createPlan =
  ({ registry, openConnections, store, sessions, clock }: PlanDependencies) =>
  async (caller: Caller, call: StepCall): Promise<SendPlan> => {
    const valid = validateCall(registry, caller, call)
    const { loadedStep, input } = valid
    const effect = effectOf(loadedStep.step, input)
    const of = { caller, call, runId: newRunId(), createdAt: 0, began: clock.monotonic() }
    const opened = await openConnections.open(caller, loadedStep.loaded, call.connection)
    const running = { ...of, effect, session: undefined }
    if (valid.lacksContainer) await fillContainer(store, running, valid, opened)
    if (loadedStep.step.id === 'api-call') await noteListedEffect(running, valid, opened)
    return planStep(sessions, running, valid, opened)
  }
