import type { FailureJson } from './failure.ts'
import type { Json } from './json.ts'

/**
 * A found record in our one shape. `record` is normalised by the profile's alias paths; what they do not name stays in
 * `raw`.
 */
export type Found = {
  matched: true
  /** The identifier that worked, in our field name. */
  matchedBy?: string
  record: Record<string, unknown>
  raw: Json
  provenance: { provider: string; endpoint: string; at: string; untrusted: true }
}

/**
 * Without a match, the provider has said so; an answer that is not understood is a failure. `unsure`: it did not say
 * what it has not found; it counts only because the endpoint has given a match before.
 */
export type Lookup = { matched: false; reason?: string; unsure?: true } | Found

/** One result of a bulk lookup: one bad record never fails the rest. */
export type LookupResult = Lookup | { failed: FailureJson }

/** `searchId`: by what a later request names this search, where the provider wants it named. */
export type SearchPage = { records: Found[]; total?: number; next?: string; searchId?: string }
