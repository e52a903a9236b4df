import type { ApiOperation, ApiParameter, Effect, Method } from '#kit'
import { choices, table } from './operations-table.ts'

/**
 * `name`, then whatever applies: `!` required, `:type` (default string), `[]` a list, `@body`, and `=` with the
 * choices. A parameter of the path is in braces.
 */
const notation = /^(\{)?([\w/]+)\}?(!)?(?::(\w+))?(\[\])?(@body)?(?:=(.+))?$/

/**
 * Where to send parameters that the vendor's description puts into the query: for writes, the service also accepts them
 * in a JSON body.
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

/** All operations of the board, including those that the policy refuses. */
export const operations: ApiOperation[] = table
  .trim()
  .split('\n')
  .map((line) => readLine(line.replace(/ \|$/, '')))
