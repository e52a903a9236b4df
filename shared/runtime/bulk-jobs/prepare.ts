import { isFailure, mayPassLater, stopsPlanning } from '#kit'
import type { FailureJson } from '#kit'
import { parseInput } from '../catalogue/parse.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { BulkJob, BulkJobOrder, BulkPlan, BulkShape } from '../ports/index.ts'
import { featuresOf } from '../lookups/waterfall/segments.ts'
import { chunksOf } from './chunks.ts'
import { inputsOf } from './mapping.ts'
import { callerOf, tableOf } from './parts.ts'
import type { JobParts, RowCall } from './parts.ts'
import { onSuppressionList, reasonOf } from './results.ts'

/** How many rows of one shape are tried until one of them can be priced, and how often each. */
const tries = 3
/** Rows of further shapes are only counted. */
const maxShapes = 200
export const callFor = ({ integration, step, connection }: BulkJobOrder, input: unknown): RowCall => ({
  integration,
  step,
  connection,
  input,
})

type Priced = { price: [number, number] } | { failure: FailureJson }

/** The price range of one row, by a dry run: nothing is sent. Returns the failure of a row that cannot be looked up. */
const priceRow = async ({ run }: Pick<JobParts, 'run'>, job: BulkJob, input: unknown): Promise<Priced> => {
  const outcome = await run(callerOf(job), { ...callFor(job.order, input), dryRun: true })
  if (!outcome.ok) return { failure: outcome.failure }
  const { price } = outcome.value as { price?: { typical: [number, number]; total?: [number, number] } }
  return { price: price?.total ?? price?.typical ?? [0, 0] }
}

/** The same; what may pass is tried again at once, so that a moment's trouble does not stop the job. */
const priceInTries = async (parts: JobParts, job: BulkJob, input: unknown): Promise<Priced> => {
  for (let attempt = 1; ; attempt += 1) {
    const priced = await priceRow(parts, job, input)
    if ('price' in priced || attempt === tries || !mayPassLater(priced.failure)) return priced
  }
}

/**
 * Names what the price of a row depends on: the fields that have a value, and the values that are no texts, such as a
 * list of what is wanted.
 */
export const shapeOf = (input: object): string =>
  Object.entries(input)
    .map(([name, value]) =>
      typeof value === 'string' ? name : `${name}=${encodeURIComponent(JSON.stringify(value) ?? '')}`,
    )
    .toSorted()
    .join(' ')

/** The identifiers among the fields of a row. */
export const textsIn = (input: object): { [field: string]: string } =>
  Object.fromEntries(Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))

/** Why a row would be skipped; undefined when it can be looked up. */
const problemOf = (step: LoadedStep['step'], input: object): string | undefined => {
  try {
    parseInput(step, input)
    return undefined
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    return thrown.message
  }
}

/** For each row, why it would be skipped; undefined when it can be looked up. */
export const problemsOf = async (
  { registry, suppressed }: Pick<JobParts, 'registry' | 'suppressed'>,
  { tenant, order }: BulkJob,
  inputs: readonly object[],
): Promise<(string | undefined)[]> => {
  const { step } = registry.step(order.integration, order.step)
  const isSuppressed = await suppressed(tenant, inputs)
  return inputs.map((input, place) => (isSuppressed[place] ? onSuppressionList : problemOf(step, input)))
}

type Tried = BulkShape & { tried: number }

