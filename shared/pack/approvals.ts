import type { Json } from '#kit'

import { createApprovals } from '../runtime/approvals/decide.ts'
import { fingerprintOf } from '../runtime/approvals/fingerprint.ts'
import { createHold } from '../runtime/approvals/hold.ts'
import { createPermits } from '../runtime/approvals/permits.ts'
import { createRuleBook } from '../runtime/approvals/rules.ts'
import { createEnds } from '../runtime/approvals/ends.ts'
import { createApprovalRunner } from '../runtime/approvals/runner.ts'
import { createSend } from '../runtime/approvals/send.ts'
import type { Sender, Senders } from '../runtime/approvals/senders.ts'
import { createApprovalSeal } from '../runtime/approvals/store-approval.ts'
import type { Caller } from '../runtime/ports/index.ts'
import type { LookupCall, Lookups } from '../runtime/lookups/waterfall/waterfall.ts'
import type { StoredCall } from '../runtime/steps/hold-step.ts'
import { newRunId } from '../runtime/steps/run-id.ts'
import type { Steps } from '../runtime/steps/run-step.ts'
import type { PackOptions } from '../pack-types.ts'
import type { Foundation } from './foundation.ts'

/** Everything that holds runs; who sends them is known once there are steps. */
export const openHolds = async (
  { store, registry, clock, vault }: Foundation,
  { approvalRules }: Pick<PackOptions, 'approvalRules'>,
  address: () => string | undefined,
) => {
  const rules = createRuleBook({ store, registry, clock, operator: approvalRules })
  await rules.read()
  const seal = createApprovalSeal(vault)
  const permits = createPermits()
  const linkTo = (id: string) => {
    const base = address()
    return base === undefined ? undefined : `${base}/console/approvals/${id}`
  }
  return { rules, seal, permits, linkTo, hold: createHold({ store, rules, seal, clock, linkTo }) }
}
export type OpenedHolds = Awaited<ReturnType<typeof openHolds>>

const stepCall = (call: Json) => call as unknown as StoredCall

type SentBy = {
  steps: Pick<Steps, 'run'> & Required<Pick<Steps, 'plan'>>
  lookups: Lookups
  /** What identifies a connection as it is now. */
  ofConnection(caller: Caller, integration: string, connection: string | undefined): Promise<string>
  ofLookup(caller: Caller, call: Pick<LookupCall, 'providers'>): Promise<string>
  jobs: Sender
}

/** The least of two limits, where either may be absent. */
const least = (...limits: (number | undefined)[]): number | undefined => {
  const known = limits.filter((limit) => limit !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** How each kind of held call is sent. */
const sendersOf = (
  { limits }: Pick<Foundation, 'limits'>,
  { steps, lookups, ofConnection, ofLookup, jobs }: SentBy,
): Senders => ({
  step: {
    send: (caller, { call, maxCredits, price }, permit, runId) => {
      const stored = stepCall(call)
      const shown = (price as { total?: [number, number] } | undefined)?.total?.[1]
      return limits.run(caller.tenant, undefined, () =>
        steps.run(caller, { ...stored, maxCredits: least(stored.maxCredits, maxCredits, shown), permit, runId }),
      )
    },
    plan: (caller, { call }) => steps.plan(caller, stepCall(call)),
    fingerprint(caller, { call }) {
      const { integration, connection } = stepCall(call)
      return ofConnection(caller, integration, connection)
    },
  },
  lookup: {
    send: (caller, { call, maxCredits, price }, permit) => {
      const stored = call as unknown as LookupCall
      const shown = (price as { total?: [number, number] } | undefined)?.total?.[1]
      return lookups.run(caller, { ...stored, maxCredits: least(stored.maxCredits, maxCredits, shown), permit })
    },
    fingerprint: (caller, { call }) => ofLookup(caller, call as unknown as LookupCall),
  },
  job: jobs,
})

/** The verbs for whoever decides, and what sends the approved. */
export const openApprovals = (
  foundation: Foundation,
  { rules, seal, permits, linkTo }: OpenedHolds,
  sentBy: SentBy,
) => {
  const { store, registry, clock, log } = foundation
  const senders = sendersOf(foundation, sentBy)
  const ends = createEnds({ store, seal, senders, clock, linkTo })
  const send = createSend({ store, seal, permits, senders, ends, clock, newRunId })
  const runner = createApprovalRunner({ store, ends, send, clock, log })
  return {
    runner,
    rules: rules.verbs,
    verbs: createApprovals({ store, registry, seal, runner, senders, clock }),
  }
}
