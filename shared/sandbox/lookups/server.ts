/** What the data-provider sandboxes share: key, limits, routes and refusals. */
import type { Problem } from './check.ts'
import type { Answer } from './faults.ts'
import type { Handled } from './find.ts'
import type { Answers, IncomingRequest } from './transport.ts'
import { admit } from './world.ts'
import type { OpenWindow, RecordedRequest, World } from './world.ts'

/**
 * A parsed request to one endpoint. `params`: the values of the {parts} in its path. `body`: undefined when the request
 * has none.
 */
export type Call = {
  world: World
  body: unknown
  query: URLSearchParams
  params: Record<string, string>
  method: string
  path: string
}
export type Handler = (call: Call) => Handled

/** The conventions of one provider's API. */
export type Dialect = {
  apiKey: string
  /** The key in the place where this provider expects it; undefined when it is missing. */
  keyOf(headers: IncomingRequest['headers'], query: URLSearchParams): string | undefined
  keyPlace: string
  problemBody(problem: Problem, world: World): unknown
  /** Whether a 429 says in a header how long to wait. */
  retryAfter: boolean
  /** The error of a 429, if it says more than that there were too many requests. */
  tooMany?(world: World, waitMs: number, window: OpenWindow | undefined): Pick<Problem, 'code' | 'message'>
  /** Headers of every answer to a request with a valid key. */
  headers?(world: World, status: number): Record<string, string>
  /** A refusal because of the account, before any other check. */
  refuses?(world: World): Problem | undefined
  /** Methods, and routes ("POST /path/{id}") without a body, that may have parameters in the query. Default: none. */
  query?: readonly string[]
  /** The status for a known path with a wrong method. Default: 405. */
  wrongMethod?: 404 | 405
  /** The header with the charged credits; absent when the body contains them. */
  creditHeader?: string
  /** Handlers by "METHOD /path"; a path may have {parts}. */
  routes: Record<string, Handler>
}

type Route = { name: string; method: string; parts: string[]; handler: Handler }

const routesOf = (dialect: Dialect): Route[] =>
  Object.entries(dialect.routes).map(([name, handler]) => {
    const [method = '', path = ''] = name.split(' ')
    return { name, method, parts: path.split('/'), handler }
  })

const isPart = (part: string) => part.startsWith('{')

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The values of a path's {parts}; undefined when the path does not match. */
const paramsOf = ({ parts }: Route, path: string): Record<string, string> | undefined => {
  const pathParts = path.split('/')
  if (
    pathParts.length !== parts.length ||
    !parts.every((part, at) => (isPart(part) ? pathParts[at] !== '' : part === pathParts[at]))
  )
    return undefined
  return Object.fromEntries(
    parts.flatMap((part, at) => (isPart(part) ? [[part.slice(1, -1), decoded(pathParts[at] ?? '')]] : [])),
  )
}

const problemAnswer = (
  dialect: Dialect,
  world: World,
  problem: Problem,
  headers: Record<string, string> = {},
): Answer => ({
  status: problem.status,
  headers,
  body: dialect.problemBody(problem, world),
})

const countProblem = (world: World, status: number) => {
  const { refused } = world.counters
  if (status === 401) refused.badKey += 1
  else if (status === 402) refused.noCredits += 1
  else if (status === 429) refused.tooMany += 1
  else if (status !== 451) refused.badRequest += 1
}

/** What is wrong with the request before its endpoint reads the body. */
const admission = (
  dialect: Dialect,
  world: World,
  request: IncomingRequest,
): { problem: Problem; headers?: Record<string, string> } | undefined => {
  if (dialect.keyOf(request.headers, request.search) !== dialect.apiKey) {
    const message = `The API key is missing or unknown. It goes into ${dialect.keyPlace}.`
    return { problem: { status: 401, code: 'BAD_KEY', message } }
  }
  const refused = dialect.refuses?.(world)
  if (refused !== undefined) return { problem: refused }
  const full = admit(world, request.path)
  if (full !== undefined) {
    const headers = dialect.retryAfter ? { 'retry-after': String(Math.ceil(full.waitMs / 1000)) } : {}
    const said = dialect.tooMany?.(world, full.waitMs, full.window) ?? {
      code: 'TOO_MANY',
      message: 'Too many requests. Slow down and try again.',
    }
    return { problem: { status: 429, ...said }, headers }
  }
  const routes = routesOf(dialect).filter((route) => paramsOf(route, request.path) !== undefined)
  const methods = routes.map(({ method }) => method)
  const right = methods.includes(request.method)
  if (routes.length === 0 || (!right && dialect.wrongMethod === 404)) {
    return {
      problem: {
        status: 404,
        code: 'NO_ENDPOINT',
        message: `There is no endpoint ${request.path}${routes.length === 0 ? '' : ` for ${request.method}`}.`,
      },
    }
  }
  if (!right) {
    const problem = { status: 405, code: 'BAD_METHOD', message: `${request.path} takes ${methods.join(', ')}.` }
    return { problem, headers: { allow: methods.join(', ') } }
  }
  const route = routes.find(({ method }) => method === request.method)
  const queries = dialect.query?.some((name) => name === request.method || name === route?.name) === true
  const [inQuery] = request.search.keys()
  if (inQuery !== undefined && !queries) {
    const place = request.method === 'GET' ? 'This endpoint takes no parameters.' : 'Fields go into the JSON body.'
    return {
      problem: { status: 400, code: 'INVALID', message: `"${inQuery}" is in the query. ${place}`, field: inQuery },
    }
  }
  if (request.method === 'GET' || (queries && request.text === '')) return undefined
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    return {
      problem: {
        status: 415,
        code: 'NOT_JSON',
        message: 'The body has to be JSON, with content-type application/json.',
      },
    }
  }
  return request.json.ok
    ? undefined
    : { problem: { status: 400, code: 'INVALID', message: 'The body is not valid JSON.' } }
}

const handle = (dialect: Dialect, world: World, request: IncomingRequest, record: RecordedRequest): Answer => {
  const refusal = admission(dialect, world, request)
  if (refusal !== undefined) {
    const { problem } = refusal
    countProblem(world, problem.status)
    const headers = problem.status === 401 ? {} : dialect.headers?.(world, problem.status)
    return problemAnswer(dialect, world, problem, { ...headers, ...refusal.headers })
  }
  const { method, path, search } = request
  const route = routesOf(dialect).find(
    (candidate) => candidate.method === method && paramsOf(candidate, path) !== undefined,
  )
  if (route === undefined) throw new Error(`the route ${path} was admitted but has no handler`)
  const handled = route.handler({
    world,
    body: request.text === '' ? undefined : record.body,
    query: search,
    params: paramsOf(route, path) ?? {},
    method,
    path,
  })
  const credits = handled.ok ? handled.credits : 0
  record.credits = credits
  const status = handled.ok ? handled.answer.status : handled.problem.status
  const headers = {
    ...dialect.headers?.(world, status),
    ...(dialect.creditHeader === undefined ? {} : { [dialect.creditHeader]: String(credits) }),
  }
  if (handled.ok) return { ...handled.answer, headers: { ...headers, ...handled.answer.headers } }
  countProblem(world, handled.problem.status)
  return problemAnswer(dialect, world, handled.problem, headers)
}

export const answersOf = (dialect: Dialect, world: World): Answers => ({
  answer: (request, record) => handle(dialect, world, request, record),
  broken: (status, message) =>
    problemAnswer(dialect, world, { status, code: status === 500 ? 'SANDBOX' : 'INVALID', message }),
})
