import { fromFailureJson, mayPassLater } from '#kit'
import type { Json } from '#kit'

import { createApprovals } from '../runtime/approvals/decide.ts'
import { createDescriber } from '../runtime/approvals/describe.ts'
import { createHold } from '../runtime/approvals/hold.ts'
import { createPermits } from '../runtime/approvals/permits.ts'
import { createRuleBook } from '../runtime/approvals/rules.ts'
import { createEnds } from '../runtime/approvals/ends.ts'
import { createApprovalRunner } from '../runtime/approvals/runner.ts'
import { createSend } from '../runtime/approvals/send.ts'
import type { Sender, Senders } from '../runtime/approvals/senders.ts'
import { createApprovalSeal } from '../runtime/approvals/store-approval.ts'
import type { HeldContent } from '../runtime/approvals/store-approval.ts'
import type { Caller } from '../runtime/ports/index.ts'
import { planOf } from '../runtime/lookups/waterfall/hold-lookup.ts'
import type { LookupCall, LookupPlan, Lookups } from '../runtime/lookups/waterfall/waterfall.ts'
import type { StoredCall } from '../runtime/steps/hold-step.ts'
import { newRunId } from '../runtime/steps/run-id.ts'
import type { Steps } from '../runtime/steps/run-step.ts'
import type { PackOptions } from '../pack-types.ts'
import type { Foundation } from './foundation.ts'

/** Everything that holds runs; who sends them is known once there are steps. */
export const openHolds = async (
  { store, registry, clock, log, vault }: Foundation,
  { approvalRules }: Pick<PackOptions, 'approvalRules'>,
  address: () => string | undefined,
) => {
  const rules = createRuleBook({ store, registry, clock, log, operator: approvalRules })
  await rules.read()
  const seal = createApprovalSeal(vault)
  const permits = createPermits()
  const linkTo = (id: string) => {
    const base = address()
    return base === undefined ? undefined : `${base}/console/approvals/${id}`
  }
  const senders: Partial<Senders> = {}
  const ended: NonNullable<Sender['ended']> = async (row, content, failure) =>
    senders[row.kind]?.ended?.(row, content, failure)
  const hold = createHold({ store, rules, seal, clock, linkTo, ended })
  return { rules, seal, permits, linkTo, hold, senders, ended }
}
export type OpenedHolds = Awaited<ReturnType<typeof openHolds>>

const stepCall = (call: Json) => call as unknown as StoredCall
const lookupCall = (call: Json) => call as unknown as LookupCall

type SentBy = {
  steps: Pick<Steps, 'run'> & Required<Pick<Steps, 'plan'>>
  lookups: Lookups
  /** What identifies a connection as it is now. */
  ofConnection(caller: Caller, integration: string, connection: string | undefined): Promise<string>
  ofLookup(caller: Caller, call: Pick<LookupCall, 'providers'>): Promise<string>
  jobs: Sender
}

/** What it may spend: no more than was shown, than whoever approved it allows, and than the call itself. */
const limitOf = ({ credits, maxCredits }: HeldContent, ofCall: number | undefined): number | undefined => {
  const limits = [credits === 'unknown' ? undefined : (credits ?? 0), maxCredits, ofCall]
  const known = limits.filter((limit) => limit !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** How each kind of held call is sent. */
const sendersOf = (
  { limits }: Pick<Foundation, 'limits'>,
  { steps, lookups, ofConnection, ofLookup, jobs }: SentBy,
): Senders => ({
  step: {
    send: ({ caller, content, permit, runId }) => {
      const call = stepCall(content.call)
      const maxCredits = limitOf(content, call.maxCredits)
      return limits.run(caller.tenant, undefined, () => steps.run(caller, { ...call, maxCredits, permit, runId }))
    },
    plan: (caller, { call }) => steps.plan(caller, stepCall(call)),
    fingerprint(caller, { call }) {
      const { integration, connection } = stepCall(call)
      return ofConnection(caller, integration, connection)
    },
  },
  lookup: {
    send: ({ caller, content, permit, runId }) => {
      const call = lookupCall(content.call)
      return lookups.run(caller, { ...call, maxCredits: limitOf(content, call.maxCredits), permit, runId })
    },
    async plan(caller, { call }) {
      const outcome = await lookups.run(caller, { ...lookupCall(call), dryRun: true })
      if (!outcome.ok) throw fromFailureJson(outcome.failure)
      const plan = outcome.value as LookupPlan
      const momentary = plan.providers.find(({ failure }) => failure && mayPassLater(failure))?.failure
      if (momentary) throw fromFailureJson(momentary)
      // A provider that cannot be asked any more costs nothing.
      return { ...planOf(plan), credits: plan.price?.total?.[1] }
    },
    fingerprint: (caller, { call }) => ofLookup(caller, lookupCall(call)),
  },
  job: jobs,
})

/** The verbs for whoever decides, and what sends the approved. */
export const openApprovals = (foundation: Foundation, holds: OpenedHolds, sentBy: SentBy) => {
  const { store, registry, clock, log, names } = foundation
  const { rules, seal, permits, linkTo, ended } = holds
  const senders = Object.assign(holds.senders, sendersOf(foundation, sentBy))
  const ends = createEnds({ store, seal, ended, clock, linkTo })
  const send = createSend({ store, seal, permits, senders, ends, clock, newRunId })
  const describe = createDescriber({ store, registry, rules, findNames: names.find, log })
  const runner = createApprovalRunner({ store, ends, refresh: rules.refresh, send, clock, log })
  return {
    runner,
    rules: rules.verbs,
    verbs: createApprovals({ store, registry, seal, runner, ended, clock, linkTo, describe }),
  }
}
