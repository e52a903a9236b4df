import { fail } from '#kit'

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The record in a result of a search, without the fields that describe the result. */
const recordOf = (result: object): object => ('record' in result && isObject(result.record) ? result.record : result)

/** The records in the output of a search: its first list of objects. @throws Failure `invalid_input` */
export const recordsOf = (output: unknown): object[] => {
  if (output === undefined)
    throw fail(
      'invalid_input',
      'The output of this run is not stored. Give its records as rows, or have the operator store outputs (TOOLYARD_RUN_CONTENTS).',
      { errors: [{ pointer: '/run', message: 'The output of this run is not stored.' }] },
    )
  const lists = [output, ...(isObject(output) ? Object.values(output) : [])].filter(Array.isArray)
  const records = lists.map((list) => (list as unknown[]).filter(isObject)).find(({ length }) => length > 0)
  if (!records)
    throw fail('invalid_input', 'This run found no records. Give the run of a search that found some.', {
      errors: [{ pointer: '/run', message: 'This run found no records.' }],
    })
  return records.map(recordOf)
}
