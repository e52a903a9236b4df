import { showFailure } from '#kit'
import type { BulkCounts, BulkJob, BulkPlan } from '../ports/index.ts'
import { payableRows, quoteOf } from './prepare.ts'
import { endedRows } from './results.ts'
import type { Job as BulkJobView } from '../../api/resources/job.ts'

export type { BulkJobView }

const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

/**
 * The expected cost of all rows, extrapolated from those looked up: skipped rows cost nothing, and say nothing about
 * the others.
 */
const expectedOf = (plan: BulkPlan, most: number, counts: BulkCounts): number | null => {
  const left = plan.rows - endedRows(counts)
  const lookedUpRows = counts.matched + counts.noMatch + counts.error
  if (left === 0) return counts.credits
  if (lookedUpRows === 0) return null
  const payable = Math.max(0, Math.min(left, payableRows(plan) - lookedUpRows))
  return Math.max(
    counts.credits,
    Math.min(most, Math.round(counts.credits + (counts.credits / lookedUpRows) * payable)),
  )
}

const viewQuote = (plan: BulkPlan, counts: BulkCounts) => {
  const quote = quoteOf(plan)
  return { ...quote, expected: expectedOf(plan, quote.most, counts) }
}

export const viewJob = (job: BulkJob, counts: BulkCounts): BulkJobView => {
  const { order, plan } = job
  const done = endedRows(counts)
  const lookedUpRows = counts.matched + counts.noMatch
  const left = plan ? plan.rows - done : null
  const isRunning = job.state === 'running' && !job.cancelling
  return {
    id: job.id,
    state: job.state,
    file: order.file,
    list: order.list ?? null,
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
    hitRate: lookedUpRows === 0 ? null : counts.matched / lookedUpRows,
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
