import { fail, isAbsent } from '#kit'
import type { FieldSpec } from '#kit'

const maxListedFields = 3

const valuesOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string' && item !== '')

/** The tool name of a step, as the agent knows it; undefined when the agent cannot call it. */
export type ToolOf = (step: string) => string | undefined
type Call = { fields: Record<string, FieldSpec> | undefined; input: unknown; toolOf?: ToolOf | undefined }
type IdField = { name: string; values: string[]; spec: FieldSpec }

/** The input fields that hold an id. */
const idFieldsIn = ({ fields, input }: Call): IdField[] => {
  const inputFields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  return Object.entries(fields ?? {}).flatMap(([name, spec]) => {
    const values = valuesOf(inputFields[name])
    return (spec.options || spec.accepts) && !spec.scope && values.length > 0 ? [{ name, values, spec }] : []
  })
}

const show = ({ name, values }: IdField) => {
  const shown = values.slice(0, maxListedFields).map((value) => `"${value.slice(0, 60)}"`)
  return `"${name}" (${shown.join(', ')}${values.length > maxListedFields ? ', …' : ''})`
}

const remedyInForm = (idFields: IdField[]) =>
  idFields.some(({ spec }) => spec.options)
    ? 'Choose from the options of that field, which the account can see.'
    : 'Check the id.'

/** An agent has no form, so the remedy names the tools that list the values. */
const remedyForAgent = (idFields: IdField[], toolOf: ToolOf): string => {
  const listed = idFields.flatMap(({ name, spec }) => {
    const tool = spec.options?.listedBy?.map(toolOf).find((toolName) => toolName !== undefined)
    return tool === undefined ? [] : [{ name, tool }]
  })
  const tools = new Set(listed.map(({ tool }) => tool))
  if (tools.size === 1) return `${[...tools][0]} lists the values.`
  if (tools.size > 1) return `${listed.map(({ name, tool }) => `${tool} (${name})`).join(' and ')} list the values.`
  return 'Take the id from the result of another tool, or ask the user for it.'
}

/**
 * A provider that does not know an id often complains about something the caller never named. The new failure names the
 * caller's fields that hold an id, their values, and where to find the right ones. Other failures are returned
 * unchanged.
 */
export const namingFields = (thrown: unknown, call: Call): unknown => {
  if (!isAbsent(thrown) || thrown.details.providerStatus !== 404 || thrown.details.errors) return thrown
  const idFields = idFieldsIn(call)
  if (idFields.length === 0) return thrown
  const shown = idFields.map(show)
  const what = idFields.length === 1 ? `the value of ${shown[0]}` : `a value of ${shown.join(' or ')}`
  const remedy = call.toolOf ? remedyForAgent(idFields, call.toolOf) : remedyInForm(idFields)
  const message = `The provider does not know ${what}, or the account cannot see it. ${remedy} (It answered 404.)`
  return fail('not_found', message, {
    ...thrown.details,
    errors: idFields.map(({ name }) => ({ pointer: `/${name}`, message })),
    cause: thrown,
  })
}
