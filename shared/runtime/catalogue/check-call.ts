import type { ApiOperation, FieldError, Json, Method, Query } from '#kit'
import type { CallPolicy } from '../../wire/types.ts'
import { canonicalPath } from '../../wire/guard/paths.ts'
import { checkParameters } from './check-parameters.ts'
import type { OperationTable } from './operation-table.ts'

export type ApiRequest = { method: string; path: string; query?: Query | undefined; body?: Json | undefined }

/**
 * Result of checking a request before it is sent. `errors`: mistakes that the caller can correct. `mended`: the request
 * with the mistakes in method and path corrected, to decide whether it may be sent at all. `operation`: its endpoint, if
 * that is documented.
 */
export type CallCheck = { errors: FieldError[]; mended: ApiRequest; warnings: string[]; operation?: ApiOperation }

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A placeholder left in a path, as documentation writes it: `{id}`, `:id` or `<id>`. */
const unfilled = /^(?:\{\w+\}|:[a-zA-Z]\w*|<\w+>)$/
const decoded = (part: string) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The path as it would be sent; undefined: it is refused. */
export const canonicalOf = (path: string): string | undefined => {
  try {
    return canonicalPath(path)
  } catch {
    return undefined
  }
}

const mendMethod = (request: ApiRequest, policy: CallPolicy, errors: FieldError[]): ApiRequest => {
  const method =
    typeof request.method === 'string' && /^[a-zA-Z]{1,10}$/.test(request.method)
      ? request.method.toUpperCase()
      : request.method
  if (method === request.method || !policy.methods.includes(method as Method)) return request
  errors.push({ pointer: '/method', message: `Methods are in capitals: give "${method}".` })
  return { ...request, method }
}

const mendQuery = (request: ApiRequest, errors: FieldError[]): ApiRequest => {
  const [path = '', query, ...furtherParts] = request.path.split('?')
  if (
    query === undefined ||
    furtherParts.length > 0 ||
    path === '' ||
    query.includes('#') ||
    (request.query !== undefined && !isObject(request.query))
  )
    return request
  const pathQuery = Object.create(null) as Query
  for (const [name, value] of new URLSearchParams(query)) pathQuery[name] = value
  const names = Object.keys(pathQuery)
    .slice(0, 5)
    .map((name) => JSON.stringify(name.slice(0, 60)))
  const parameters = names.length === 0 ? '' : ` Give its parameters (${names.join(', ')}) in "query".`
  errors.push({ pointer: '/path', message: `The path holds "?".${parameters} Give the path without it.` })
  return { ...request, path, query: { ...request.query, ...pathQuery } }
}

const mendUnfilled = (request: ApiRequest, errors: FieldError[]): ApiRequest => {
  const parts = request.path.split('/')
  const names = parts.map(decoded).filter((part) => unfilled.test(part))
  if (names.length === 0) return request
  errors.push({
    pointer: '/path',
    message: `The path still holds ${names.map((name) => `"${name}"`).join(' and ')}: put the value in its place.`,
  })
  return { ...request, path: parts.map((part) => (unfilled.test(decoded(part)) ? 'x' : part)).join('/') }
}

const mendPrefix = (
  request: ApiRequest,
  table: OperationTable,
  { under }: CallPolicy,
  errors: FieldError[],
): ApiRequest => {
  const { path } = request
  const prefix = under.endsWith('/') ? under.slice(0, -1) : under
  const starts = path.startsWith('/') ? path : `/${path}`
  if (starts === path && `${path}/`.startsWith(`${prefix}/`)) return request
  const candidates = [starts, `${prefix}${starts}`].filter((candidate) => `${candidate}/`.startsWith(`${prefix}/`))
  const meant = candidates.find((candidate) => table.methodsOf(candidate).length > 0)
  if (meant === undefined) return request
  errors.push({ pointer: '/path', message: `Paths begin with "${prefix}/": give "${meant.slice(0, 200)}".` })
  return { ...request, path: meant }
}

/** Corrects mistakes of form that hide which endpoint was meant, and reports each as an error. */
const mend = (request: ApiRequest, table: OperationTable, policy: CallPolicy, errors: FieldError[]): ApiRequest => {
  const named = mendMethod(request, policy, errors)
  if (typeof named.path !== 'string' || named.path.length > 2048) return named
  return mendPrefix(mendUnfilled(mendQuery(named, errors), errors), table, policy, errors)
}

/** Checks a request of the API Call step. It sends nothing and does not apply the policy. */
export const checkCall = (table: OperationTable, policy: CallPolicy, request: ApiRequest): CallCheck => {
  const errors: FieldError[] = []
  const mended = mend(request, table, policy, errors)
  const path = canonicalOf(mended.path)
  if (path === undefined) return { errors, mended, warnings: [] }
  const operation = table.find(mended.method, path)
  if (operation) {
    const { errors: wrong, warnings } = checkParameters(operation, mended)
    return { errors: [...errors, ...wrong], mended, warnings, operation }
  }
  const methods = table.methodsOf(path)
  const warnings =
    methods.length === 0
      ? []
      : [
          `${mended.method} is not documented for this path; ${methods.join(', ')} ${methods.length === 1 ? 'is' : 'are'}.`,
        ]
  return { errors, mended, warnings }
}
