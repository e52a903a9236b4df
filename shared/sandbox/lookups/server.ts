/** What the sandboxes of the documented profiles share: key, limits, routes and refusals. */
import type { Problem } from './check.ts'
import type { Answer } from './faults.ts'
import type { Handled } from './find.ts'
import { serveAnswers } from './transport.ts'
import type { Asked, Running } from './transport.ts'
import { admit } from './world.ts'
import type { Control, RecordedRequest, World } from './world.ts'

/** A parsed request to one endpoint. */
export type Call = { world: World; body: unknown }

/** How one provider speaks. */
export type Dialect = {
  apiKey: string
  /** The key as this provider expects it, or undefined when it is not there. */
  keyOf(headers: Asked['headers']): string | undefined
  keyPlace: string
  problemBody(problem: Problem): unknown
  /** Whether 429 says how long to wait. */
  retryAfter: boolean
  /** Header that tells the credits charged; absent where the body tells. */
  creditHeader?: string
  /** By "METHOD /path". */
  routes: Record<string, (call: Call) => Handled>
}

const problemAnswer = (dialect: Dialect, problem: Problem, headers: Record<string, string> = {}): Answer => ({
  status: problem.status,
  headers,
  body: dialect.problemBody(problem),
})

const countProblem = (world: World, status: number) => {
  const { refused } = world.counters
  if (status === 401) refused.badKey += 1
  else if (status === 402) refused.noCredits += 1
  else if (status === 429) refused.tooMany += 1
  else if (status !== 451) refused.badRequest += 1
}

/** What is wrong with the request before its endpoint reads the body. */
const admission = (dialect: Dialect, world: World, asked: Asked): { problem: Problem; headers?: Record<string, string> } | undefined => {
  if (dialect.keyOf(asked.headers) !== dialect.apiKey) {
    const message = `The API key is missing or unknown. It goes into ${dialect.keyPlace}.`
    return { problem: { status: 401, code: 'BAD_KEY', message } }
  }
  const waitMs = admit(world)
  if (waitMs > 0) {
    const headers = dialect.retryAfter ? { 'retry-after': String(Math.ceil(waitMs / 1000)) } : {}
    return { problem: { status: 429, code: 'TOO_MANY', message: 'Too many requests. Slow down and try again.' }, headers }
  }
  const routes = Object.keys(dialect.routes).map((route) => route.split(' '))
  const methods = routes.filter(([, path]) => path === asked.path).map(([method]) => method ?? '')
  if (methods.length === 0) {
    return { problem: { status: 404, code: 'NO_ENDPOINT', message: `There is no endpoint ${asked.path}.` } }
  }
  if (!methods.includes(asked.method)) {
    const problem = { status: 405, code: 'BAD_METHOD', message: `${asked.path} takes ${methods.join(', ')}.` }
    return { problem, headers: { allow: methods.join(', ') } }
  }
  const inQuery = Object.keys(asked.query)[0]
  if (inQuery !== undefined) {
    const place = asked.method === 'GET' ? 'This endpoint takes no parameters.' : 'Fields go into the JSON body.'
    return { problem: { status: 400, code: 'INVALID', message: `"${inQuery}" is in the query. ${place}`, field: inQuery } }
  }
  if (asked.method === 'GET') return undefined
  if (!/^application\/json\b/i.test(asked.headers['content-type'] ?? '')) {
    return { problem: { status: 415, code: 'NOT_JSON', message: 'The body has to be JSON, with content-type application/json.' } }
  }
  return asked.json.ok ? undefined : { problem: { status: 400, code: 'INVALID', message: 'The body is not valid JSON.' } }
}

const handle = (dialect: Dialect, world: World, asked: Asked, record: RecordedRequest): Answer => {
  const refusal = admission(dialect, world, asked)
  if (refusal !== undefined) {
    countProblem(world, refusal.problem.status)
    return problemAnswer(dialect, refusal.problem, refusal.headers)
  }
  const route = dialect.routes[`${asked.method} ${asked.path}`]
  if (route === undefined) throw new Error(`the route ${asked.path} was admitted but has no handler`)
  const handled = route({ world, body: record.body })
  const credits = handled.ok ? handled.credits : 0
  record.credits = credits
  const headers = dialect.creditHeader === undefined ? {} : { [dialect.creditHeader]: String(credits) }
  if (handled.ok) return { ...handled.answer, headers: { ...headers, ...handled.answer.headers } }
  countProblem(world, handled.problem.status)
  return problemAnswer(dialect, handled.problem, headers)
}

/** Listens on 127.0.0.1 only. `port` 0 takes a free one. */
export const serve = (dialect: Dialect, world: World, control: Control, port: number): Promise<Running> =>
  serveAnswers(
    {
      answer: (asked, record) => handle(dialect, world, asked, record),
      broken: (status, message) => problemAnswer(dialect, { status, code: status === 500 ? 'SANDBOX' : 'INVALID', message }),
    },
    world,
    control,
    port,
  )
