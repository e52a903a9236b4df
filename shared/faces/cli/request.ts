import ky, { HTTPError, NetworkError, TimeoutError } from 'ky'
import type { Options } from 'ky'
import { fail, failures } from '#kit'
import type { FailureCode, FailureJson } from '#kit'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type ProblemBody = { code?: string; detail?: string; title?: string; runId?: string } & Record<string, unknown>

const isCode = (code: unknown): code is FailureCode => typeof code === 'string' && code in failures

/** The failure behind a problem+json answer. */
const failureOf = (body: ProblemBody, status: number, address: string): FailureJson & { runId?: string } => {
  if (!isCode(body.code)) {
    return {
      code: 'bad_reply',
      message: `${address} answered ${status}, but not like a toolyard server. Is another program listening there?`,
      retryable: false,
      actor: 'operator',
    }
  }
  const { type: _type, title, status: _status, detail, instance: _instance, ...rest } = body
  return { ...rest, message: detail ?? title ?? body.code } as unknown as FailureJson
}

/** Why a certificate is not trusted, with the remedy; undefined where it is not about that. Node hides the reason in a chain of causes. */
export const certificateTrouble = (error: unknown): string | undefined => {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code = '' } = at as NodeJS.ErrnoException
    if (/^(UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)/.test(code))
      return `its certificate is signed by an authority that is not known here (${code}). Name that authority's certificate: NODE_EXTRA_CA_CERTS=<file.pem>`
    if (/^(CERT_|ERR_TLS_CERT)/.test(code)) return `its certificate is not acceptable (${code}). Renew it, or use the name it is made out for.`
  }
  return undefined
}

/** @throws what is no failure of a request */
const explainThrown = (error: unknown, address: string, terminal: Pick<Terminal, 'self'>): FailureJson & { runId?: string } => {
  if (error instanceof HTTPError) return failureOf((error.data ?? {}) as ProblemBody, error.response.status, address)
  if (error instanceof TimeoutError) return { code: 'unreachable', message: `${address} did not answer in time.`, retryable: true, actor: 'operator' }
  const certificate = certificateTrouble(error)
  if (certificate !== undefined) return { code: 'unreachable', message: `${address}: ${certificate}`, retryable: false, actor: 'operator' }
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

/** Whether a toolyard server answers there, and what stands in the way where that is known. */
export const tryLive = async (address: string): Promise<{ live: boolean; trouble?: string | undefined }> => {
  try {
    const { status } = await ky.get(`${address}/livez`, { timeout: 2_000, retry: 0 }).json<{ status?: unknown }>()
    return { live: status === 'live' }
  } catch (error) {
    return { live: false, trouble: certificateTrouble(error) }
  }
}

/** True when a toolyard server answers there. */
export const isLive = async (address: string): Promise<boolean> => (await tryLive(address)).live

/** A running server and what opens it. */
export type Server = { address: string; token: string }
/** The HTTP API in this process. Its address only serves to write URLs, and it takes no token. */
type InProcess = { address: string; answer(request: Request): Promise<Response> }

/** The JSON of an answer, or undefined where it has none. @throws Failure */
export type Ask = <T>(path: string, options?: Options) => Promise<T>

export type Requests = {
  ask: Ask
  /** The whole answer. Throws what ky throws; `explain` makes a failure of it. */
  send(path: string, options?: Options): Promise<Response>
  explain(thrown: unknown): FailureJson & { runId?: string }
}

/** Requests of the HTTP API, wherever it is. */
export const openRequests = (to: Server | InProcess, terminal: Pick<Terminal, 'self'>): Requests => {
  const { address } = to
  const isServed = 'token' in to
  const http = ky.create({
    prefix: address,
    retry: 0,
    ...(isServed ? { headers: { authorization: `Bearer ${to.token}` } } : { fetch: (request) => to.answer(request as Request) }),
  })
  const explain = (thrown: unknown) => explainThrown(thrown, address, terminal)
  // Work of this process itself is not given up on.
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
