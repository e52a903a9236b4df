/** What version 2 of a node makes of a step's output: an item for each record, and only the fields that matter most. */
import type { Schema, StepOf } from '../manifests.ts'
import type { Property } from './property.ts'

/**
 * `list`: the field of the output whose entries are the records. `page`: the most records of one request, where the
 * node may read page after page. `simple`: paths of the fields of a record that remain with "Simplify".
 */
export type RecordSpec = { list?: string; page?: number; simple?: string[] }

/** Records with at most this many fields need no "Simplify"; the number is that of n8n's guidelines. */
const manyFields = 10

const typeOf = ({ type }: Schema) => (Array.isArray(type) ? type : [type])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The one list of objects in the output of a step that reads several records. */
const listOf = ({ effect, output }: StepOf): string | undefined => {
  const { properties = {} } = output
  const lists = Object.entries(properties).filter(([, schema]) => typeOf(schema).includes('array'))
  const [list, ...others] = lists
  const isRecord = 'id' in properties
  return effect === 'read' && !isRecord && list && others.length === 0 && typeOf(list[1].items ?? {}).includes('object')
    ? list[0]
    : undefined
}

/** The node reads further pages by itself only where that costs no credits. */
const pageOf = ({ form, output, cost }: StepOf): number | undefined => {
  const { limit, cursor } = form.properties ?? {}
  const max = limit?.['maximum']
  return cost === null && cursor && 'next' in (output.properties ?? {}) && typeof max === 'number' ? max : undefined
}

const sizeOf = (record: unknown): number =>
  isObject(record) ? Math.max(Object.keys(record).length, sizeOf(record['record'])) : 0

export const recordSpecOf = (step: StepOf): RecordSpec => {
  const list = listOf(step)
  const page = list === undefined ? undefined : pageOf(step)
  const sample = isObject(step.sample) ? step.sample : {}
  const record = list === undefined ? sample : ((sample[list] as unknown[] | undefined)?.[0] ?? {})
  const paths =
    list === undefined
      ? step.agentFields
      : step.agentFields?.filter((path) => path.startsWith(`${list}.`)).map((path) => path.slice(list.length + 1))
  const simple = paths && paths.length > 0 && sizeOf(record) > manyFields ? paths : undefined
  return {
    ...(list === undefined ? {} : { list }),
    ...(page === undefined ? {} : { page }),
    ...(simple === undefined ? {} : { simple }),
  }
}

/** Fields of a step for which version 2 has parameters of its own. */
export const pagingFields = ({ page }: RecordSpec): string[] => (page === undefined ? [] : ['limit', 'cursor'])

/** The parameters that version 2 shows before a step's other ones. */
export const recordProperties = ({ page, simple }: RecordSpec, show: Record<string, unknown[]>): Property[] => {
  const shown = { ...show, '@version': [2] }
  const paging: Property[] = [
    {
      displayName: 'Return All',
      name: 'returnAll',
      type: 'boolean',
      default: false,
      description: 'Whether to return all results or only up to a given limit',
      displayOptions: { show: shown },
    },
    {
      displayName: 'Limit',
      name: 'limit',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 50,
      description: 'Max number of results to return',
      displayOptions: { show: { ...shown, returnAll: [false] } },
    },
  ]
  const simplify: Property = {
    displayName: 'Simplify',
    name: 'simple',
    type: 'boolean',
    default: true,
    description: 'Whether to return a simplified version of the response instead of the raw data',
    displayOptions: { show: shown },
  }
  return [...(page === undefined ? [] : paging), ...(simple === undefined ? [] : [simplify])]
}
