import type { Json, Outcome } from '#kit'
import type { Hold } from '../../approvals/hold.ts'
import type { SendPlan } from '../../approvals/match.ts'
import type { Permit, Permits } from '../../approvals/permits.ts'
import type { Caller } from '../../ports/index.ts'
import type { Quotes } from './quotes.ts'
import type { Chain, LookupCall, LookupPlan } from './types.ts'

/** What asks first. `fingerprint`: identifies the connections of a lookup as they are now. */
export type LookupHolds = {
  hold: Hold
  permits: Pick<Permits, 'has' | 'forWhole'>
  fingerprint(caller: Caller, call: Pick<LookupCall, 'providers'>): Promise<string>
  /** The form in which a start id is stored. */
  storedStart(tenant: string, startId: string): string | Promise<string>
}

/** The call with the accounts that were shown, whatever is connected meanwhile. */
const storedCall = ({ call, candidates }: Chain, startId: string | null): LookupCall => {
  const { kind, identifiers, want, order, maxCredits, maxAge, refresh } = call
  return {
    kind,
    identifiers,
    want,
    providers: candidates.map(({ integration, connection }) => ({ integration, connection })),
    ...(order === undefined ? {} : { order }),
    ...(maxCredits === undefined ? {} : { maxCredits }),
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(refresh === undefined ? {} : { refresh }),
    ...(startId === null ? {} : { startId }),
  }
}

/** The most that all providers together may cost; undefined: nobody knows it of one of them. */
const mostOf = ({ providers, price }: LookupPlan): number | undefined =>
  providers.some(({ failure }) => failure !== undefined) ? undefined : price?.total?.[1]

/** What a lookup would send: its requests depend on what its providers answer, so only the price is compared. */
export const planOf = (plan: LookupPlan): SendPlan => {
  const credits = mostOf(plan)
  return {
    requests: plan.requests,
    shown: [],
    state: '',
    complete: false,
    credits,
    matters: credits === undefined || credits > 0,
    containers: async () => undefined,
  }
}

/** @throws Failure where it waits */
const holdLookup = async (
  { hold, fingerprint, storedStart }: LookupHolds,
  quotes: Pick<Quotes, 'plan'>,
  chain: Chain,
  requestHash: string,
): Promise<Outcome | undefined> => {
  const { caller, call, candidates } = chain
  const [first] = candidates
  if (!first) return undefined
  const plainStart = call.startId ?? caller.startId
  const startId = plainStart === undefined ? null : await storedStart(caller.tenant, plainStart)
  const stored = storedCall(chain, startId)
  return hold.require({
    caller,
    kind: 'lookup',
    requestHash,
    idempotencyKey: call.idempotencyKey,
    // Of several, no token may see it that is bound to some of their steps.
    integration: candidates.map(({ integration }) => integration).join(', '),
    step: first.loadedStep.step.id,
    connection: candidates.length === 1 ? (first.connection ?? null) : null,
    startId,
    person: caller.person ?? null,
    effect: 'read',
    facts: candidates.map(({ loadedStep, connection = '' }) => ({ caller, loadedStep, effect: 'read', connection })),
    call: stored as unknown as Json,
    title: `The lookup of a ${call.kind} at ${candidates.map(({ title }) => title).join(', then ')}`,
    input: { identifiers: call.identifiers, want: call.want } as unknown as Json,
    fingerprint: () => fingerprint(caller, stored),
    async plan() {
      const outcome = await quotes.plan(chain, 0)
      return planOf((outcome as { value: LookupPlan }).value)
    },
  })
}

/**
 * Holds a lookup as a whole, at all its providers together. Returns what lets its runs pass, or the outcome of the
 * lookup that was approved.
 * @throws Failure
 */
export const passLookup = async (
  holds: LookupHolds | undefined,
  quotes: Pick<Quotes, 'plan'>,
  chain: Chain,
  requestHash: string,
): Promise<{ outcome: Outcome } | { permit?: Permit }> => {
  const { permit } = chain.call
  if (!holds?.hold.tenants.has(chain.caller.tenant)) return {}
  if (holds.permits.has(permit)) return { permit }
  const outcome = await holdLookup(holds, quotes, chain, requestHash)
  return outcome ? { outcome } : { permit: holds.permits.forWhole() }
}
