import ky, { HTTPError, NetworkError, TimeoutError } from 'ky'
import type { Options } from 'ky'
import { fail, failures } from '#kit'
import type { FailureCode, FailureJson } from '#kit'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type ProblemBody = { code?: string; detail?: string; title?: string; runId?: string } & Record<string, unknown>

const isCode = (code: unknown): code is FailureCode => typeof code === 'string' && code in failures

/** Reads the failure in a problem+json response. */
const failureOf = (body: ProblemBody, status: number, address: string): FailureJson & { runId?: string } => {
  if (!isCode(body.code)) {
    return {
      code: 'bad_reply',
      message: `${address} answered with status ${status}, but not as a toolyard server does. Is another program listening there?`,
      retryable: false,
      actor: 'operator',
    }
  }
  const { type: _type, title, status: _status, detail, instance: _instance, ...failureFields } = body
  return { ...failureFields, message: detail ?? title ?? body.code } as unknown as FailureJson
}

/**
 * Why a certificate is not trusted, with the remedy; undefined for other errors. Node hides the reason in a chain of
 * causes.
 */
export const certificateProblem = (error: unknown): string | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code = '' } = at as NodeJS.ErrnoException
    if (/^(UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(code))
      return `its certificate is signed by an unknown authority (${code}). Set NODE_EXTRA_CA_CERTS=<file.pem> to the certificate of that authority.`
    if (/^(CERT_|ERR_TLS_CERT)/.test(code))
      return `its certificate is not acceptable (${code}). Renew it, or use the host name it was issued for.`
  }
  return undefined
}

/** @throws errors that are not failures of a request */
const explainThrown = (
  error: unknown,
  address: string,
  terminal: Pick<Terminal, 'self'>,
): FailureJson & { runId?: string } => {
  if (error instanceof HTTPError) return failureOf((error.data ?? {}) as ProblemBody, error.response.status, address)
  if (error instanceof TimeoutError)
    return { code: 'unreachable', message: `${address} did not answer in time.`, retryable: true, actor: 'operator' }
  const certificate = certificateProblem(error)
  if (certificate !== undefined)
    return { code: 'unreachable', message: `${address}: ${certificate}`, retryable: false, actor: 'operator' }
  if (error instanceof NetworkError)
    return {
      code: 'unreachable',
      message: `${address} cannot be reached. Is the server running? Start one with: ${typed(terminal, 'serve')}`,
      retryable: true,
      actor: 'operator',
    }
  throw error
}

export const asFailure = ({ code, message, ...details }: FailureJson) => fail(code, message, details)

/** Whether a toolyard server answers at this address, and a certificate problem if there is one. */
export const tryLive = async (address: string): Promise<{ live: boolean; problem?: string | undefined }> => {
  try {
    const { status } = await ky.get(`${address}/livez`, { timeout: 2_000, retry: 0 }).json<{ status?: unknown }>()
    return { live: status === 'live' }
  } catch (error) {
    return { live: false, problem: certificateProblem(error) }
  }
}

/** Whether a toolyard server answers at this address. */
export const isLive = async (address: string): Promise<boolean> => (await tryLive(address)).live

/** A running server and one of its tokens. */
export type Server = { address: string; token: string }
/** The HTTP API in this process: it needs no token, and its address serves only to build URLs. */
type InProcess = { address: string; answer(request: Request): Promise<Response> }

/** Returns the JSON of a response, or undefined for an empty one. @throws Failure */
export type Ask = <T>(path: string, options?: Options) => Promise<T>

export type Requests = {
  ask: Ask
  /** Returns the response. Throws what ky throws; `explain` converts that to a failure. */
  send(path: string, options?: Options): Promise<Response>
  explain(thrown: unknown): FailureJson & { runId?: string }
}

/** Requests to the HTTP API, over the network or in this process. */
export const openRequests = (to: Server | InProcess, terminal: Pick<Terminal, 'self'>): Requests => {
  const { address } = to
  const isServed = 'token' in to
  const http = ky.create({
    prefix: address,
    retry: 0,
    ...(isServed
      ? { headers: { authorization: `Bearer ${to.token}` } }
      : { fetch: (request) => to.answer(request as Request) }),
  })
  const explain = (thrown: unknown) => explainThrown(thrown, address, terminal)
  // Work in this process has no deadline.
  const send = async (path: string, options: Options = {}): Promise<Response> =>
    http(path, { timeout: 30_000, ...options, ...(isServed ? {} : { timeout: false }) })
  return {
    async ask<T>(path: string, options?: Options) {
      try {
        const reply = await send(path, options)
        return (reply.status === 204 ? undefined : await reply.json()) as T
      } catch (thrown) {
        throw asFailure(explain(thrown))
      }
    },
    send,
    explain,
  }
}
