import { fail, failures, freesKey, isOutcomeUnknown } from '#kit'
import type { Failure, FailureJson, Outcome } from '#kit'
import { approvalEnded } from '../notices.ts'
import type { Approval, Caller, Clock, Store } from '../ports/index.ts'
import type { Sender } from './senders.ts'
import { isOpen, readCaller } from './store-approval.ts'
import type { ApprovalSeal, HeldContent } from './store-approval.ts'

/** How long before its end a token is renewed by a repeat of the call, in ms. */
const renewMs = 60_000

const minute = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The failure with which a call ended that was not sent. */
export const failureOf = (
  { state, code }: Pick<Approval, 'state' | 'code'>,
  content: HeldContent | undefined,
): Failure => {
  const title = content?.title ?? 'The run'
  const reason = content?.reason
  if (state === 'denied')
    return fail(
      'approval_denied',
      `${title} was denied; nothing was sent.${reason === undefined ? '' : ` The reason: ${reason}`}`,
    )
  return fail(code ?? 'approval_expired', `${title} was not sent. ${reason ?? failures.approval_expired.meaning}`)
}

/**
 * A repeated call. `isKeyed`: it has an idempotency key, which stands for one outcome. `resumes`: one whose outcome is
 * unknown may go on from there.
 */
type Repeat = { caller: Caller; title: string; isKeyed: boolean; resumes: boolean }

/** What a repeat is told of which only the row is left. */
const lostOutcome = ({ runId }: Approval, { title }: Repeat): Failure =>
  fail(
    'conflict',
    `${title} was sent (run ${runId}), but its outcome was erased or cannot be read any more. Look at the provider before you make another call.`,
  )

type AnswersDependencies = {
  store: Pick<Store, 'approvals'>
  seal: ApprovalSeal
  clock: Pick<Clock, 'now'>
  linkTo(id: string): string | undefined
  /** Called when a row ended without being sent. */
  ended: NonNullable<Sender['ended']>
}

/** What a call gets that waits, or has waited. */
export const createAnswers = ({ store, seal, clock, linkTo, ended }: AnswersDependencies) => {
  const pending = ({ id, state, expiresAt, by }: Approval, title: string): Failure => {
    const url = linkTo(id)
    const text =
      state === 'open'
        ? `${title} waits for a decision until ${minute(expiresAt)} (${id}). Nothing was sent. Repeat the same call to learn the outcome.`
        : `${title} was approved and is being sent (${id}). Repeat the same call in a moment to learn the outcome.`
    return fail('approval_pending', text, {
      approval: {
        id,
        state: state === 'open' || state === 'sending' ? state : 'approved',
        ...(url === undefined ? {} : { url }),
        expiresAt: new Date(expiresAt).toISOString(),
        by: by === 'caller' ? 'caller' : 'others',
      },
    })
  }

  /** A token of an identity provider lasts minutes: the newest that made the call is the one to send it with. */
  const renew = async (row: Approval, { caller }: Repeat): Promise<void> => {
    // An attempt goes on with the row as it is.
    if (caller.expiresAt === undefined || row.attempt !== null) return
    const { content } = seal.open(row)
    const endsAt = content?.caller.expiresAt
    // Only the same token: whoever decides must not come to be whoever asked.
    if (
      !content ||
      content.caller.token !== caller.token ||
      endsAt === undefined ||
      endsAt > clock.now() + renewMs ||
      caller.expiresAt <= endsAt
    )
      return
    await store.approvals.change(row, { secrets: seal.seal(row, { ...content, caller: readCaller(caller) }) })
  }

  const endLate = async (row: Approval): Promise<Approval | undefined> => {
    const now = clock.now()
    const late: Approval = { ...row, state: 'expired', code: 'approval_expired', endedAt: now, nextAt: null }
    const { state, code, endedAt, nextAt } = late
    if (!(await store.approvals.change(row, { state, code, endedAt, nextAt }, [approvalEnded(late, now)])))
      return undefined
    const { content } = seal.open(late)
    await ended(late, content, failureOf(late, content))
    return { ...late, revision: row.revision + 1 }
  }

  /**
   * Whether the outcome is this call's. Delivered once: the next call without a key is a new one. Of several that arrive
   * together each gets it. What a key stands for stays, unless nothing was sent and nobody refused it.
   */
  const deliver = async (row: Approval, { isKeyed, resumes }: Repeat, failure: Failure | FailureJson | undefined) => {
    const goesOn = resumes && isOutcomeUnknown(failure)
    if (isKeyed && !freesKey(failure) && !goesOn) return true
    if (await store.approvals.change(row, { identity: null })) return true
    const present = await store.approvals.get(row.tenant, row.id)
    return present?.identity === null
  }

  return {
    pending,
    /**
     * The outcome of the call that waited; undefined: the row changed, so look again.
     * @throws Failure that it waits, or ended with
     */
    async outcomeOf(row: Approval, repeat: Repeat): Promise<Outcome | undefined> {
      if (row.state === 'open' && row.expiresAt <= clock.now()) {
        const late = await endLate(row)
        return late && this.outcomeOf(late, repeat)
      }
      if (isOpen(row)) {
        await renew(row, repeat)
        throw pending(row, repeat.title)
      }
      const { content, outcome } = seal.open(row)
      const failure = row.state === 'done' ? lostOutcome(row, repeat) : failureOf(row, content)
      const ending = outcome ? (outcome.ok ? undefined : outcome.failure) : failure
      if (!(await deliver(row, repeat, ending))) return undefined
      if (outcome) return outcome
      throw failure
    },
  }
}
