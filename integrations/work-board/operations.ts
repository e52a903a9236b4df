import type { ApiOperation, ApiParameter, Effect, Method } from '#kit'
import { choices, table } from './operations-table.ts'

/**
 * `name`, then what applies: `!` required, `:type` (default string), `[]` a list, `@body`, and the choices; a parameter
 * of the path is in braces.
 */
const notation = /^(\{)?([\w/]+)\}?(!)?(?::(\w+))?(\[\])?(@body)?(?:=(.+))?$/

/**
 * Where parameters go that the vendor's description puts into the query: the service takes those of a write in a JSON
 * body too.
 */
const placeOf = (method: string) => (method === 'GET' || method === 'DELETE' ? 'query' : 'either')

const readParameter = (text: string, method: string): ApiParameter => {
  const [, inPath, name = '', required, type = 'string', list, inBody, among] = notation.exec(text)!
  const named = among?.startsWith('$') ? choices[among.slice(1)]! : among
  return {
    name,
    in: inPath ? 'path' : inBody ? 'body' : placeOf(method),
    type: type as ApiParameter['type'],
    ...(list ? { list: true as const } : {}),
    ...(required || inPath ? { required: true as const } : {}),
    ...(named ? { choices: named.split(',') } : {}),
  }
}

const pathParameters = (path: string, described: ApiParameter[]): ApiParameter[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const describedParameter = described.find((parameter) => parameter.in === 'path' && parameter.name === name)
    return describedParameter ?? { name, in: 'path', type: 'string', required: true }
  })

const readLine = (line: string): ApiOperation => {
  const [request = '', title = '', parameters = ''] = line.split(' | ')
  const [method = '', path = '', effect] = request.split(' ')
  const described = parameters.split(' ').flatMap((text) => (text === '' ? [] : [readParameter(text, method)]))
  return {
    method: method as Method,
    path,
    title,
    ...(effect ? { effect: effect.slice(1) as Effect } : {}),
    parameters: [...pathParameters(path, described), ...described.filter((parameter) => parameter.in !== 'path')],
  }
}

/** The board's operations, those that the policy refuses among them. */
export const operations: ApiOperation[] = table
  .trim()
  .split('\n')
  .map((line) => readLine(line.replace(/ \|$/, '')))
