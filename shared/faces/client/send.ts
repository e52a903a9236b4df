import ky, { HTTPError, TimeoutError } from 'ky'
import type { FailureCode, FailureJson } from '#kit'
import type { Route } from '../../../manifests/operations.ts'
import type { Request } from './request.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- the types of a request and its options are the host's
export type Fetch = (request: any, options?: any) => Promise<Response>
export type Failed = { ok: false; failure: FailureJson; runId?: string }
type Details = Partial<Pick<FailureJson, 'retryable' | 'actor' | 'mayHaveHappened'>>

export const clientFailure = (code: FailureCode, message: string, details: Details = {}): Failed => ({
  ok: false,
  failure: { code, message, retryable: false, actor: 'caller', ...details },
})

/** A gateway may answer so after the server has carried out what it was sent; a 4xx is a refusal. */
const mayBeDone = ({ method }: Pick<Route, 'method'>, status: number): Details =>
  method !== 'GET' && (status >= 500 || status < 300) ? { mayHaveHappened: true } : {}

const noServer = (address: string, status: number, route: Pick<Route, 'method'>) =>
  clientFailure(
    'bad_reply',
    `${address} answered with status ${status}, but not as a toolyard server does. Check the address.`,
    { actor: 'operator', ...mayBeDone(route, status) },
  )

/** Reads the failure in a problem+json response. */
const problemOf = (data: unknown, status: number, address: string, route: Pick<Route, 'method'>): Failed => {
  const body = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>
  if (!String(body['type']).startsWith('urn:toolyard:failure:')) return noServer(address, status, route)
  const { type: _type, title: _title, status: _status, instance: _instance, detail, runId, ...fields } = body
  const failure = { ...fields, message: detail } as unknown as FailureJson
  return { ok: false, failure, ...(typeof runId === 'string' ? { runId } : {}) }
}

/** What kept a request from being answered. What changes something may have been carried out nevertheless. */
const explain = (thrown: unknown, route: Route, address: string, signal: AbortSignal | undefined): Failed => {
  if (thrown instanceof HTTPError) return problemOf(thrown.data, thrown.response.status, address, route)
  const isRead = route.method === 'GET'
  const details: Details = { retryable: isRead, ...(isRead ? {} : { mayHaveHappened: true }) }
  if (signal?.aborted) return clientFailure('cancelled', 'The call was cancelled.', details)
  const isLate = thrown instanceof TimeoutError || (thrown as Error | undefined)?.name === 'TimeoutError'
  const why = isLate ? 'did not answer in time' : 'cannot be reached'
  const remedy = isRead
    ? 'Is the server running?'
    : 'Is the server running? Repeat the call with its idempotency key, or look first whether it was carried out.'
  return clientFailure('unreachable', `${address} ${why}. ${remedy}`, { ...details, actor: 'operator' })
}

/** The answer in a response that says it went well. */
export const answerOf = async (
  route: Route,
  response: Response,
  address: string,
  signal?: AbortSignal,
): Promise<{ ok: true; value: unknown } | Failed> => {
  const { answer } = route
  if (answer === 'response') return { ok: true, value: response }
  if (response.status === 204) return { ok: true, value: undefined }
  try {
    return { ok: true, value: answer === 'string' ? await response.text() : await response.json() }
  } catch (thrown) {
    // What is no JSON came from something else; a body that broke off, or took too long, from the network.
    if (thrown instanceof SyntaxError) return noServer(address, response.status, route)
    return explain(thrown, route, address, signal)
  }
}

const addressOf = (address: string): string => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search + url.hash + url.username !== '')
    throw new TypeError(
      `address: "${address}" is not the http(s) address of a server, such as https://toolyard.example.`,
    )
  return url.href.replace(/\/$/, '')
}

type Limits = { signal?: AbortSignal; timeoutMs?: number }

/** Sends requests of the API; what goes wrong becomes a failure. @throws TypeError if the options cannot be used */
export const createSender = (options: { address: string; token: string; fetch?: Fetch }) => {
  const address = addressOf(options.address)
  if (typeof options.token !== 'string' || !/^[\x21-\x7e]+$/.test(options.token))
    throw new TypeError('token: it is empty or has characters that no token has. "toolyard tokens create" makes one.')
  const http = ky.create({
    prefix: address,
    headers: { authorization: `Bearer ${options.token}` },
    // A redirect would take the token, and what was written, elsewhere.
    redirect: 'manual',
    retry: { limit: 2, methods: ['get'], statusCodes: [429, 502, 503, 504], maxRetryAfter: 10_000 },
    ...(options.fetch ? { fetch: options.fetch } : {}),
  })
  return async (
    route: Route,
    { path, query, headers, json, body }: Request,
    { signal, timeoutMs = route.method === 'GET' ? 30_000 : 600_000 }: Limits,
  ): Promise<Response | Failed> => {
    // The time counts until the body is read, but for what the host reads itself, such as a stream of events.
    const isWhole = route.answer !== 'response'
    const ends = [...(signal ? [signal] : []), ...(isWhole ? [AbortSignal.timeout(timeoutMs)] : [])]
    try {
      return await http(path, {
        method: route.method,
        headers,
        timeout: isWhole ? false : timeoutMs,
        ...(query.length > 0 ? { searchParams: query } : {}),
        ...(json === undefined ? {} : { json }),
        ...(body === undefined ? {} : { body }),
        ...(ends.length > 0 ? { signal: AbortSignal.any(ends) } : {}),
      })
    } catch (thrown) {
      return explain(thrown, route, address, signal)
    }
  }
}
