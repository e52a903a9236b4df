import type { FailureJson } from './failure.ts'
import type { Json } from './json.ts'

/**
 * A matched record in our one shape. `record` is normalised by the profile's alias paths; what they do not cover stays
 * in `raw`.
 */
export type Found = {
  matched: true
  /** The identifier that matched, in our field name. */
  matchedBy?: string
  record: Record<string, unknown>
  raw: Json
  provenance: { provider: string; endpoint: string; at: string; untrusted: true }
}

/**
 * `matched: false` means that the provider said so; an answer that is not understood is a failure. `unsure`: the answer
 * did not say what was missing, and is a no match only because the endpoint has given a match before.
 */
export type Lookup = { matched: false; reason?: string; unsure?: true } | Found

/** One result of a bulk lookup; a bad record never fails the others. */
export type LookupResult = Lookup | { failed: FailureJson }

/** `searchId`: the id by which a later request has to name this search, where the provider requires it. */
export type SearchPage = { records: Found[]; total?: number; next?: string; searchId?: string }

/**
 * Lookups of what a search finds, at one endpoint and for at most `most` records. `along`: values sent with each lookup
 * that identify nobody, such as what to reveal.
 */
export type NextLookups = { endpoint: string; most: number; along?: Record<string, unknown> }
