import type { FailureJson } from '#kit'
import type { Permit } from '../../approvals/permits.ts'
import type { Caller } from '../../ports/index.ts'
import type { DryRun } from '../../steps/dry-run/dry-run.ts'
import type { AskedProvider, Candidate, Identifiers } from './candidates.ts'
import type { Conflict, Part, Source } from './merge.ts'
import type { Estimate, Observation } from './rates.ts'
import type { Fields, Kind } from './record-fields.ts'

export type LookupCall = {
  kind: Kind
  identifiers: Identifiers
  /** Names of wanted fields; the chain ends when all are filled. */
  want: string[]
  /** Providers in the order to ask them; absent: all connected ones, the cheapest first. */
  providers?: AskedProvider[] | undefined
  /** `expected-cost`: the order is chosen from what earlier lookups filled and cost, also among `providers`. */
  order?: 'expected-cost' | undefined
  /** Connections to use, by integration; absent: the default ones. */
  connections?: Record<string, string> | undefined
  /** Maximum credits for the whole chain. */
  maxCredits?: number | undefined
  maxAge?: number | undefined
  refresh?: boolean | undefined
  dryRun?: boolean | undefined
  /** The person whom the call acts for. */
  person?: string | undefined
  startId?: string | undefined
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
  /** Set where the id of the lookup is announced before it begins. */
  runId?: string | undefined
  /** Of a lookup that was approved; see the call of a step. */
  permit?: Permit | undefined
}

/** The result of one provider of the chain. */
export type ProviderReport = {
  provider: string
  connection: string | null
  status: 'match' | 'no_match' | 'skipped' | 'error'
  /** Wanted fields that this provider filled first. */
  filled: string[]
  credits: number
  estimated: boolean
  runId?: string
  cached?: true
  matchedBy?: string
  /** Why it was asked in this turn, where the order was chosen. */
  estimate?: Estimate
  /** Why there was no match, where that is known. */
  reason?: string
  failure?: FailureJson
}
/** The record of one provider, as its step returned it. */
export type ProviderRecord = Source & { matched: true; matchedBy?: string; record: Fields; raw?: unknown }
export type LookupAnswer = {
  matched: boolean
  /** Whether every wanted field is filled. */
  complete: boolean
  missing: string[]
  record?: Fields
  sources: { [field: string]: Source[] }
  conflicts: Conflict[]
  /** Warnings that a caller must not overlook. */
  notes: string[]
  providers: ProviderReport[]
  records: ProviderRecord[]
}
/**
 * `requests`: those that the first provider would get. `expected`: credits, and the share of lookups that find somebody,
 * where the order was chosen.
 */
export type LookupPlan = DryRun & {
  expected?: { credits: number; hitRate: number }
  providers: {
    provider: string
    connection: string | null
    price?: DryRun['price']
    estimate?: Estimate
    reason?: string
    failure?: FailureJson
  }[]
}

/** `permit`: lets its runs pass, where the whole was approved or nobody had to be asked. */
export type Chain = {
  id: string
  caller: Caller
  call: LookupCall
  candidates: Candidate[]
  permit?: Permit | undefined
}

export type Unordered = Omit<Chain, 'candidates'>

/** The progress of a chain. */
export type State = {
  /** Whether a provider has answered. */
  turn: Observation['turn']
  observations: Observation[]
  reports: ProviderReport[]
  parts: Part[]
  records: ProviderRecord[]
  missing: string[]
  attempts: number
}
