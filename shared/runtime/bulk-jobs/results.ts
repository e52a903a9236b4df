import { endsBatch, failField, isCancelled, isInvalidInput, isOptOut, isUnset, mayPassLater, valueAt } from '#kit'
import type { FailureJson, Outcome } from '#kit'
import type { BulkCounts, BulkJobOrder } from '../ports/index.ts'
import type { Kind } from './mapping.ts'
import type { AddedCell, Cell } from '../tables/table.ts'

export type RowStatus = 'match' | 'no_match' | 'skipped' | 'suppressed' | 'error'

/** How a row ended. `values`: one per column of the order. `at`: RFC 3339. */
export type RowResult = {
  status: RowStatus
  credits: number
  estimated?: true
  values?: Cell[]
  provider?: string
  matchedBy?: string
  at?: string
  reason?: string
}

export const prefix = 'toolyard_'
export const onSuppressionList = 'This person is on the suppression list.'

const usual: Record<Kind, { name: string; path: string }[]> = {
  person: [
    { name: 'full_name', path: 'fullName' },
    { name: 'job_title', path: 'jobTitle' },
    { name: 'company', path: 'company' },
    { name: 'company_domain', path: 'companyDomain' },
    { name: 'email', path: 'email' },
    { name: 'email_deliverable', path: 'email.deliverable' },
    { name: 'email_as_of', path: 'email.asOf' },
    { name: 'phone', path: 'phones.0.number' },
    { name: 'phone_e164', path: 'phones.0.e164' },
    { name: 'phone_line', path: 'phones.0.line' },
    { name: 'phone_do_not_call', path: 'phones.0.doNotCall' },
    { name: 'phone_as_of', path: 'phones.0.asOf' },
    { name: 'linkedin_url', path: 'linkedinUrl' },
    { name: 'location', path: 'location' },
    { name: 'country', path: 'country' },
    { name: 'confidence', path: 'confidence' },
  ],
  company: [
    { name: 'name', path: 'name' },
    { name: 'domain', path: 'domain' },
    { name: 'abn', path: 'abn' },
    { name: 'industry', path: 'industry' },
    { name: 'employee_count', path: 'employeeCount' },
    { name: 'employee_range', path: 'employeeRange' },
    { name: 'revenue', path: 'revenue' },
    { name: 'founded_year', path: 'foundedYear' },
    { name: 'linkedin_url', path: 'linkedinUrl' },
    { name: 'location', path: 'location' },
    { name: 'country', path: 'country' },
  ],
}

const maxColumns = 100

/**
 * The columns of found records: the usual ones, or paths in the record such as `phones.1.number`, or `email.deliverable`. @throws Failure
 * `invalid_input`
 */
export const columnsOf = (kind: Kind, paths: string[] | undefined): BulkJobOrder['columns'] => {
  if (paths === undefined) return usual[kind]
  if (paths.length > maxColumns)
    throw failField('columns', `There are ${paths.length} columns; at most ${maxColumns} are written.`)
  return paths.map((path) => {
    if (!/^[A-Za-z][\w.]{0,99}$/.test(path))
      throw failField('columns', `"${path}" is no path in a record. Give one like "email" or "phones.0.number".`)
    return usual[kind].find((column) => column.path === path || column.name === path) ?? { name: path, path }
  })
}

/** The value at a path; below `email`, what the provider says of that address. */
const valueIn = (record: Record<string, unknown>, path: string): unknown => {
  const [, part] = /^email\.(.+)$/.exec(path) ?? []
  if (part === undefined) return valueAt(record, path)
  const emails = Array.isArray(record['emails']) ? (record['emails'] as { value?: unknown }[]) : []
  return valueAt(
    emails.find(({ value }) => value === record['email']),
    part,
  )
}

const asCell = (value: unknown): Cell => {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return JSON.stringify(value)
}

