import { fail, failField, isFailure, toFailureJson } from '#kit'
import type { Outcome } from '#kit'
import type { Registry } from '../catalogue/registry.ts'
import type { Approval, ApprovalFilter, Caller, Clock, Listed, Page, Store } from '../ports/index.ts'
import type { Approval as ApprovalView, ApprovalDetail, ApproveBody } from '../../api/resources/approval.ts'
import { approvalEnded } from '../notices.ts'
import { createAnswers, failureOf } from './answers.ts'
import type { Describer } from './describe.ts'
import { sendableMs } from './ends.ts'
import { isAsker, isOwnCall, mayDecide, maySee, viewRow } from './rights.ts'
import type { ApprovalRunner } from './runner.ts'
import type { Sender } from './senders.ts'
import { isOpen } from './store-approval.ts'
import type { ApprovalSeal, HeldContent } from './store-approval.ts'
import type { Approvals } from './types.ts'

type Row = Omit<Approval, 'secrets'>

const notThere = (id: string) =>
  fail('not_found', `There is no held run "${id.slice(0, 60)}". GET /v1/approvals lists them.`)

type ApprovalsDependencies = {
  store: Pick<Store, 'approvals'>
  registry: Pick<Registry, 'all'>
  seal: ApprovalSeal
  runner: Pick<ApprovalRunner, 'wake'>
  /** Called when a row ended without being sent. */
  ended: NonNullable<Sender['ended']>
  clock: Pick<Clock, 'now'>
  describe: Describer
  /** Where a held run is decided; undefined: this process has no address. */
  linkTo(id: string): string | undefined
}

const whoIs = ({ token, person }: Caller) => (person === undefined ? (token ?? 'library') : person)

const priceOf = (content: HeldContent | undefined): ApprovalDetail['price'] => {
  if (!content || content.credits === 'unknown') return 'unknown'
  return content.credits === null || content.credits === 0 ? 'free' : 'credits'
}

/** @throws Failure for a decision about something else than what would be sent now, or a limit above what was shown */
const requireShown = (row: Approval, content: HeldContent, { version = 1, maxCredits }: ApproveBody): void => {
  if (version !== content.version)
    throw failField(
      'version',
      `What would be sent has changed: this is version ${content.version}. Look at it again, and approve that version.`,
      'conflict',
    )
  if (maxCredits !== undefined && row.credits !== null && maxCredits > row.credits)
    throw failField(
      'maxCredits',
      `It may cost ${row.credits} credits at most. maxCredits can lower that, not raise it.`,
    )
}

/** Reads and decides held runs, by whoever may. */
const createDecisions = ({
  store,
  registry,
  seal,
  ended,
  clock,
  describe,
}: Omit<ApprovalsDependencies, 'runner' | 'linkTo'>) => {
  const find = async (caller: Caller, id: string): Promise<Approval> => {
    const row = await store.approvals.get(caller.tenant, id)
    if (!row || !maySee(registry, caller, row)) throw notThere(id)
    return row
  }

  /** What a row and its content say in words; `describer` is shared by the rows of one answer. */
  const viewBriefly = async (caller: Caller, row: Approval, describer = describe()): Promise<ApprovalView> => {
    const { content } = seal.open(row)
    const [names, summary] = await Promise.all([describer.names(row), describer.summary(row, content)])
    return viewRow(
      caller,
      row,
      { names, summary, price: priceOf(content), version: content?.version ?? 0 },
      clock.now(),
    )
  }

  const view = async (caller: Caller, row: Approval): Promise<ApprovalDetail> => {
    const { content } = seal.open(row)
    return {
      ...(await viewBriefly(caller, row)),
      title: content?.title ?? null,
      input: content?.input ?? null,
      requests: content?.requests ?? [],
      complete: content?.complete ?? false,
      maxCredits: content?.maxCredits ?? null,
      reason: content?.reason ?? content?.note ?? null,
      erased: content === undefined,
    }
  }

  /** The row that is to be decided; undefined: this decision was taken already. */
  const open = async (caller: Caller, id: string, decision: 'approved' | 'denied', may: (row: Row) => boolean) => {
    const row = await find(caller, id)
    if (!may(row))
      throw fail(
        'not_allowed',
        row.by === 'caller' || !isAsker(caller, row)
          ? 'This token may not decide about it: it lacks the scope "approvals", or the rule names others.'
          : 'Whoever made the call may not approve it. Somebody else has to, with another token that has the scope "approvals".',
      )
    const { content } = seal.open(row)
    if (row.state === 'open' && row.expiresAt > clock.now()) return { row, content }
    const wasApproved = row.state === 'approved' || row.state === 'sending' || row.state === 'done'
    if (decision === 'approved' ? wasApproved : row.state === 'denied') return undefined
    if (wasApproved) throw fail('conflict', 'It was approved already, so it is too late to deny it.')
    if (row.state === 'denied') throw fail('conflict', 'It was denied already. To have it sent, make the call again.')
    throw failureOf({ state: 'expired', code: 'approval_expired' }, content)
  }

  const decide = async (
    caller: Caller,
    id: string,
    decision: 'approved' | 'denied',
    may: (row: Row) => boolean,
    change: (row: Approval, content: HeldContent | undefined) => Partial<Approval>,
  ): Promise<ApprovalDetail> => {
    for (;;) {
      const undecided = await open(caller, id, decision, may)
      if (!undecided) return view(caller, await find(caller, id))
      const { row, content } = undecided
      const changes = { ...change(row, content), decidedBy: whoIs(caller), decidedAt: clock.now() }
      const decided: Approval = { ...row, ...changes }
      const notices = decided.endedAt === null ? [] : [approvalEnded(decided, clock.now())]
      // Somebody else decided, or it expired: see which.
      if (!(await store.approvals.change(row, changes, notices))) continue
      if (decided.endedAt !== null) await ended(decided, content, failureOf(decided, seal.open(decided).content))
      return view(caller, decided)
    }
  }

  return { find, view, viewBriefly, decide }
}

