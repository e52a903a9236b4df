import { randomUUID } from 'node:crypto'
import { describeDefect, fail, isFailure, mayPassLater, once, toFailureJson } from '#kit'
import type { Failure, Outcome } from '#kit'
import { presentCaller } from '../admin/present-caller.ts'
import { endOf as endOfToken } from '../admin/tokens.ts'
import { approvalEnded, approvalRequested } from '../notices.ts'
import type { Approval, Caller, Clock, Log, Store } from '../ports/index.ts'
import { unknownOutcome } from '../stored-outcomes.ts'
import type { CallPlan } from './match.ts'
import { isSameWork } from './permits.ts'
import type { Permit, Permits } from './permits.ts'
import type { RuleBook } from './rules.ts'
import type { ApprovalSeal, HeldContent } from './store-approval.ts'

/** How long an attempt that was not seen to send anything keeps others from trying, in ms. */
const claimMs = 90_000
/** When to look what became of one that was sending, in ms: a run has a row that says so, a lookup has none. */
const lookMs = { step: 15_000, job: 15_000, lookup: 600_000 }
/** Least and most between two attempts of what could not be sent, in ms. */
const retryMs = { least: 2_000, most: 300_000 }
/** For how long at least something may be sent after it was approved, in ms. */
export const sendableMs = 3_600_000
/** How much runs at a time: in all, and of one tenant. */
const atOnce = { all: 16, ofTenant: 4 }
const intervalMs = 2_000

type SendPlan = CallPlan & Pick<HeldContent, 'shown'>

/** How one kind of call is sent. */
export type Sender = {
  /** Sends it, or finds that it may not be sent. */
  send(caller: Caller, content: HeldContent, permit: Permit, runId: string): Promise<Outcome>
  /** What it would send now. @throws Failure */
  plan?(caller: Caller, content: HeldContent): Promise<SendPlan>
  /** What identifies its connection now; undefined: it names none. @throws Failure */
  fingerprint?(caller: Caller, content: HeldContent): Promise<string>
  /** Called when it ended without being sent. */
  ended?(row: Approval, content: HeldContent | undefined, failure: Failure): Promise<void>
}

type SendDependencies = {
  store: Pick<Store, 'approvals' | 'runs' | 'tokens' | 'grants'> & { cluster?: unknown }
  rules: Pick<RuleBook, 'tenants' | 'refresh'>
  seal: ApprovalSeal
  permits: Permits
  senders: { [kind in Approval['kind']]: Sender }
  clock: Clock
  log: Log
  newRunId(): string
  linkTo(id: string): string | undefined
}

export type ApprovalSender = ReturnType<typeof createApprovalSender>

/** @throws Failure `approval_expired` */
const requireSameConnection = async ({ fingerprint }: Sender, caller: Caller, content: HeldContent): Promise<void> => {
  if (!fingerprint || (await fingerprint(caller, content)) === content.connection) return
  throw expired('The connection was changed after the call was made. Make the call again.')
}

const expired = (message: string) => fail('approval_expired', message)

