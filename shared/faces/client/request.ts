import type { Route } from '../../../manifests/operations.ts'

export type Content = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream | string
export type Request = {
  path: string
  query: [string, string][]
  headers: Record<string, string>
  json?: object
  body?: Content
}

const headerOf: Record<string, string> = { idempotencyKey: 'idempotency-key', startId: 'start-id', person: 'person' }
/** Options that every operation takes. */
const always = ['signal', 'timeoutMs']

const pathOf = (route: Route, fields: Record<string, unknown>): { path: string } | { problem: string } => {
  const missing: string[] = []
  const path = route.path.slice(1).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields[name]
    delete fields[name]
    // A segment of dots would be resolved, and name another operation.
    const isName = typeof value === 'string' && value.isWellFormed() && !/^\.{0,2}$/.test(value)
    if (!isName) missing.push(name)
    return isName ? encodeURIComponent(value) : ''
  })
  return missing.length > 0
    ? { problem: `"${missing.join('" and "')}" must be a text that names something.` }
    : { path }
}

/** The server decodes the person, whose id may have any character; the others are sent as they are. */
const written = (option: string, value: unknown) =>
  option === 'person' ? encodeURIComponent(String(value)) : String(value)

const unfit = (options: Record<string, unknown>) =>
  Object.keys(headerOf).find((option) => {
    const value = options[option]
    if (value === undefined) return false
    return (
      typeof value !== 'string' || !(option === 'person' ? value.isWellFormed() : /^[\x21-\x7e]{1,255}$/.test(value))
    )
  })

const headersOf = (options: Record<string, unknown>): Record<string, string> => {
  const named = Object.entries(headerOf).flatMap(([option, name]) =>
    options[option] === undefined ? [] : [[name, written(option, options[option])]],
  )
  return { ...Object.fromEntries(named), ...(options['background'] === true ? { prefer: 'respond-async' } : {}) }
}

const queryOf = (fields: Record<string, unknown>): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().flatMap((part): [string, string][] => (part === undefined ? [] : [[name, String(part)]])),
  )

/** Distributes an input over path, query and body of a request. */
export const requestOf = (
  route: Route,
  input: Record<string, unknown>,
  options: Record<string, unknown>,
): Request | { problem: string } => {
  const unknown = Object.keys(options).find((name) => ![...always, ...(route.options ?? [])].includes(name))
  if (unknown !== undefined) return { problem: `this operation does not take the option "${unknown}".` }
  const wrong = unfit(options)
  if (wrong !== undefined) return { problem: `"${wrong}" must be 1 to 255 visible ASCII characters.` }
  const fields = { ...input }
  const path = pathOf(route, fields)
  if ('problem' in path) return path
  const headers = headersOf(options)
  const { content } = options
  if (content !== undefined) {
    const { name, ...query } = fields
    if (typeof name !== 'string' || name === '') return { problem: '"name" of the file is missing.' }
    const fileHeaders = {
      ...headers,
      'file-name': encodeURIComponent(name),
      'content-type': 'application/octet-stream',
    }
    return { ...path, query: queryOf(query), headers: fileHeaders, body: content as Content }
  }
  if (!route.body) return { ...path, query: queryOf(fields), headers }
  // The body of a file has the fields of its query, too.
  const inQuery = route.body === 'json' ? (route.query ?? []) : []
  const split = (wanted: boolean) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => inQuery.includes(name) === wanted))
  return { ...path, query: queryOf(split(true)), headers, json: split(false) }
}
