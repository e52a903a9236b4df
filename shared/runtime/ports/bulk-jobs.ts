import type { FailureJson } from '#kit'
import type { Caller } from './caller.ts'
import type { Fence } from './cluster.ts'
import type { Listed, Page } from './paging.ts'
import type { SealedSecrets } from './vault.ts'
import type { Job } from '../../api/resources/job.ts'

/**
 * `preparing`: the file is being read. `ready`: the job waits for a budget or a confirmation. `running`: rows are
 * looked up, or the result file is written. `paused`: by a user, or for `reason`. `done`, `cancelled` and `failed` are
 * final.
 */
export type BulkJobState = Job['state']

/** What a job does, as validated when the job was created. */
export type BulkJobOrder = {
  file: string
  name: string
  format: 'csv' | 'jsonl'
  delimiter?: string
  integration: string
  step: string
  kind: 'person' | 'company'
  connection: string
  /** The file's column for each field of the step. */
  map: { [field: string]: string }
  /** Values used for every row. */
  values: { [field: string]: unknown }
  /** Columns of the result file, each with the path of its value in the matched record. */
  columns: { name: string; path: string }[]
  /** The list that the file is a copy of. */
  list?: string
  /** The results are stored in the list. */
  refreshesList?: true
  maxAge?: number
  refresh?: boolean
  /** Number of rows looked up as a paid sample; 0: no sample. */
  sample: number
  /** The token that created the job; it owns the result. */
  token?: string
  /** What its rows may cost, as somebody approved. */
  approvedCredits?: number
  /** Id of the held run by which they approved it. */
  approval?: string
}

/** Rows that have values for the same fields, and so cost the same. */
export type BulkShape = {
  fields: string[]
  /** How many of these rows can be looked up. */
  rows: number
  /** How many of these rows are about somebody in a country, by its code; the others are not known. */
  countries?: { [code: string]: number }
  /** Credits per row, minimum and maximum. */ price: [number, number]
  /** Why none of these rows can be looked up. */ problem?: string
}

/** What reading the whole file revealed. */
export type BulkPlan = {
  rows: number
  /** Cells in the longest row. */
  width: number
  shapes: BulkShape[]
  /** Rows that can be looked up and are in none of `shapes`, because the file has too many shapes to list. */
  others?: number
}

export type BulkJob = {
  tenant: string
  id: string
  state: BulkJobState
  order: BulkJobOrder
  /** The caller whose rights the lookups use: whoever created the job, or resumed it last. */
  caller: Omit<Caller, 'tenant'>
  plan: BulkPlan | null
  /** Most credits the job may spend; null: whatever its rows cost. Ignored until `confirmed`. */
  maxCredits: number | null
  confirmed: boolean
  /** True when the job was cancelled after it had received answers, so a result is still to be written. */
  cancelling: boolean
  reason: FailureJson | null
  result: string | null
  rowsPerSecond: number | null
  /** Keyed digest of the idempotency key the job was created with. */
  key: string | null
  /** Hash of the request that created the job. */
  requestHash: string
  /** The sealed key that encrypts the stored results. */
  secrets: SealedSecrets
  createdAt: number
  startedAt: number | null
  endedAt: number | null
  expiresAt: number
}

/** How many rows of a job ended in each way, and what they cost. */
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
 * Rows that are looked up together. `running`: some may have been sent. `partial`: stopped early, with the results so
 * far. `done`: every row has a result. `attempt` counts how often work on the chunk began.
 */
export type BulkChunk = BulkCounts & {
  tenant: string
  job: string
  number: number
  state: 'running' | 'partial' | 'done'
  attempt: number
  /** Encrypted; null while there are no results. */
  results: Uint8Array | null
}

export type BulkJobStore = {
  bulkJobs: {
    /** Returns the existing job when the idempotency key was used before. Refused when the disk is nearly full. */
    add(job: BulkJob): Promise<BulkJob>
    get(tenant: string, id: string): Promise<BulkJob | undefined>
    /** The job that was created with the idempotency key of this digest. */
    byKey(tenant: string, key: string): Promise<BulkJob | undefined>
    /** Newest first. */
    list(tenant: string, page: Page): Promise<Listed<BulkJob>>
    /**
     * Changes the job if it is in one of the states `from`. Refused with `conflict` when the lease of `fence` was lost.
     */
    patch(tenant: string, id: string, from: BulkJobState[], changes: Partial<BulkJob>, fence?: Fence): Promise<boolean>
    /** Jobs of all tenants that some process must work on. */
    waiting(): Promise<{ tenant: string; id: string }[]>
    /** Sums over all chunks of the job. */
    counts(tenant: string, id: string): Promise<BulkCounts>
    chunk(tenant: string, id: string, number: number): Promise<BulkChunk | undefined>
    /**
     * Inserts the chunk, or replaces the one with the same number. Refused with `conflict` when the lease of `fence`
     * was lost.
     */
    putChunk(chunk: BulkChunk, fence?: Fence): Promise<void>
    /** Removes the job and its chunks. */
    remove(tenant: string, id: string): Promise<void>
    /** Removes the results of chunks `from` (included) to `before` (excluded); their counts stay. */
    dropResults(tenant: string, id: string, from: number, before: number): Promise<void>
  }
}
