import { isCancelled, isHeld, oneLine } from '#kit'
import type { HeldRun, Outcome } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import { withoutAddresses } from './addresses.ts'
import type { TaskId } from './task-id.ts'

/** A task as the protocol describes it, without its result. */
export type Task = {
  status: 'working' | 'completed' | 'cancelled'
  statusMessage?: string
  createdAt: string
  lastUpdatedAt: string
  ttlMs: number
  pollIntervalMs: number
}
export type TaskState = {
  task: Task
  integration: string
  step: string
  /** Absent: it has not ended. */
  outcome?: Outcome | undefined
  /** The held run that the outcome waits for. */
  held?: string | undefined
}

const pollMs = { run: 2_000, decision: 10_000 }
/** How long a run may take, and how long the outcome of one in the background is kept. */
const runMs = 3_600_000
const keptMs = 600_000
/** How long the outcome of a held run is kept after its end. */
const heldKeptMs = 86_400_000

/** The reason of a held run that its client cancelled. */
export const takenBack = 'Whoever made the call took it back.'

const after = (at: string, ms: number) => new Date(Date.parse(at) + Math.round(ms)).toISOString()

const heldMessage = (title: string | null, { state, url, expiresAt }: HeldRun): string => {
  const subject = title === null ? 'The run' : withoutAddresses(title)
  if (state !== 'open') return `${subject} was approved and is being sent.`
  return oneLine(
    `${subject} waits for a decision${url === undefined ? '' : ` at ${url}`} until ${expiresAt}. Nothing was sent.`,
  )
}

/** `deliver`: the outcome is told to the client, so that it counts as delivered. */
type How = 'peek' | 'deliver'

const heldOf = (outcome: Outcome | undefined): HeldRun | undefined =>
  outcome && !outcome.ok && isHeld(outcome.failure) ? outcome.failure.approval : undefined

/** @throws Failure `not_found` */
const readHeld = async (pack: Pack, caller: Caller, id: string, isKeyed: boolean, how: How): Promise<TaskState> => {
  const outcome = await pack.approvals.outcome(caller, id, { isKeyed, isPeek: how === 'peek' })
  const approval = await pack.approvals.get(caller, id)
  const { title, integration, step, createdAt, decidedAt, endedAt, expiresAt, state, reason } = approval
  const held = heldOf(outcome)
  const times = {
    createdAt,
    lastUpdatedAt: endedAt ?? decidedAt ?? createdAt,
    ttlMs: Math.max(Date.parse(endedAt ?? expiresAt) - Date.parse(createdAt), 0) + heldKeptMs,
    pollIntervalMs: held?.state === 'open' ? pollMs.decision : pollMs.run,
  }
  if (held)
    return {
      task: { status: 'working', statusMessage: heldMessage(title, held), ...times },
      integration,
      step,
      held: id,
    }
  const isTakenBack = state === 'denied' && reason === takenBack
  return { task: { status: isTakenBack ? 'cancelled' : 'completed', ...times }, integration, step, outcome }
}

/** @throws Failure `not_found` */
const readRun = async (pack: Pack, caller: Caller, id: string, isKeyed: boolean, how: How): Promise<TaskState> => {
  const { view, outcome } = await pack.runs.outcome(caller, id)
  const held = heldOf(outcome)
  if (held) return readHeld(pack, caller, held.id, isKeyed, how)
  const { integration, step, createdAt, progress } = view
  const tookMs = outcome?.meta.durationMs ?? view.durationMs
  const times = {
    createdAt,
    lastUpdatedAt: after(createdAt, tookMs),
    ttlMs: (outcome ? Math.ceil(tookMs) : runMs) + keptMs,
    pollIntervalMs: pollMs.run,
  }
  if (outcome) {
    const status = !outcome.ok && isCancelled(outcome.failure) ? 'cancelled' : 'completed'
    return { task: { status, ...times }, integration, step, outcome }
  }
  const statusMessage = progress
    ? `${progress.done}${progress.total === null ? '' : ` of ${progress.total}`} done.`
    : 'The run goes on.'
  return { task: { status: 'working', statusMessage, ...times }, integration, step }
}

/** The state of a task of this very caller. @throws Failure `not_found` */
export const readTask = (
  pack: Pack,
  caller: Caller,
  { of, isHeld: waits, isKeyed }: TaskId,
  how: How,
): Promise<TaskState> => (waits ? readHeld : readRun)(pack, caller, of, isKeyed, how)