/** Tells whoever made a call what became of it. */
const createOutcomes = (
  parts: ApprovalsDependencies,
  find: (caller: Caller, id: string) => Promise<Approval>,
): Approvals['outcome'] => {
  const { registry, seal } = parts
  const answers = createAnswers(parts)
  const resumes = ({ kind, integration: of, step }: Row): boolean =>
    kind === 'step' && registry.all.find(({ integration: { id } }) => id === of)?.steps.get(step)?.step.resumes === true

  const outcomeOf = async (caller: Caller, row: Approval, isKeyed: boolean): Promise<Outcome | undefined> => {
    try {
      const title = seal.open(row).content?.title ?? 'The run'
      return await answers.outcomeOf(row, { caller, title, isKeyed, resumes: resumes(row) })
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      const meta = { runId: row.runId ?? row.id, durationMs: 0, attempts: 0 }
      return { ok: false, failure: toFailureJson(thrown), meta }
    }
  }

  return async (caller, id, { isKeyed = false, isPeek = false } = {}) => {
    for (;;) {
      const row = await find(caller, id)
      if (!isOwnCall(caller, row)) throw notThere(id)
      if (isPeek && !isOpen(row)) return undefined
      const outcome = await outcomeOf(caller, row, isKeyed)
      // Otherwise it has changed meanwhile: see how.
      if (outcome) return outcome
    }
  }
}

export const createApprovals = (parts: ApprovalsDependencies): Approvals => {
  const { store, registry, seal, runner, clock, describe } = parts
  const { find, view, viewBriefly, decide } = createDecisions(parts)
  return {
    async list(caller, page: Page, { state, person } = {}): Promise<Listed<ApprovalView>> {
      const filter: ApprovalFilter = {
        ...(state === undefined ? {} : { states: [state] }),
        ...(person === undefined ? {} : { person }),
      }
      const { items, next } = await store.approvals.list(caller.tenant, page, filter)
      const visible = items.filter((row) => maySee(registry, caller, row))
      const describer = describe()
      return {
        items: await Promise.all(visible.map((row) => viewBriefly(caller, row, describer))),
        ...(next === undefined ? {} : { next }),
      }
    },
    get: async (caller, id) => view(caller, await find(caller, id)),
    outcome: createOutcomes(parts, find),
    async approve(caller, id, decision = {}) {
      const { maxCredits } = decision
      const decided = await decide(
        caller,
        id,
        'approved',
        (row) => mayDecide(caller, row),
        (row, content) => {
          if (!content)
            throw fail(
              'conflict',
              'What it would send was erased, or can no longer be read, so it cannot be approved. Make the call again.',
            )
          requireShown(row, content, decision)
          const now = clock.now()
          return {
            state: 'approved',
            nextAt: now,
            expiresAt: Math.max(row.expiresAt, now + sendableMs),
            ...(maxCredits === undefined ? {} : { secrets: seal.seal(row, { ...content, maxCredits }) }),
          }
        },
      )
      runner.wake()
      return decided
    },
    deny: (caller, id, { reason } = {}) =>
      decide(
        caller,
        id,
        'denied',
        // Whoever made a call may take it back.
        (row) => mayDecide(caller, row) || isAsker(caller, row),
        (row, content) => ({
          state: 'denied',
          code: 'approval_denied',
          endedAt: clock.now(),
          nextAt: null,
          ...(reason === undefined || !content ? {} : { secrets: seal.seal(row, { ...content, reason }) }),
        }),
      ),
  }
}
