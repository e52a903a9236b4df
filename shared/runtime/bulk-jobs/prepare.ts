import { isFailure, mayPassLater, stopsPlanning } from '#kit'
import type { FailureJson } from '#kit'
import { parseInput } from '../catalogue/parse.ts'
import type { LoadedStep } from '../catalogue/registry.ts'
import type { BulkJob, BulkJobOrder, BulkPlan, BulkShape } from '../ports/index.ts'
import { chunksOf } from './chunks.ts'
import { inputsOf } from './mapping.ts'
import { callerOf, tableOf } from './parts.ts'
import type { JobParts, RowCall } from './parts.ts'
import { reasonOf } from './results.ts'

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
export const priceRow = async ({ run }: Pick<JobParts, 'run'>, job: BulkJob, input: unknown): Promise<Priced> => {
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

/** Names the fields of the step that have a value. */
export const shapeOf = (input: object): string => Object.keys(input).toSorted().join(' ')

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

type Tried = BulkShape & { tried: number }

/** Prices rows by the set of fields they have, with dry runs of a few rows of each shape. */
const createShapes = (parts: JobParts, job: BulkJob) => {
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
  const { step } = parts.registry.step(job.order.integration, job.order.step)
  const shapes = createShapes(parts, job)
  let rows = 0
  let width = table.columns.length
  for await (const chunk of chunksOf(table, 0)) {
    const inputs = chunk.rows.map(inputOf)
    const suppressed = await parts.suppressed(job.tenant, inputs)
    for (const [place, input] of inputs.entries()) {
      width = Math.max(width, chunk.rows[place]!.width)
      const problem = suppressed[place] ? 'They are on the suppression list.' : problemOf(step, input)
      const stop = await shapes.count(input, problem)
      if (stop) return { stop }
    }
    rows += inputs.length
    await requireGoing()
  }
  return { plan: { rows, width, ...shapes.all() } }
}

const priced = ({ shapes }: BulkPlan) => shapes.filter(({ problem }) => problem === undefined)

const dearestOf = (plan: BulkPlan) => Math.max(0, ...priced(plan).map(({ price }) => price[1]))

/** How many rows can be looked up. */
export const payableRows = (plan: BulkPlan): number =>
  priced(plan).reduce((total, { rows }) => total + rows, plan.others ?? 0)

/** Minimum and maximum cost of all rows. */
export const quoteOf = (plan: BulkPlan): { least: number; most: number } => {
  const sum = (end: 0 | 1) => priced(plan).reduce((total, { rows, price }) => total + rows * price[end], 0)
  return { least: sum(0), most: sum(1) + (plan.others ?? 0) * dearestOf(plan) }
}

/** The maximum cost of a row with these fields; for a shape without a price, that of the most expensive one. */
export const mostOf = (plan: BulkPlan) => {
  const byShape = new Map(priced(plan).map(({ fields, price }) => [fields.join(' '), price[1]]))
  const dearest = dearestOf(plan)
  return (input: object): number => byShape.get(shapeOf(input)) ?? dearest
}
