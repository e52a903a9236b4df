import { fail } from '#kit'
import type { Effect, Json, Outcome } from '#kit'
import { hashRequest } from '../idempotency.ts'
import { stepBoundsOf } from '../bounds.ts'
import { approvalRequested } from '../notices.ts'
import type { Approval, ApprovalRule, Caller, Clock, Store } from '../ports/index.ts'
import { firstMatch, mayConcern } from './match.ts'
import { createAnswers } from './answers.ts'
import type { CallFacts } from './match.ts'
import type { RuleBook } from './rules.ts'
import type { SendPlan } from './match.ts'
import type { Sender } from './senders.ts'
import { boundedContent, newApproval, readCaller, readPlan } from './store-approval.ts'
import type { ApprovalSeal, HeldContent } from './store-approval.ts'

/** How many runs of a tenant may wait at a time. */
const maxOpen = 1_000

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
  /** The person it acts for, or whose connection it uses; null: nobody. */
  person: string | null
  /** What identifies its connections as they are now. */
  fingerprint(): Promise<string> | string
  plan(): Promise<SendPlan>
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
  /** Called when a row ended without being sent. */
  ended: NonNullable<Sender['ended']>
}

const identityOf = ({ caller, kind, requestHash, idempotencyKey }: HeldCall): string =>
  hashRequest([
    'approval',
    kind,
    caller.person ?? null,
    // A key stands for one request of the person, whichever token it comes with, as where nobody is asked.
    ...(idempotencyKey !== undefined
      ? [{ key: idempotencyKey }]
      : // A job waits once, whoever resumes it.
        kind === 'job'
        ? []
        : [caller.token ?? null, stepBoundsOf(caller)]),
    requestHash,
  ])

/** What is stored of a call until it is decided. @throws Failure `too_large` */
const contentOf = async (held: HeldCall, plan: SendPlan): Promise<HeldContent> =>
  boundedContent({
    caller: readCaller(held.caller),
    call: held.call,
    title: held.title,
    input: held.input,
    connection: await held.fingerprint(),
    version: 1,
    ...readPlan(plan),
  })

export const createHold = (parts: HoldDependencies): Hold => {
  const { store, rules, seal, clock, linkTo } = parts
  const answers = createAnswers(parts)

  const hold = async (call: HeldCall, identity: string, rule: ApprovalRule, plan: SendPlan) => {
    const { caller, kind, integration, step, connection, startId, effect, person } = call
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
        person,
        caller,
      },
      rule,
      now,
    )
    const approval: Approval = { ...row, secrets: seal.seal(row, await contentOf(call, plan)) }
    const added = await store.approvals.add(approval, maxOpen, [approvalRequested(approval, now, linkTo(row.id))])
    if (added === 'full')
      throw fail(
        'rate_limited',
        `${maxOpen} runs of this workspace wait for approval, which is the most. Nothing was sent. Have some of them decided first.`,
      )
    rules.note(caller.tenant)
    if (added === 'added') throw answers.pending(approval, call.title)
  }

  return {
    tenants: rules.tenants,
    async require(call) {
      const { caller, facts, title } = call
      const repeat = {
        caller,
        title,
        isKeyed: call.idempotencyKey !== undefined,
        resumes: call.facts.some(({ loadedStep }) => loadedStep.step.resumes === true),
      }
      await rules.refresh()
      const candidates = rules.of(caller.tenant).filter((rule) => facts.some((fact) => mayConcern(rule, fact)))
      if (candidates.length === 0 && !rules.mayHaveRows(caller.tenant)) return undefined
      const identity = identityOf(call)
      for (;;) {
        const row = await store.approvals.byIdentity(caller.tenant, identity)
        const outcome = row && (await answers.outcomeOf(row, repeat))
        if (outcome) return outcome
        if (row) continue
        if (candidates.length === 0) return undefined
        const plan = await call.plan()
        const rule = await firstMatch(candidates, plan)
        if (!rule) return undefined
        await hold(call, identity, rule, plan)
      }
    },
    async refuse(facts, credits) {
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