/** Sends what was approved, once; ends what nobody decided; and finds out what became of what was cut off. */
export const createApprovalSender = (parts: SendDependencies) => {
  const { store, rules, seal, permits, senders, clock, log, newRunId, linkTo } = parts
  const active = new Map<string, Promise<void>>()
  let isStopping = false
  let isFirst = true
  let again = false
  let looking: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  /** Ends a row that is not sent, with the reason. */
  const end = async (row: Approval, failure: Failure): Promise<void> => {
    const now = clock.now()
    const { content } = seal.open(row)
    const ended: Approval = { ...row, state: 'expired', code: failure.code, endedAt: now, nextAt: null }
    const { state, code, endedAt, nextAt } = ended
    const secrets = content ? { secrets: seal.seal(row, { ...content, reason: failure.message }) } : {}
    const changes = { state, code, endedAt, nextAt, ...secrets }
    if (!(await store.approvals.change(row, changes, [approvalEnded(ended, now)]))) return
    await senders[row.kind].ended?.(ended, content, failure)
  }

  /** Stores what became of it. A row that was erased meanwhile stays without content. */
  const finish = async (attempted: Approval, outcome: Outcome): Promise<void> => {
    const now = clock.now()
    for (;;) {
      const row = await store.approvals.get(attempted.tenant, attempted.id)
      if (!row || row.attempt !== attempted.attempt || row.endedAt !== null) return
      const { content } = seal.open(row)
      const done: Approval = {
        ...row,
        state: 'done',
        code: outcome.ok ? null : outcome.failure.code,
        endedAt: now,
        nextAt: null,
        secrets: content ? seal.seal(row, content, outcome) : row.secrets,
      }
      const { state, code, endedAt, nextAt, secrets } = done
      const changes = { state, code, endedAt, nextAt, secrets, runId: outcome.meta.runId }
      if (await store.approvals.change(row, changes, [approvalEnded(done, now)])) return
    }
  }

  /** As whom it is sent: with the rights of its token as they are now. @throws Failure */
  const callerNow = async (tenant: string, { caller }: HeldContent): Promise<Caller> => {
    const { token, expiresAt = null, person, namesPerson } = caller
    const now = clock.now()
    const present = token === undefined ? undefined : await presentCaller(store, tenant, token, now)
    const ended = present ? 'end' in present : endOfToken({ revokedAt: null, expiresAt }, now) !== undefined
    if (ended) throw expired('The token of the call has ended since it was made.')
    if (!present || 'end' in present) return { ...caller, tenant }
    return { ...present.caller, ...(person === undefined ? {} : { person }), ...(namesPerson ? { namesPerson } : {}) }
  }

  /** Holds it again, with what would be sent now. */
  const holdAgain = async (row: Approval, content: HeldContent, plan: SendPlan): Promise<void> => {
    const now = clock.now()
    const expiresAt = Math.max(row.expiresAt, now + sendableMs)
    const { requests, shown, complete } = plan
    const changed: HeldContent = {
      ...content,
      requests: requests as HeldContent['requests'],
      shown,
      complete,
      reason: 'What would be sent has changed since it was approved.',
    }
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
  }

  const tryLater = async (row: Approval, retryAfterMs: number | undefined): Promise<void> => {
    const now = clock.now()
    const waited = now - (row.decidedAt ?? now)
    const delay = Math.max(retryMs.least, Math.min(retryMs.most, Math.max(waited, retryAfterMs ?? 0)))
    await store.approvals.change(row, { attempt: null, nextAt: now + delay })
  }

  const send = async (row: Approval): Promise<void> => {
    const { tenant } = row
    const now = clock.now()
    if (row.expiresAt <= now)
      return end(row, expired('It was approved, but could not be sent in time. Make the call again.'))
    const { content } = seal.open(row)
    if (!content) return end(row, expired('What it would send was erased, or cannot be read any more.'))
    const sender = senders[row.kind]
    let caller: Caller
    try {
      caller = await callerNow(tenant, content)
      await requireSameConnection(sender, caller, content)
      const plan = await sender.plan?.(caller, content)
      if (plan && (plan.credits ?? 0) > (row.credits ?? plan.credits ?? 0))
        throw expired(`It would cost up to ${plan.credits} credits now, more than was shown. Make the call again.`)
      if (plan && !isSameWork(plan.shown, content.shown)) return await holdAgain(row, content, plan)
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      return mayPassLater(thrown) ? tryLater(row, thrown.details.retryAfterMs) : end(row, thrown)
    }
    const attempt = randomUUID()
    const runId = newRunId()
    if (!(await store.approvals.change(row, { attempt, runId, nextAt: now + claimMs }))) return
    let mine: Approval = { ...row, attempt, runId, revision: row.revision + 1 }
    let isSent = false
    let differs = false
    const sending = once(async () => {
      const changes = { state: 'sending' as const, nextAt: clock.now() + lookMs[row.kind] }
      if (!(await store.approvals.change(mine, changes)))
        throw fail('conflict', 'It is sent by another process, or was erased.')
      mine = { ...mine, state: 'sending', revision: mine.revision + 1 }
      isSent = true
    })
    const permit =
      row.kind === 'step'
        ? permits.forRequests(content.shown, { sending, differs: () => void (differs = true) })
        : permits.forWhole(sending)
    const outcome = await sender.send(caller, content, permit, runId)
    if (isSent || outcome.ok) return finish(mine, outcome)
    // It changed within this moment: the next look finds what it would be now.
    if (differs) return tryLater(mine, undefined)
    // The table says whether it may help: nothing was sent, or the row would say so.
    if (mayPassLater(outcome.failure)) return tryLater(mine, outcome.failure.retryAfterMs)
    return finish(mine, outcome)
  }

  /** What became of one that was being sent when this was last looked at. */
  const settle = async (row: Approval): Promise<void> => {
    const { tenant, runId, kind } = row
    const run = runId === null ? undefined : await store.runs.get(tenant, runId)
    if (run?.state === 'sending' && store.cluster !== undefined) {
      await store.approvals.change(row, { nextAt: clock.now() + lookMs[kind] })
      return
    }
    const meta = { runId: runId ?? row.id, durationMs: run?.durationMs ?? 0, attempts: run?.attempts ?? 1 }
    if (run?.failure) return finish(row, { ok: false, failure: run.failure, meta })
    if (run?.state !== 'done') return finish(row, unknownOutcome(meta.runId))
    const lost = fail(
      'outcome_unknown',
      `It was sent and carried out, but the server stopped before the answer was stored. Look at the provider (run ${meta.runId}).`,
    )
    return finish(row, { ok: false, failure: toFailureJson(lost), meta })
  }

  const work = async (row: Approval): Promise<void> => {
    try {
      if (row.state === 'approved') await send(row)
      else if (row.state === 'sending') await settle(row)
      else await end(row, expired('Nobody decided in time. Make the call again to have it decided.'))
    } catch (thrown) {
      // Its row says when it is due again.
      log('warn', 'approval.not_done', { approval: row.id, ...describeDefect(thrown) })
      await tryLater(row, undefined).catch(() => undefined)
    }
  }

  const look = async (): Promise<void> => {
    const now = clock.now()
    // After a restart nobody else works on what this process had begun.
    const horizon = isFirst && store.cluster === undefined ? now + lookMs.lookup : now
    isFirst = false
    for (const row of await store.approvals.due(horizon, atOnce.all, atOnce.ofTenant)) {
      if (isStopping || active.size >= atOnce.all) return
      const name = `${row.tenant} ${row.id}`
      if (active.has(name) || (row.state === 'open' && row.expiresAt > now)) continue
      const done = work(row).finally(() => active.delete(name))
      active.set(name, done)
    }
  }

  const wake = (): void => {
    if (isStopping) return
    again = true
    looking ??= (async () => {
      while (again) {
        again = false
        await look().catch((error: unknown) => log('warn', 'approvals.not_looked', describeDefect(error)))
      }
    })().finally(() => (looking = undefined))
  }

  return {
    /** Looks for what is due. */
    wake,
    end,
    /** Resolves when what is under way here has ended. */
    async settled(): Promise<void> {
      await looking
      await Promise.all(active.values())
    },
    start(): void {
      wake()
      timer ??= setInterval(wake, intervalMs).unref()
    },
    async stop(): Promise<void> {
      isStopping = true
      clearInterval(timer)
      await looking
      await Promise.all(active.values())
    },
  }
}
