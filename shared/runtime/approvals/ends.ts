import { fail, mayPassLater, toFailureJson } from '#kit'
import type { Failure, Outcome } from '#kit'
import { approvalEnded, approvalRequested } from '../notices.ts'
import type { Approval, Clock, Notice, Store } from '../ports/index.ts'
import { unknownOutcome } from '../stored-outcomes.ts'
import type { SendPlan } from './match.ts'
import type { Sender } from './senders.ts'
import { boundedContent, readPlan } from './store-approval.ts'
import type { ApprovalSeal, HeldContent } from './store-approval.ts'

/** For how long at least something may be sent after it was approved, in ms. */
export const sendableMs = 3_600_000
/** When to look what became of one that was sending, in ms: a run has a row that says so, a lookup has none. */
export const lookMs = { step: 15_000, job: 15_000, lookup: 600_000 }
/** Least and most between two attempts of what could not be sent, in ms. */
const retryMs = { least: 2_000, most: 300_000 }

type EndsDependencies = {
  store: Pick<Store, 'approvals' | 'runs'> & { cluster?: unknown }
  seal: ApprovalSeal
  /** Called when a row ended without being sent. */
  ended: NonNullable<Sender['ended']>
  clock: Pick<Clock, 'now'>
  linkTo(id: string): string | undefined
}

/** How a held run goes on that is not sent now, and how it ends. Each change is lost where the row has changed. */
export const createEnds = ({ store, seal, ended, clock, linkTo }: EndsDependencies) => {
  /** Changes the row of an attempt, unless it has ended or another attempt has taken it. */
  const changeClaim = async (
    claim: Approval,
    changesOf: (row: Approval) => Partial<Approval>,
    noticesOf: (row: Approval) => Notice[] = () => [],
  ): Promise<void> => {
    for (;;) {
      const row = await store.approvals.get(claim.tenant, claim.id)
      if (!row || row.attempt !== claim.attempt || row.endedAt !== null) return
      const changes = changesOf(row)
      if (await store.approvals.change(row, changes, noticesOf({ ...row, ...changes }))) return
    }
  }

  /** Stores what became of it. A row that was erased meanwhile stays without content. */
  const finish = (claim: Approval, outcome: Outcome): Promise<void> => {
    const now = clock.now()
    return changeClaim(
      claim,
      (row) => {
        const { content } = seal.open(row)
        return {
          state: 'done',
          code: outcome.ok ? null : outcome.failure.code,
          endedAt: now,
          nextAt: null,
          runId: outcome.meta.runId,
          secrets: content ? seal.seal(row, content, outcome) : row.secrets,
        }
      },
      (done) => [approvalEnded(done, now)],
    )
  }

  /** Puts one back of which nothing was sent after all. */
  const putBack = (claim: Approval, retryAfterMs: number | undefined): Promise<void> => {
    const delay = Math.min(retryMs.most, Math.max(retryMs.least, retryAfterMs ?? 0))
    return changeClaim(claim, () => ({ state: 'approved', attempt: null, nextAt: clock.now() + delay }))
  }

  return {
    finish,
    /** Ends a row that is not sent, with the reason. */
    async end(row: Approval, failure: Failure): Promise<void> {
      const now = clock.now()
      const { content } = seal.open(row)
      const late: Approval = { ...row, state: 'expired', code: failure.code, endedAt: now, nextAt: null }
      const { state, code, endedAt, nextAt } = late
      const secrets = content ? { secrets: seal.seal(row, { ...content, reason: failure.message }) } : {}
      const changes = { state, code, endedAt, nextAt, ...secrets }
      if (!(await store.approvals.change(row, changes, [approvalEnded(late, now)]))) return
      await ended(late, content, failure)
    },
    /** Holds it again, with what would be sent now. */
    async holdAgain(row: Approval, content: HeldContent, plan: SendPlan): Promise<void> {
      const now = clock.now()
      const expiresAt = Math.max(row.expiresAt, now + sendableMs)
      const { maxCredits: _limit, ...former } = content
      const changed = boundedContent({
        ...former,
        ...readPlan(plan),
        version: content.version + 1,
        note: 'What would be sent has changed since it was approved.',
      })
      const open: Approval = {
        ...row,
        state: 'open',
        credits: plan.credits ?? null,
        attempt: null,
        runId: null,
        decidedBy: null,
        decidedAt: null,
        expiresAt,
        nextAt: expiresAt,
        secrets: seal.seal(row, changed),
      }
      const { tenant: _, id: __, revision: ___, createdAt: ____, ...changes } = open
      await store.approvals.change(row, changes, [approvalRequested(open, now, linkTo(row.id))])
    },
    /** Waits longer the longer it has been tried. */
    async tryLater(claim: Approval, retryAfterMs: number | undefined): Promise<void> {
      const now = clock.now()
      const waited = now - (claim.decidedAt ?? now)
      const delay = Math.max(retryMs.least, Math.min(retryMs.most, Math.max(waited, retryAfterMs ?? 0)))
      // Of one that is being sent, only the time changes: its attempt goes on.
      await changeClaim(claim, ({ state }) => ({
        ...(state === 'sending' ? {} : { attempt: null }),
        nextAt: now + delay,
      }))
    },
    putBack,
    /** What became of one that was being sent when this was last looked at. */
    async settle(row: Approval): Promise<void> {
      const { tenant, runId, kind } = row
      const run = runId === null ? undefined : await store.runs.get(tenant, runId)
      // Another process may be sending it still, or be about to store the outcome.
      const isGoingOn = run?.state === 'sending' || (run && clock.now() < run.createdAt + run.durationMs + lookMs[kind])
      if (isGoingOn && store.cluster !== undefined) {
        await store.approvals.change(row, { nextAt: clock.now() + lookMs[kind] })
        return
      }
      const meta = { runId: runId ?? row.id, durationMs: run?.durationMs ?? 0, attempts: run?.attempts ?? 1 }
      // Nothing left this server, and its process could not put it back.
      if (run?.failure && run.attempts === 0 && mayPassLater(run.failure)) return putBack(row, undefined)
      if (run?.failure) return finish(row, { ok: false, failure: run.failure, meta })
      if (run?.state !== 'done') return finish(row, unknownOutcome(meta.runId))
      const lost = fail(
        'outcome_unknown',
        `It was sent and carried out, but the server stopped before the answer was stored. Look at the provider (run ${meta.runId}).`,
      )
      return finish(row, { ok: false, failure: toFailureJson(lost), meta })
    },
  }
}
export type Ends = ReturnType<typeof createEnds>
