import type { EndpointProfile, FieldWire } from '#kit'
import { valueAt } from '#kit'

/** The provider's names of a field. */
export const wireNamesOf = (field: FieldWire | undefined): string[] => {
  if (field === undefined || field === null) return []
  if (typeof field === 'string') return [field]
  return [field]
    .flat()
    .flatMap(({ name, template }) => [name ?? [], template === undefined ? [] : JSON.stringify(template)].flat())
}

/**
 * Values of a body under our names, as the endpoints of the profile at this path name them: a caller who writes the
 * request itself uses the provider's names.
 */
export const valuesNamedAt = (
  endpoints: { [name: string]: EndpointProfile } | undefined,
  path: unknown,
  body: unknown,
): { [ours: string]: unknown }[] =>
  Object.values(endpoints ?? {})
    .filter((endpoint) => endpoint.path === path || endpoint.bulk?.path === path)
    .map(({ fields, bulk }) =>
      Object.fromEntries(
        Object.entries({ ...fields, ...bulk?.fields }).map(([ours, field]) => [
          ours,
          [fields[ours], field].flatMap((each) => wireNamesOf(each).map((name) => valueAt(body, name))),
        ]),
      ),
    )