/** Prices rows by their shape, with dry runs of a few rows of each. */
export const createShapes = (parts: JobParts, job: BulkJob) => {
  const shapes = new Map<string, Tried>()
  let otherRows = 0
  return {
    /** Returns the failure that stops the whole job, as it is not about this row. */
    async count(input: object, problem: string | undefined): Promise<FailureJson | undefined> {
      const name = shapeOf(input)
      let shape = shapes.get(name)
      if (!shape) {
        if (shapes.size >= maxShapes) {
          otherRows += problem === undefined ? 1 : 0
          return undefined
        }
        shapes.set(
          name,
          (shape = { fields: name.split(' '), rows: 0, price: [0, 0], problem: problem ?? 'not tried', tried: 0 }),
        )
      }
      if (problem !== undefined) return undefined
      shape.rows += 1
      const { country } = featuresOf(textsIn(input), [])
      if (country !== undefined) (shape.countries ??= {})[country] = (shape.countries[country] ?? 0) + 1
      if (shape.problem === undefined || shape.tried >= tries) return undefined
      shape.tried += 1
      const priced = await priceInTries(parts, job, input)
      if ('price' in priced) {
        shape.price = priced.price
        delete shape.problem
      } else if (stopsPlanning(priced.failure)) return priced.failure
      else shape.problem = reasonOf(priced.failure)
      return undefined
    },
    all: (): Pick<BulkPlan, 'shapes' | 'others'> => ({
      shapes: [...shapes.values()].map(({ tried: _, ...shape }) => shape),
      others: otherRows,
    }),
  }
}

/**
 * Reads the whole file: how many rows it has, how many of them can be looked up, and what those cost. `stop`: why no row
 * can be priced now.
 */
export const makePlan = async (
  parts: JobParts,
  job: BulkJob,
  requireGoing: () => Promise<void>,
): Promise<{ plan: BulkPlan } | { stop: FailureJson }> => {
  const table = await tableOf(parts, job)
  const inputOf = inputsOf(job.order, table)
  const shapes = createShapes(parts, job)
  let rows = 0
  let width = table.columns.length
  for await (const chunk of chunksOf(table, 0)) {
    const inputs = chunk.rows.map(inputOf)
    const problems = await problemsOf(parts, job, inputs)
    for (const [place, input] of inputs.entries()) {
      width = Math.max(width, chunk.rows[place]!.width)
      const stop = await shapes.count(input, problems[place])
      if (stop) return { stop }
    }
    rows += inputs.length
    await requireGoing()
  }
  return { plan: { rows, width, ...shapes.all() } }
}

type Shapes = Pick<BulkPlan, 'shapes' | 'others'>

const priced = ({ shapes }: Shapes) => shapes.filter(({ problem }) => problem === undefined)

const dearestOf = (plan: Shapes) => Math.max(0, ...priced(plan).map(({ price }) => price[1]))

/** How many rows can be looked up. */
export const payableRows = (plan: Shapes): number =>
  priced(plan).reduce((total, { rows }) => total + rows, plan.others ?? 0)

/**
 * What a row that can be looked up may cost, or why its like could not be priced. The quote of a job is the sum of these
 * prices. A row whose shape is not in the plan may cost as much as the most expensive one.
 */
export const priceOfRow = (plan: Shapes) => {
  const byShape = new Map(plan.shapes.map((shape) => [shape.fields.join(' '), shape]))
  const unknown: [number, number] = [0, dearestOf(plan)]
  return (input: object): { price: [number, number] } | { problem: string } => {
    const shape = byShape.get(shapeOf(input))
    if (!shape) return { price: unknown }
    return shape.problem === undefined ? { price: shape.price } : { problem: shape.problem }
  }
}

/** Minimum and maximum cost of all rows. */
export const quoteOf = (plan: Shapes): { least: number; most: number } => {
  const sum = (end: 0 | 1) => priced(plan).reduce((total, { rows, price }) => total + rows * price[end], 0)
  return { least: sum(0), most: sum(1) + (plan.others ?? 0) * dearestOf(plan) }
}

/** The maximum cost of a row; for one without a price, that of the most expensive one. */
export const mostOf = (plan: Shapes) => {
  const priceOf = priceOfRow(plan)
  const dearest = dearestOf(plan)
  return (input: object): number => {
    const row = priceOf(input)
    return 'price' in row ? row.price[1] : dearest
  }
}
