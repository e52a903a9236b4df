import { fail, failures } from '#kit'
import type { Effect, Failure, Json, Outcome } from '#kit'
import { hashRequest } from '../idempotency.ts'
import { stepBoundsOf } from '../bounds.ts'
import { approvalEnded, approvalRequested } from '../notices.ts'
import type { Approval, ApprovalRule, Caller, Clock, Store } from '../ports/index.ts'
import { firstMatch, mayConcern } from './match.ts'
import type { CallFacts, CallPlan } from './match.ts'
import type { RuleBook } from './rules.ts'
import { newApproval } from './store-approval.ts'
import type { ApprovalSeal, HeldContent } from './store-approval.ts'

/** How many runs of a tenant may wait at a time, and how large one may be in characters of JSON. */
const maxOpen = 1_000
const maxContent = 512 * 1024

/** A call that may have to wait. */
export type HeldCall = {
  caller: Caller
  kind: Approval['kind']
  /** Hash of what makes two calls equal, including their connection. */
  requestHash: string
  idempotencyKey?: string | undefined
  integration: string
  step: string
  connection: string | null
  startId: string | null
  effect: Effect
  /** One for each part; a rule that one of them meets holds the whole. */
  facts: readonly CallFacts[]
  /** What is needed to send it later. */
  call: Json
  title: string
  input: Json
  /** What identifies the connection as it is now. */
  fingerprint: string
  plan(): Promise<CallPlan & Pick<HeldContent, 'shown'>>
}

export type Hold = {
  tenants: { has(tenant: string): boolean }
  /**
   * Undefined: nobody has to be asked. Otherwise the outcome of the call that was approved, once.
   * @throws Failure `approval_pending`, `approval_denied`, `approval_expired`
   */
  require(call: HeldCall): Promise<Outcome | undefined>
  /**
   * For what cannot wait: refuses it where a rule would hold it.
   * @throws Failure `not_allowed`
   */
  refuse(facts: CallFacts, credits: number): Promise<void>
}

type HoldDependencies = {
  store: Pick<Store, 'approvals'>
  rules: RuleBook
  seal: ApprovalSeal
  clock: Clock
  /** Where an approval is decided; undefined: this process has no address. */
  linkTo(id: string): string | undefined
}

const identityOf = ({ caller, kind, requestHash, idempotencyKey }: HeldCall): string =>
  hashRequest([
    'approval',
    kind,
    caller.token ?? null,
    caller.person ?? null,
    idempotencyKey ?? null,
    stepBoundsOf(caller),
    requestHash,
  ])

const minute = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The caller of a call that goes on without a request. Its start id is stored in its row, in another form. */
export const asWhom = ({ tenant: _, startId: __, usable: ___, ...caller }: Caller): HeldContent['caller'] => caller

/** The failure with which a call ended that was not approved. */
export const endOf = ({ state, code }: Pick<Approval, 'state' | 'code'>, content: HeldContent | undefined): Failure => {
  const title = content?.title ?? 'The run'
  const reason = content?.reason === undefined ? '' : ` ${content.reason}`
  return state === 'denied'
    ? fail('approval_denied', `${title} was denied; nothing was sent.${reason && ` The reason:${reason}`}`)
    : fail(code ?? 'approval_expired', `${title} was not sent.${reason || ` ${failures.approval_expired.meaning}`}`)
}

export const createHold = ({ store, rules, seal, clock, linkTo }: HoldDependencies): Hold => {
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

  /** What a repeated call gets. Undefined: the row ended meanwhile, so look again. */
  const answerOf = async (row: Approval, title: string): Promise<Outcome | undefined> => {
    const now = clock.now()
    const isLate = row.state === 'open' && row.expiresAt <= now
    if (!isLate && row.endedAt === null) throw pending(row, title)
    const { content, outcome } = seal.open(row)
    const ended: Approval = isLate ? { ...row, state: 'expired', code: 'approval_expired' } : row
    const notices = isLate ? [approvalEnded(ended, now)] : []
    const endedNow = isLate ? { state: ended.state, code: ended.code, endedAt: now, nextAt: null } : {}
    // Delivered once: the next such call is a new one. Of two that arrive together, one may get it.
    if (!(await store.approvals.change(row, { ...endedNow, identity: null }, notices))) return undefined
    if (row.state === 'done' && outcome) return outcome
    if (row.state === 'done')
      throw fail(
        'not_found',
        `${title} was sent (run ${row.runId}); its outcome was erased or cannot be read any more.`,
      )
    throw endOf(ended, content)
  }

  const contentOf = (
    { caller, call, title, input, fingerprint }: HeldCall,
    { requests, shown, complete, price }: Awaited<ReturnType<HeldCall['plan']>>,
  ): HeldContent => {
    const content: HeldContent = {
      caller: asWhom(caller),
      call,
      title,
      input,
      requests: requests as Json[],
      shown,
      complete,
      connection: fingerprint,
      ...(price === undefined ? {} : { price: price as Json }),
    }
    if (JSON.stringify(content).length > maxContent)
      throw fail(
        'too_large',
        `A rule holds this run for approval, and a run that waits may have at most ${maxContent / 1024} kB. Nothing was sent. Split it into smaller ones.`,
      )
    return content
  }

  const hold = async (
    call: HeldCall,
    identity: string,
    rule: ApprovalRule,
    plan: Awaited<ReturnType<HeldCall['plan']>>,
  ) => {
    const { caller, kind, integration, step, connection, startId, effect } = call
    const now = clock.now()
    const row = newApproval(
      {
        tenant: caller.tenant,
        kind,
        identity,
        integration,
        step,
        connection,
        startId,
        effect,
        credits: plan.credits ?? null,
        caller,
      },
      rule,
      now,
    )
    const approval: Approval = { ...row, secrets: seal.seal(row, contentOf(call, plan)) }
    const added = await store.approvals.add(approval, maxOpen, [approvalRequested(approval, now, linkTo(row.id))])
    if (added === 'full')
      throw fail(
        'rate_limited',
        `${maxOpen} runs of this workspace wait for approval, which is the most. Nothing was sent. Have some of them decided first.`,
      )
    rules.note(caller.tenant)
    if (added === 'added') throw pending(approval, call.title)
  }

  return {
    tenants: rules.tenants,
    async require(call) {
      const { caller, facts, title } = call
      await rules.refresh()
      const identity = identityOf(call)
      for (;;) {
        const row = await store.approvals.byIdentity(caller.tenant, identity)
        const outcome = row && (await answerOf(row, title))
        if (outcome) return outcome
        if (row) continue
        const candidates = rules.of(caller.tenant).filter((rule) => facts.some((fact) => mayConcern(rule, fact)))
        if (candidates.length === 0) return undefined
        const plan = await call.plan()
        const rule = await firstMatch(candidates, plan)
        if (!rule) return undefined
        await hold(call, identity, rule, plan)
      }
    },
    async refuse(facts, credits) {
      await rules.refresh()
      const candidates = rules.of(facts.caller.tenant).filter((rule) => mayConcern(rule, facts))
      const plan = { requests: [], complete: true, matters: true, credits, containers: async () => undefined }
      const rule = await firstMatch(candidates, plan)
      if (rule)
        throw fail(
          'not_allowed',
          `The approval rule ${rule.name === null ? rule.id : `"${rule.name}"`} holds what costs credits here, and this cannot wait for a decision. Nothing was sent. Do without what costs, or have the rule changed.`,
        )
    },
  }
}
