import { showFailure } from '#kit'
import type { ShownFailure } from '#kit'
import type { BulkCounts, BulkJob, BulkJobState, BulkPlan } from '../ports/index.ts'
import { payableRows, quoteOf } from './prepare.ts'
import { endedRows } from './results.ts'

/** A job as callers see it. */
export type BulkJobView = {
  id: string
  state: BulkJobState
  /** The file it reads, and its name. */
  file: string
  name: string
  kind: 'person' | 'company'
  integration: string
  connection: string
  map: { [field: string]: string }
  /** Of the file; null until it was read. */
  rows: number | null
  done: number
  matched: number
  noMatch: number
  skipped: number
  suppressed: number
  errors: number
  /** Share of matches among the rows that were looked up; null before the first. */
  hitRate: number | null
  /**
   * What the rows that can be looked up cost when each is found, least and most; null until the file was read.
   * `expected`: as the rows so far suggest, never above the most; null before the first of them.
   */
  quote: { least: number; most: number; expected: number | null } | null
  credits: { spent: number; estimated: number; max: number | null }
  confirmed: boolean
  rowsPerSecond: number | null
  secondsLeft: number | null
  /** Why it is paused or has failed. */
  reason: ShownFailure | null
  /** The file of its result. */
  result: string | null
  createdAt: string
  startedAt: string | null
  endedAt: string | null
  expiresAt: string
}

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/** What all rows will have cost, by those that were looked up: rows that are skipped cost nothing, and say nothing of the others. */
const expectedOf = (plan: BulkPlan, most: number, counts: BulkCounts): number | null => {
  const left = plan.rows - endedRows(counts)
  const asked = counts.matched + counts.noMatch + counts.error
  if (left === 0) return counts.credits
  if (asked === 0) return null
  const payable = Math.max(0, Math.min(left, payableRows(plan) - asked))
  return Math.max(counts.credits, Math.min(most, Math.round(counts.credits + (counts.credits / asked) * payable)))
}

const viewQuote = (plan: BulkPlan, counts: BulkCounts) => {
  const quote = quoteOf(plan)
  return { ...quote, expected: expectedOf(plan, quote.most, counts) }
}

export const viewJob = (job: BulkJob, counts: BulkCounts): BulkJobView => {
  const { order, plan } = job
  const done = endedRows(counts)
  const asked = counts.matched + counts.noMatch
  const left = plan ? plan.rows - done : null
  const isRunning = job.state === 'running' && !job.cancelling
  return {
    id: job.id,
    state: job.state,
    file: order.file,
    name: order.name,
    kind: order.kind,
    integration: order.integration,
    connection: order.connection,
    map: order.map,
    rows: plan?.rows ?? null,
    done,
    matched: counts.matched,
    noMatch: counts.noMatch,
    skipped: counts.skipped,
    suppressed: counts.suppressed,
    errors: counts.error,
    hitRate: asked === 0 ? null : counts.matched / asked,
    quote: plan && viewQuote(plan, counts),
    credits: { spent: counts.credits, estimated: counts.estimatedCredits, max: job.maxCredits },
    confirmed: job.confirmed,
    rowsPerSecond: job.rowsPerSecond === null ? null : Math.round(job.rowsPerSecond * 10) / 10,
    secondsLeft: isRunning && left !== null && job.rowsPerSecond ? Math.ceil(left / job.rowsPerSecond) : null,
    reason: job.reason && showFailure(job.reason),
    result: job.result,
    createdAt: iso(job.createdAt)!,
    startedAt: iso(job.startedAt),
    endedAt: iso(job.endedAt),
    expiresAt: iso(job.expiresAt)!,
  }
}
