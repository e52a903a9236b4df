import { fail, failField } from '#kit'
import { mayCall } from '../bounds.ts'
import type { Registry } from '../catalogue/registry.ts'
import { isBoundToPerson } from '../people/act-for.ts'
import { isVisible } from '../steps/runs.ts'
import type { Approval, ApprovalFilter, Caller, Clock, Listed, Page, Store } from '../ports/index.ts'
import type { Approval as ApprovalView, ApprovalDetail } from '../../api/resources/approval.ts'
import { approvalEnded } from '../notices.ts'
import { endOf } from './hold.ts'
import type { ApprovalSender, Sender } from './send.ts'
import { sendableMs } from './send.ts'
import type { ApprovalSeal, HeldContent } from './store-approval.ts'
import type { Approvals } from './types.ts'

type Row = Omit<Approval, 'secrets'>

const iso = (at: number) => new Date(at).toISOString()

const approverScopes = { access: ['approvals', 'admin'] } as const
const readerScopes = { access: ['approvals', 'admin', 'read'] } as const

/** Whether the caller made the call: with that token, for that person, or both with neither. */
const isAsker = ({ token, person }: Caller, row: Row): boolean =>
  (row.token !== null && row.token === token) ||
  (row.person !== null && row.person === person) ||
  (row.token === null && token === undefined && row.person === (person ?? null))

/**
 * Whether the caller may decide. Whoever made the call may not, unless its rule says so; nor may a program that somebody
 * let in decide about the calls of others.
 */
export const mayDecide = (caller: Caller, row: Row): boolean => {
  if (isAsker(caller, row)) return row.by === 'caller'
  if (caller.program || !mayCall(caller, approverScopes)) return false
  if (row.by === 'caller' || row.by === 'approvers') return true
  const { people = [], tokens = [] } = row.by
  const isPerson = caller.person !== undefined && isBoundToPerson(caller) && people.includes(caller.person)
  return isPerson || (caller.token !== undefined && tokens.includes(caller.token))
}

const isNamed = ({ by }: Row, caller: Caller): boolean =>
  typeof by === 'object' && caller.person !== undefined && (by.people?.includes(caller.person) ?? false)

/** Whether the caller may see a held run: those it asked for, and with a scope for it those that its bounds allow. */
const maySee = (registry: Pick<Registry, 'all'>, caller: Caller, row: Row): boolean => {
  // Somebody who decides for others sees what they decide about, within the connections of the token.
  const unlimited = isNamed(row, caller) && mayDecide(caller, row) ? { ...caller, namesPerson: true as const } : caller
  return isVisible(registry, unlimited, row) && (isAsker(caller, row) || mayCall(caller, readerScopes))
}

const viewRow = (caller: Caller, row: Row, now: number): ApprovalView => {
  const { decidedAt, createdAt, expiresAt, endedAt } = row
  const isLate = row.state === 'open' && expiresAt <= now
  return {
    id: row.id,
    state: isLate ? 'expired' : row.state,
    kind: row.kind,
    integration: row.integration,
    step: row.step,
    connection: row.connection,
    effect: row.effect,
    credits: row.credits,
    token: row.token,
    person: row.person,
    startId: row.startId,
    rule: row.rule,
    by: row.by,
    mayDecide: row.state === 'open' && !isLate && mayDecide(caller, row),
    runId: row.runId,
    code: row.code,
    decidedBy: row.decidedBy,
    decidedAt: decidedAt === null ? null : iso(decidedAt),
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    endedAt: endedAt === null ? null : iso(endedAt),
  }
}

type ApprovalsDependencies = {
  store: Pick<Store, 'approvals'>
  registry: Pick<Registry, 'all'>
  seal: ApprovalSeal
  sender: Pick<ApprovalSender, 'wake'>
  senders: { [kind in Approval['kind']]: Pick<Sender, 'ended'> }
  clock: Pick<Clock, 'now'>
}

const whoIs = ({ token, person }: Caller) => (person === undefined ? (token ?? 'library') : person)

export const createApprovals = ({
  store,
  registry,
  seal,
  sender,
  senders,
  clock,
}: ApprovalsDependencies): Approvals => {
  const find = async (caller: Caller, id: string): Promise<Approval> => {
    const row = await store.approvals.get(caller.tenant, id)
    if (!row || !maySee(registry, caller, row))
      throw fail('not_found', `There is no held run "${id.slice(0, 60)}". GET /v1/approvals lists them.`)
    return row
  }

  const view = (caller: Caller, row: Approval): ApprovalDetail => {
    const { content } = seal.open(row)
    return {
      ...viewRow(caller, row, clock.now()),
      title: content?.title ?? null,
      input: content?.input ?? null,
      requests: content?.requests ?? [],
      complete: content?.complete ?? false,
      maxCredits: content?.maxCredits ?? null,
      reason: content?.reason ?? null,
      erased: content === undefined,
    }
  }

  /** The row as it is to be decided; undefined: it was decided so already. */
  const open = async (caller: Caller, id: string, decision: 'approved' | 'denied', may: (row: Row) => boolean) => {
    const row = await find(caller, id)
    if (!may(row))
      throw fail(
        'not_allowed',
        row.by === 'caller' || !isAsker(caller, row)
          ? 'This token may not decide about it: it lacks the scope "approvals", or its rule names others.'
          : 'Whoever made the call may not approve it. Somebody else has to, with another token that has the scope "approvals".',
      )
    const { content } = seal.open(row)
    if (row.state === 'open' && row.expiresAt > clock.now()) return { row, content }
    const wasApproved = row.state === 'approved' || row.state === 'sending' || row.state === 'done'
    if (decision === 'approved' ? wasApproved : row.state === 'denied') return undefined
    if (wasApproved) throw fail('conflict', 'It was approved already, so it is too late to deny it.')
    if (row.state === 'denied') throw fail('conflict', 'It was denied already. The call has to be made again.')
    throw endOf({ state: 'expired', code: 'approval_expired' }, content)
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
      if (decided.endedAt !== null)
        await senders[row.kind].ended?.(decided, content, endOf(decided, seal.open(decided).content))
      return view(caller, decided)
    }
  }

  return {
    async list(caller, page: Page, { state, person } = {}): Promise<Listed<ApprovalView>> {
      const filter: ApprovalFilter = {
        ...(state === undefined ? {} : { states: [state] }),
        ...(person === undefined ? {} : { person }),
      }
      const { items, next } = await store.approvals.list(caller.tenant, page, filter)
      const now = clock.now()
      return {
        items: items.filter((row) => maySee(registry, caller, row)).map((row) => viewRow(caller, row, now)),
        ...(next === undefined ? {} : { next }),
      }
    },
    get: async (caller, id) => view(caller, await find(caller, id)),
    async approve(caller, id, { maxCredits } = {}) {
      const decided = await decide(
        caller,
        id,
        'approved',
        (row) => mayDecide(caller, row),
        (row, content) => {
          if (maxCredits !== undefined && row.credits !== null && maxCredits > row.credits)
            throw failField(
              'maxCredits',
              `It may cost ${row.credits} credits at most. maxCredits can lower that, not raise it.`,
            )
          const now = clock.now()
          return {
            state: 'approved',
            nextAt: now,
            expiresAt: Math.max(row.expiresAt, now + sendableMs),
            ...(maxCredits === undefined || !content ? {} : { secrets: seal.seal(row, { ...content, maxCredits }) }),
          }
        },
      )
      sender.wake()
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
