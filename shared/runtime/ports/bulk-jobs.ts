import type { FailureJson } from '#kit'
import type { Caller } from './caller.ts'
import type { Fence } from './cluster.ts'
import type { Listed, Page } from './paging.ts'
import type { SealedSecrets } from './vault.ts'
import type { Job } from '../../api/resources/job.ts'

/**
 * `preparing`: its file is being read. `ready`: waits for a budget or a yes. `running`: rows are looked up, or the
 * result is being written. `paused`: by somebody, or for `reason`. The last three are ends.
 */
export type BulkJobState = Job['state']

/** What a job is to do, as it was checked when it was made. */
export type BulkJobOrder = {
  file: string
  name: string
  format: 'csv' | 'jsonl'
  delimiter?: string
  integration: string
  step: string
  kind: 'person' | 'company'
  connection: string
  /** Column of the file by field of the step. */
  map: { [field: string]: string }
  /** Given for every row. */
  values: { [field: string]: unknown }
  /** What of a found record the result has, as name of its column and path in the record. */
  columns: { name: string; path: string }[]
  maxAge?: number
  refresh?: boolean
  /** Rows of the paid sample; 0: none. */
  sample: number
  /** The token that made it, whose own the result is. */
  token?: string
}

/** Rows that have values for the same fields; they cost the same. */
export type BulkShape = {
  fields: string[]
  /** Those that can be looked up. */
  rows: number
  /** Credits of one row, least and most. */ price: [number, number]
  /** Why none of them can be looked up. */ problem?: string
}

/** What reading the whole file has shown. */
export type BulkPlan = {
  rows: number
  /** Cells of the longest row. */
  width: number
  shapes: BulkShape[]
  /** Rows that can be looked up, of shapes beyond those that were told apart. */
  others?: number
}

export type BulkJob = {
  tenant: string
  id: string
  state: BulkJobState
  order: BulkJobOrder
  /** As whom its rows are looked up: whoever made it, or resumed it last. */
  caller: Omit<Caller, 'tenant'>
  plan: BulkPlan | null
  /** The most it may spend; null: as much as its rows cost. Means something once it is confirmed. */
  maxCredits: number | null
  confirmed: boolean
  /** Cancelled while it had answers, which its result is to have. */
  cancelling: boolean
  reason: FailureJson | null
  result: string | null
  rowsPerSecond: number | null
  /** Keyed digest of the idempotency key of the request that made it. */
  key: string | null
  /** Hash of that request. */
  requestHash: string
  /** The key its stored results are encrypted with, sealed. */
  secrets: SealedSecrets
  createdAt: number
  startedAt: number | null
  endedAt: number | null
  expiresAt: number
}

/** How the rows of a job ended, and what they cost. */
export type BulkCounts = {
  matched: number
  noMatch: number
  skipped: number
  suppressed: number
  error: number
  credits: number
  estimatedCredits: number
}

/**
 * Rows that are looked up together. `running`: some may have been sent; `partial`: stopped in between, with the results
 * so far; `done`: every row has its result. `attempt` counts how often it was begun.
 */
export type BulkChunk = BulkCounts & {
  tenant: string
  job: string
  number: number
  state: 'running' | 'partial' | 'done'
  attempt: number
  /** Encrypted. Null while there are none. */
  results: Uint8Array | null
}

export type BulkJobStore = {
  bulkJobs: {
    /** The one that is there where its key was used before. Refused when the disk is nearly full. */
    add(job: BulkJob): Promise<BulkJob>
    get(tenant: string, id: string): Promise<BulkJob | undefined>
    /** Newest first. */
    list(tenant: string, page: Page): Promise<Listed<BulkJob>>
    /** Changes it while it is in one of these states. Refused with `conflict` behind a lost lease. */
    patch(tenant: string, id: string, from: BulkJobState[], changes: Partial<BulkJob>, fence?: Fence): Promise<boolean>
    /** Of all tenants: those that somebody has to work on. */
    waiting(): Promise<{ tenant: string; id: string }[]>
    /** What its chunks add up to. */
    counts(tenant: string, id: string): Promise<BulkCounts>
    chunk(tenant: string, id: string, number: number): Promise<BulkChunk | undefined>
    /** In place of the one of its number. Refused with `conflict` behind a lost lease. */
    putChunk(chunk: BulkChunk, fence?: Fence): Promise<void>
    /** Removes it with its chunks. */
    remove(tenant: string, id: string): Promise<void>
    /** Removes the results of chunks from one number on, before another; what they add up to stays. */
    dropResults(tenant: string, id: string, from: number, before: number): Promise<void>
  }
}
