import { fail, isFailure } from '#kit'
import type { FieldSpec } from '#kit'

const maxShown = 3

const valuesOf = (value: unknown): string[] => (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '')

/**
 * A provider that does not know an id says so in its own words, often about something other than what the caller named. The failure names the
 * caller's own fields that hold an id, with their values. Other failures stay as they are.
 */
export const namingFields = (thrown: unknown, fields: Record<string, FieldSpec> | undefined, input: unknown): unknown => {
  if (!isFailure(thrown) || thrown.code !== 'not_found' || thrown.details.providerStatus !== 404 || thrown.details.errors) return thrown
  const given = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  const named = Object.entries(fields ?? {}).flatMap(([name, spec]) => {
    const values = valuesOf(given[name])
    return (spec.options || spec.accepts) && !spec.scope && values.length > 0 ? [{ name, values, hasChoices: spec.options !== undefined }] : []
  })
  if (named.length === 0) return thrown
  const shown = named.map(
    ({ name, values }) =>
      `"${name}" (${values
        .slice(0, maxShown)
        .map((value) => `"${value.slice(0, 60)}"`)
        .join(', ')}${values.length > maxShown ? ', …' : ''})`,
  )
  const remedy = named.some(({ hasChoices }) => hasChoices) ? 'Choose from the options of that field, which the account can see.' : 'Check the id.'
  const message = `The provider does not know ${named.length === 1 ? `the value of ${shown[0]}` : `a value of ${shown.join(' or ')}`}, or the account cannot see it. ${remedy} (It answered 404.)`
  return fail('not_found', message, { ...thrown.details, errors: named.map(({ name }) => ({ pointer: `/${name}`, message })), cause: thrown })
}
