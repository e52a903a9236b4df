import type { Json } from '#kit'

import { operatorRules } from '../api/resources/approval-rule.ts'
import { createApprovals } from '../runtime/approvals/decide.ts'
import { fingerprintOf } from '../runtime/approvals/fingerprint.ts'
import { createHold } from '../runtime/approvals/hold.ts'
import { createPermits } from '../runtime/approvals/permits.ts'
import { createRuleBook } from '../runtime/approvals/rules.ts'
import { createApprovalSender } from '../runtime/approvals/send.ts'
import type { Sender } from '../runtime/approvals/send.ts'
import { createApprovalSeal } from '../runtime/approvals/store-approval.ts'
import type { OpenConnections } from '../runtime/connections/open-connection.ts'
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
  const operator = approvalRules === undefined ? undefined : operatorRules().parse(approvalRules)
  const rules = createRuleBook({ store, registry, clock, operator })
  await rules.read()
  const seal = createApprovalSeal(vault)
  const permits = createPermits()
  const linkTo = (id: string) => {
    const base = address()
    return base === undefined ? undefined : `${base}/console/#/approvals/${id}`
  }
  return { rules, seal, permits, linkTo, hold: createHold({ store, rules, seal, clock, linkTo }) }
}
export type OpenedHolds = Awaited<ReturnType<typeof openHolds>>

const stepCall = (call: Json) => call as unknown as StoredCall

type SentBy = {
  steps: Pick<Steps, 'run'> & Required<Pick<Steps, 'plan'>>
  lookups: Lookups
  openConnections: OpenConnections
  jobs: Sender
}

/** The least of two limits, where either may be absent. */
const least = (...limits: (number | undefined)[]): number | undefined => {
  const known = limits.filter((limit) => limit !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** How each kind of held call is sent. */
const sendersOf = (
  { registry, limits }: Pick<Foundation, 'registry' | 'limits'>,
  { steps, lookups, openConnections, jobs }: SentBy,
): { step: Sender; lookup: Sender; job: Sender } => ({
  step: {
    send: (caller, { call, maxCredits, price }, permit, runId) => {
      const stored = stepCall(call)
      const shown = (price as { total?: [number, number] } | undefined)?.total?.[1]
      return limits.run(caller.tenant, undefined, () =>
        steps.run(caller, { ...stored, maxCredits: least(stored.maxCredits, maxCredits, shown), permit, runId }),
      )
    },
    plan: (caller, { call }) => steps.plan(caller, stepCall(call)),
    async fingerprint(caller, { call }) {
      const { integration, step, connection } = stepCall(call)
      return fingerprintOf(await openConnections.open(caller, registry.step(integration, step).loaded, connection))
    },
  },
  lookup: {
    send: (caller, { call, maxCredits, price }, permit) => {
      const stored = call as unknown as LookupCall
      const shown = (price as { total?: [number, number] } | undefined)?.total?.[1]
      return lookups.run(caller, { ...stored, maxCredits: least(stored.maxCredits, maxCredits, shown), permit })
    },
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
  const sender = createApprovalSender({ store, rules, seal, permits, senders, clock, log, newRunId, linkTo })
  return {
    sender,
    rules: rules.verbs,
    verbs: createApprovals({ store, registry, seal, sender, senders, clock }),
  }
}
