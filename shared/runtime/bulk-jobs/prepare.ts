import type { BulkJob, BulkJobOrder, BulkPlan, BulkShape } from '../ports/index.ts'
import { inputsOf } from './mapping.ts'
import { callerOf, tableOf } from './parts.ts'
import type { JobParts, RowCall } from './parts.ts'

/** Rows of one shape that are tried, until one of them can be looked up. */
const tries = 3
/** More than any table has; a row beyond counts as one of the first shape. */
const maxShapes = 200

export const callFor = ({ integration, step, connection }: BulkJobOrder, input: unknown): RowCall => ({ integration, step, connection, input })

type Priced = { price: [number, number] } | { problem: string }

/** What one row may cost, by a dry run: nothing is sent. @throws Failure where no row could be looked up, such as `not_connected` */
export const priceRow = async ({ run }: Pick<JobParts, 'run'>, job: BulkJob, input: unknown): Promise<Priced> => {
  const outcome = await run(callerOf(job), { ...callFor(job.order, input), dryRun: true })
  if (!outcome.ok) return { problem: outcome.failure.errors?.map(({ message }) => message).join(' ') ?? outcome.failure.message }
  const { price } = outcome.value as { price?: { typical: [number, number]; total?: [number, number] } }
  return { price: price?.total ?? price?.typical ?? [0, 0] }
}

/** Which fields of the step have a value. */
export const shapeOf = (input: object): string => Object.keys(input).toSorted().join(' ')

/** Reads the whole file: how many rows there are, and what rows with the same fields cost. */
export const makePlan = async (parts: JobParts, job: BulkJob, requireGoing: () => Promise<void>): Promise<BulkPlan> => {
  const table = await tableOf(parts, job)
  const inputOf = inputsOf(job.order, table)
  const shapes = new Map<string, BulkShape & { tried: number }>()
  let rows = 0
  let width = table.columns.length
  for await (const row of table.rows()) {
    rows += 1
    width = Math.max(width, row.width)
    const input = inputOf(row)
    const name = shapeOf(input)
    let shape = shapes.get(name)
    if (!shape) {
      if (shapes.size >= maxShapes) continue
      shapes.set(name, (shape = { fields: name.split(' '), rows: 0, price: [0, 0], problem: 'not tried', tried: 0 }))
    }
    shape.rows += 1
    if (shape.problem !== undefined && shape.tried < tries) {
      shape.tried += 1
      const priced = await priceRow(parts, job, input)
      if ('price' in priced) {
        shape.price = priced.price
        delete shape.problem
      } else shape.problem = priced.problem
    }
    if (rows % 10_000 === 0) await requireGoing()
  }
  return { rows, width, shapes: [...shapes.values()].map(({ tried: _, ...shape }) => shape) }
}

/** Least and most that all rows cost. */
export const quoteOf = ({ shapes }: BulkPlan): { least: number; most: number } => {
  const sum = (end: 0 | 1) => shapes.reduce((total, { rows, price, problem }) => total + (problem === undefined ? rows * price[end] : 0), 0)
  return { least: sum(0), most: sum(1) }
}

/** The most that a row with these fields costs. Of fields that no row before had, as much as the dearest. */
export const mostOf = (plan: BulkPlan) => {
  const byShape = new Map(plan.shapes.filter(({ problem }) => problem === undefined).map(({ fields, price }) => [fields.join(' '), price[1]]))
  const dearest = Math.max(0, ...byShape.values())
  return (input: object): number => byShape.get(shapeOf(input)) ?? dearest
}
