import { mayCall } from '../bounds.ts'
import { rules } from '../../api/rules.ts'
import { wantable } from '../lookups/waterfall/record-fields.ts'
import { featuresOf } from '../lookups/waterfall/segments.ts'
import type { FileExpectation, FileGroup } from '../lookups/waterfall/simulate-file.ts'
import { actFor } from '../people/act-for.ts'
import type { BulkCounts, BulkJob, BulkPlan, Caller } from '../ports/index.ts'
import { inputsOf } from './mapping.ts'
import { tableOf } from './parts.ts'
import type { JobParts } from './parts.ts'
import { payableRows, problemsOf, shapeOf, textsIn } from './prepare.ts'
import type { JobPreview } from '../../api/resources/job.ts'

/** How many rows are read to learn what identifiers look like. */
const exampleRows = 1_000
/** How many groups of rows are simulated, the largest; the others are assumed to be like them. */
const maxGroups = 20

type Identifiers = FileGroup['identifiers']
type PlannedGroup = { shape: string; country: string | undefined; rows: number; price: [number, number] }

/** The rows of a plan by shape and country, the largest groups first. */
const groupsOf = ({ shapes }: BulkPlan): PlannedGroup[] =>
  shapes
    .flatMap(({ fields, rows, price, problem, countries = {} }): PlannedGroup[] => {
      if (problem !== undefined) return []
      const shape = fields.join(' ')
      const located = Object.values(countries).reduce((total, count) => total + count, 0)
      return [
        ...Object.entries(countries).map(([country, count]) => ({ shape, country, rows: count, price })),
        { shape, country: undefined, rows: rows - located, price },
      ]
    })
    .filter(({ rows }) => rows > 0)
    .toSorted((left, right) => right.rows - left.rows)

const keyOf = (shape: string, country: string | undefined) => `${country ?? ''} ${shape}`

/** Identifiers of the first row of each shape and country that can be looked up. */
const findExamples = async (parts: JobParts, job: BulkJob): Promise<Map<string, Identifiers>> => {
  const table = await tableOf(parts, job)
  const inputOf = inputsOf(job.order, table)
  const inputs: Record<string, unknown>[] = []
  for await (const row of table.rows()) if (inputs.push(inputOf(row)) >= exampleRows) break
  const problems = await problemsOf(parts, job, inputs)
  const examples = new Map<string, Identifiers>()
  for (const [place, input] of inputs.entries()) {
    if (problems[place] !== undefined) continue
    const identifiers = textsIn(input)
    const { country } = featuresOf(identifiers, [])
    for (const key of [keyOf(shapeOf(input), country), shapeOf(input)])
      if (!examples.has(key)) examples.set(key, identifiers)
  }
  return examples
}

const ofCountry = (country: string | undefined): Identifiers => (country === undefined ? {} : { country })

/** The fields that a lookup at several providers would ask for: addresses and numbers, or what the columns show. */
const wantOf = ({ kind, columns }: BulkJob['order']): string[] => {
  const fields = wantable(kind)
  const shown = [...new Set(columns.map(({ path }) => path.split('.')[0]!))].filter((field) => fields.includes(field))
  const contact = shown.filter((field) => /^(emails?|phones)$/.test(field))
  return contact.length > 0 ? contact : shown
}

const view = (expectation: FileExpectation | undefined, done: BulkCounts): JobPreview['expected'] =>
  expectation === undefined
    ? null
    : {
        ...expectation,
        matches: shifted(expectation.matches, done.matched),
        credits: shifted(expectation.credits, done.credits),
        likelihood: 0.9,
      }

const shifted = ({ least, likely, most }: FileExpectation['matches'], by: number) => ({
  least: least + by,
  likely: likely + by,
  most: most + by,
})

/**
 * What the whole job is expected to find and to cost: at its provider, and at all that are connected, each asked for
 * what is missing (null where that is one provider). Sends nothing.
 */
export const expectJob = async (
  parts: JobParts,
  job: BulkJob,
  plan: BulkPlan,
  requestedBy: Caller,
): Promise<Pick<JobPreview, 'expected' | 'combined'>> => {
  const { order, maxCredits } = job
  const caller = actFor(requestedBy, job.caller.person)
  const done = await parts.store.bulkJobs.counts(job.tenant, job.id)
  const payable = payableRows(plan)
  const left = payable === 0 ? 0 : Math.max(0, payable - done.matched - done.noMatch - done.error) / payable
  const groups = groupsOf(plan)
  const simulated = groups.slice(0, maxGroups)
  const rowsIn = (of: readonly PlannedGroup[]) => of.reduce((total, { rows }) => total + rows, 0)
  const shared = {
    kind: order.kind,
    want: wantOf(order),
    budget: maxCredits === null ? null : Math.max(0, maxCredits - done.credits),
  }
  const expected = await parts.simulate(caller, {
    ...shared,
    groups: simulated.map(({ country, rows, price }) => ({
      identifiers: ofCountry(country),
      rows: rows * left,
      price,
    })),
    otherRows: (payable - rowsIn(simulated)) * left,
    provider: { integration: order.integration, connection: order.connection },
    seen: { asked: done.matched + done.noMatch, matched: done.matched, credits: done.credits },
  })
  if (!mayCall(caller, rules.lookUp)) return { expected: view(expected, done), combined: null }
  const examples = await findExamples(parts, job)
  const known = simulated.flatMap(({ shape, country, rows }): FileGroup[] => {
    const identifiers = examples.get(keyOf(shape, country)) ?? examples.get(shape)
    return identifiers ? [{ identifiers: { ...identifiers, ...ofCountry(country) }, rows: rows * left }] : []
  })
  const combined = await parts.simulate(caller, {
    ...shared,
    groups: known,
    otherRows: payable * left - known.reduce((total, { rows }) => total + rows, 0),
  })
  const isCombined = combined?.orders.some(({ providers }) => providers.length > 1)
  return { expected: view(expected, done), combined: isCombined ? view(combined, done) : null }
}
