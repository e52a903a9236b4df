/** Reads Apollo's inputs, and writes its refusals. */
import type { CheckedValue, Problem, Values } from '../../lookups/check.ts'
import type { Call } from '../../lookups/server.ts'
import type { World } from '../../lookups/world.ts'

type Refused = { ok: false; problem: Problem }

export const invalid = (message: string, field?: string): Refused => ({
  ok: false,
  problem: { status: 422, code: 'INVALID', message, ...(field === undefined ? {} : { field }) },
})

/** Searches and usage require a key for all endpoints. */
export const outOfScope = (world: World, path: string): Refused | undefined => {
  if (world.switches.key !== 'scoped') return undefined
  const message = `This API key is not authorized to access ${path.slice(1)}. Request an API key from your administrator that includes this endpoint in its configured scope.`
  return { ok: false, problem: { status: 403, code: 'API_INACCESSIBLE', message } }
}

/** The value of a parameter: text, a boolean, a list (`name[]`), or a whole number. */
export type Kind = 'text' | 'flag' | 'list' | 'number'

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''
const fits: Record<Kind, (value: unknown) => boolean> = {
  text: isText,
  flag: (value) => ['true', 'false'].includes(String(value)),
  list: (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
  number: (value) => /^\d+$/.test(String(value)),
}

export const checkKinds = (values: Values, kinds: Record<string, Kind>): CheckedValue<Values> => {
  for (const [name, value] of Object.entries(values)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) return invalid(`Invalid parameters: "${name}" is not known here.`, name)
    if (!fits[kind](value)) return invalid(`Invalid parameters: "${name}" has to be a ${kind}.`, name)
  }
  return { ok: true, value: values }
}

/** Reads the query; `name[]` and its repetitions become a list under `name`. */
const fromQuery = (query: URLSearchParams): Values => {
  const values: Values = {}
  for (const name of new Set(query.keys())) {
    if (name.endsWith('[]')) values[name.slice(0, -2)] = query.getAll(name)
    else values[name] = query.get(name)
  }
  return values
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** For endpoints that take all their parameters in the query. */
export const readQuery = ({ query, body }: Call, kinds: Record<string, Kind>): CheckedValue<Values> => {
  if (body !== undefined && !(isObject(body) && Object.keys(body).length === 0))
    return invalid('Invalid parameters: they go into the query, not into the body.')
  return checkKinds(fromQuery(query), kinds)
}

/** For searches, whose parameters older clients send in a JSON body. */
export const readEither = ({ query, body }: Call, kinds: Record<string, Kind>): CheckedValue<Values> => {
  if (body !== undefined && !isObject(body)) return invalid('Invalid parameters: the body has to be an object.')
  return checkKinds({ ...fromQuery(query), ...body }, kinds)
}
