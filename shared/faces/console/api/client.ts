/**
 * Requests to the public HTTP API, with the session's cookie. Plain fetch, because a client library would be a tenth of
 * everything the browser loads.
 */
import { signal } from '@preact/signals'
import type { Problem as ApiProblem } from '../../../api/resources/problem.ts'
import { apiRoot, consoleRoot } from './root.ts'

/** What went wrong: the server's problem+json, or a problem made by the console when no server answered. */
export type Problem = Pick<
  ApiProblem,
  | 'detail'
  | 'status'
  | 'retryable'
  | 'mayHaveHappened'
  | 'retryAfterMs'
  | 'runId'
  | 'connectUrl'
  | 'errors'
  | 'approval'
> &
  Partial<Pick<ApiProblem, 'actor' | 'about'>> & {
    /** A code of the API's table of failures, or the console's own code `console`. */
    code: string
  }

export class ApiError extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** Sent with writes; set while a user is signed in. */
export const csrfToken = signal<string | undefined>(undefined)
/** Becomes true with the first response that says the session has ended. */
export const sessionEnded = signal(false)
/** True while the server cannot be reached. */
export const isServerUnreachable = signal(false)

export type Query = Record<string, string | number | boolean | string[] | undefined>
/** `body`: sent as JSON, which leaves out values that are undefined. */
export type Call = {
  query?: Query | undefined
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

const searchOf = (query: Query = {}) => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== '') search.append(name, String(item))
  return search
}

const lost: Problem = {
  code: 'server_unreachable',
  detail: 'The toolyard server does not answer. Check that it is running, then try again.',
  status: 0,
  retryable: true,
}

const problemFrom = async (response: Response): Promise<Problem> => {
  const said = (await response.json().catch(() => ({}))) as Partial<Problem> & { title?: string }
  const detail = said.detail ?? said.title ?? `The server answered with status ${response.status}.`
  return { ...said, code: said.code ?? 'internal', detail, status: response.status, retryable: said.retryable ?? false }
}

/** Sends one request and does not read the response's body. @throws ApiError */
export const request = async (
  method: string,
  path: string,
  { query, body, headers = {}, signal: aborted }: Call = {},
): Promise<Response> => {
  const token = csrfToken.value
  const isFile = body instanceof Blob
  const search = searchOf(query).toString()
  let response: Response
  try {
    response = await fetch(`${apiRoot}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      body: isFile ? body : (JSON.stringify(body) ?? null),
      headers: {
        ...(body === undefined || isFile ? {} : { 'content-type': 'application/json' }),
        ...(method !== 'GET' && token !== undefined ? { 'x-csrf-token': token } : {}),
        ...headers,
      },
      signal: aborted ?? null,
    })
  } catch (thrown) {
    if (aborted?.aborted) throw thrown
    isServerUnreachable.value = true
    throw new ApiError(lost)
  }
  isServerUnreachable.value = false
  if (response.ok) return response
  const problem = await problemFrom(response)
  if (problem.status === 401 && csrfToken.value !== undefined) sessionEnded.value = true
  throw new ApiError(problem)
}

/** Sends one request and returns its JSON body. `path` is relative to /v1/. @throws ApiError */
export const call = async <T>(method: string, path: string, options: Call = {}): Promise<T> => {
  const response = await request(method, path, options)
  return (response.status === 204 ? undefined : await response.json()) as T
}

/** One of the console's own files, as text. @throws ApiError */
export const readFile = async (name: string): Promise<string> => {
  const response = await fetch(consoleRoot + name).catch(() => undefined)
  if (response?.ok) return response.text()
  throw new ApiError({ ...lost, detail: 'The server did not send a file of the console. Reload the page.' })
}

export const get = <T>(path: string, query?: Query, aborted?: AbortSignal) =>
  call<T>('GET', path, { query, signal: aborted })
export const post = <T>(path: string, body?: unknown, options: Omit<Call, 'body'> = {}) =>
  call<T>('POST', path, { ...options, body })

/** Turns any thrown value into a problem to show. */
export const problemOf = (thrown: unknown): Problem =>
  thrown instanceof ApiError
    ? thrown.problem
    : { code: 'console', detail: `This page failed: ${String(thrown)}. Reload it.`, status: 0, retryable: false }