/** All cells that are added to a row, by the names of their columns. */
export const addedTo = (
  columns: BulkJobOrder['columns'],
  { status, credits, values = [], provider, matchedBy, at, reason }: RowResult,
): AddedCell[] => [
  [`${prefix}status`, status],
  ...columns.map(({ name }, place): AddedCell => [`${prefix}${name}`, values[place] ?? null]),
  [`${prefix}provider`, provider ?? null],
  [`${prefix}matched_by`, matchedBy ?? null],
  [`${prefix}at`, at ?? null],
  [`${prefix}credits`, credits],
  [`${prefix}reason`, reason ?? null],
]

export const addedNames = (columns: BulkJobOrder['columns']): string[] =>
  addedTo(columns, { status: 'skipped', credits: 0 }).map(([name]) => name)

/** The output of a lookup step. */
type LookupOutput = {
  matched: boolean
  matchedBy?: string
  reason?: string
  record?: Record<string, unknown>
  provenance?: { provider?: string; at?: string }
}

/**
 * How the lookup of a row ended. `retry`: the row has no result yet. `stop`: neither do the others, for the same
 * reason.
 */
export type Looked = { result: RowResult } | { retry: FailureJson } | { stop: FailureJson } | { cancelled: true }

export const reasonOf = ({ message, errors }: FailureJson) =>
  errors?.map(({ message: text }) => text).join(' ') ?? message

export const resultOf = (
  outcome: Outcome,
  columns: BulkJobOrder['columns'],
  { provider, now }: { provider: string; now: number },
): Looked => {
  const { charged = 0, estimated = false } = outcome.meta.credits ?? {}
  const bill = { credits: charged, ...(estimated && charged > 0 ? { estimated: true as const } : {}) }
  if (!outcome.ok) {
    const { failure } = outcome
    const { code } = failure
    if (isCancelled(failure)) return { cancelled: true }
    if (mayPassLater(failure)) return { retry: failure }
    // All rows of a job fill the same fields, so a setting that the operator has not made is missing for all of them.
    if (endsBatch(failure) || isUnset(failure)) return { stop: failure }
    if (isOptOut(failure)) return { result: { status: 'suppressed', ...bill, provider, reason: reasonOf(failure) } }
    return {
      result: {
        status: isInvalidInput(failure) ? 'skipped' : 'error',
        ...bill,
        provider,
        reason: `${code}: ${reasonOf(failure)}`,
      },
    }
  }
  const { matched, matchedBy, reason, record = {}, provenance } = outcome.value as LookupOutput
  const from = { provider: provenance?.provider ?? provider, at: provenance?.at ?? new Date(now).toISOString() }
  if (!matched) return { result: { status: 'no_match', ...bill, ...from, ...(reason === undefined ? {} : { reason }) } }
  if (record['suppressed'] === true)
    return {
      result: { status: 'suppressed', ...bill, ...from, reason: 'The provider says that this record opted out.' },
    }
  const values = columns.map(({ path }) => asCell(valueIn(record, path)))
  return { result: { status: 'match', ...bill, ...from, ...(matchedBy === undefined ? {} : { matchedBy }), values } }
}

export const noCounts: BulkCounts = {
  matched: 0,
  noMatch: 0,
  skipped: 0,
  suppressed: 0,
  error: 0,
  credits: 0,
  estimatedCredits: 0,
}
const counted: Record<RowStatus, 'matched' | 'noMatch' | 'skipped' | 'suppressed' | 'error'> = {
  match: 'matched',
  no_match: 'noMatch',
  skipped: 'skipped',
  suppressed: 'suppressed',
  error: 'error',
}

export const countsOf = (results: readonly (RowResult | null)[]): BulkCounts => {
  const counts = { ...noCounts }
  for (const result of results) {
    if (!result) continue
    counts[counted[result.status]] += 1
    counts.credits += result.credits
    if (result.estimated) counts.estimatedCredits += result.credits
  }
  return counts
}

/** How many rows have ended. */
export const endedRows = ({ matched, noMatch, skipped, suppressed, error }: BulkCounts) =>
  matched + noMatch + skipped + suppressed + error
