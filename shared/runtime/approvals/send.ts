import { randomUUID } from 'node:crypto'
import { fail, isFailure, mayPassLater, once, toFailureJson } from '#kit'
import type { Outcome } from '#kit'
import { presentCaller } from '../admin/present-caller.ts'
import { endOf as endOfToken } from '../admin/tokens.ts'
import type { Approval, Caller, Clock, Store } from '../ports/index.ts'
import { lookMs } from './ends.ts'
import type { Ends } from './ends.ts'
import { isSameWork } from './permits.ts'
import type { Permit, Permits } from './permits.ts'
import type { SendPlan } from './match.ts'
import type { Sender, Senders } from './senders.ts'
import type { ApprovalSeal, HeldContent } from './store-approval.ts'

/** How long an attempt that was not seen to send anything keeps others from trying, in ms. */
export const claimMs = 90_000

/** How often, and after how many ms each, an outcome is stored again that the store did not take. */
const maxStores = 60
const storeAgainMs = 1_000

type SendDependencies = {
  store: Pick<Store, 'approvals' | 'tokens' | 'grants'>
  seal: ApprovalSeal
  permits: Permits
  senders: Senders
  ends: Ends
  clock: Pick<Clock, 'now' | 'sleep'>
  newRunId(): string
}

const expired = (message: string) => fail('approval_expired', message)

/** What is to be sent is still what was shown, with the caller's present rights; `plan`: it has become something else. */
type Ready = { caller: Caller; plan?: SendPlan }

/** @throws Failure `approval_expired` */
const requireSameConnection = async (sender: Sender, caller: Caller, content: HeldContent): Promise<void> => {
  if ((await sender.fingerprint(caller, content)) === content.connection) return
  throw expired('The connection was changed after the call was made. Make the call again.')
}

/** @throws Failure `approval_expired` */
const requireShownPrice = ({ credits }: SendPlan, { credits: shown }: HeldContent): void => {
  if (shown === 'unknown' || (credits !== undefined && (credits ?? 0) <= (shown ?? 0))) return
  const price = credits === undefined ? 'an unknown number of' : `up to ${credits}`
  throw expired(`It would cost ${price} credits now, more than was shown. Make the call again.`)
}

/** An attempt to send: only what `permit` lets pass, and only if no other attempt is. */
type Attempt = { permit: Permit; present(): Approval; isSent(): boolean; differs(): boolean }

export const createSend = ({ store, seal, permits, senders, ends, clock, newRunId }: SendDependencies) => {
  /** As whom it is sent: with the rights of its token as they are now. @throws Failure */
  const callerNow = async (tenant: string, { caller }: HeldContent): Promise<Caller> => {
    const { token, expiresAt = null, person, namesPerson } = caller
    const now = clock.now()
    const present = token === undefined ? undefined : await presentCaller(store, tenant, token, now)
    const hasEnded = present ? 'end' in present : endOfToken({ revokedAt: null, expiresAt }, now) !== undefined
    // Tokens of an identity provider last minutes; a repeat of the call brings the next one.
    if (hasEnded && expiresAt !== null && !present)
      throw fail(
        'unavailable',
        'The token that made the call has expired. The run is sent once the call is repeated with a new one.',
      )
    if (hasEnded) throw expired('The token that made the call has ended since.')
    if (!present || 'end' in present) return { ...caller, tenant }
    return { ...present.caller, ...(person === undefined ? {} : { person }), ...(namesPerson ? { namesPerson } : {}) }
  }

  /** @throws Failure that keeps it from being sent */
  const prepare = async (row: Approval, content: HeldContent): Promise<Ready> => {
    const sender = senders[row.kind]
    const caller = await callerNow(row.tenant, content)
    await requireSameConnection(sender, caller, content)
    const plan = await sender.plan?.(caller, content)
    if (!plan) return { caller }
    requireShownPrice(plan, content)
    const isSame = plan.state === content.state && isSameWork(plan.shown, content.shown)
    return isSame ? { caller } : { caller, plan }
  }

  const beginAttempt = (claim: Approval, { shown, isMany }: HeldContent): Attempt => {
    let row = claim
    let isSent = false
    let differs = false
    const sending = once(async () => {
      const changes = { state: 'sending' as const, nextAt: clock.now() + lookMs[row.kind] }
      if (!(await store.approvals.change(row, changes)))
        throw fail('conflict', 'It is sent by another process, or was erased.')
      row = { ...row, state: 'sending', revision: row.revision + 1 }
      isSent = true
    })
    return {
      permit:
        row.kind === 'step' && !isMany
          ? permits.forRequests(shown, { sending, differs: () => void (differs = true) })
          : permits.forWhole(sending),
      present: () => row,
      isSent: () => isSent,
      differs: () => differs,
    }
  }

  /** A failure to begin is an outcome, too. */
  const sendNow = async (
    row: Approval,
    caller: Caller,
    content: HeldContent,
    permit: Permit,
    runId: string,
  ): Promise<Outcome> => {
    try {
      return await senders[row.kind].send({ id: row.id, caller, content, permit, runId })
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      return { ok: false, failure: toFailureJson(thrown), meta: { runId, durationMs: 0, attempts: 0 } }
    }
  }

  const attempt = async (row: Approval, caller: Caller, content: HeldContent): Promise<void> => {
    const claim = { attempt: randomUUID(), runId: newRunId(), nextAt: clock.now() + claimMs }
    if (!(await store.approvals.change(row, claim))) return
    const state = beginAttempt({ ...row, ...claim, revision: row.revision + 1 }, content)
    const outcome = await sendNow(row, caller, content, state.permit, claim.runId)
    if (!outcome.ok && (state.differs() || mayPassLater(outcome.failure))) {
      // What changed within this moment is planned again by the next attempt.
      if (!state.isSent()) return ends.tryLater(state.present(), outcome.failure.retryAfterMs)
      // The provider took nothing, or it could not be recorded that something is sent.
      const isUntaken = state.permit.mayHaveSent() === 0 || outcome.meta.attempts === 0
      if (isUntaken) return ends.putBack(state.present(), outcome.failure.retryAfterMs)
    }
    await keepOutcome(state.present(), outcome)
  }

  /** Until it is stored: otherwise nobody would know how it ended. */
  const keepOutcome = async (row: Approval, outcome: Outcome): Promise<void> => {
    for (let round = 0; ; round += 1) {
      try {
        return await ends.finish(row, outcome)
      } catch (thrown) {
        if (round >= maxStores) throw thrown
        await clock.sleep(storeAgainMs)
      }
    }
  }

  /** Sends what was approved, unless it may not be sent any more. */
  return async (row: Approval): Promise<void> => {
    if (row.expiresAt <= clock.now())
      return ends.end(row, expired('It was approved, but could not be sent in time. Make the call again.'))
    const { content } = seal.open(row)
    if (!content) return ends.end(row, expired('What it would send was erased, or cannot be read any more.'))
    let ready: Ready
    try {
      ready = await prepare(row, content)
      if (ready.plan) return await ends.holdAgain(row, content, ready.plan)
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      return mayPassLater(thrown) ? ends.tryLater(row, thrown.details.retryAfterMs) : ends.end(row, thrown)
    }
    return attempt(row, ready.caller, content)
  }
}
