import ky, { HTTPError, NetworkError, TimeoutError } from 'ky'
import type { KyInstance, Options } from 'ky'
import { fail, failures, isFailure } from '#kit'
import type { FailureCode, FailureJson, Outcome, RunMeta } from '#kit'
import type { Client, FoundStep } from './client.ts'
import { saveStream } from './backup.ts'
import { remoteOperator } from './operator.ts'
import type { AskServer, SaveAnswer } from './operator.ts'
import { remoteRecords } from './records-client.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { remoteTriggers } from './trigger-client.ts'
import type { IntegrationSummary } from '../../pack.ts'
import type { Manifest } from '../../runtime/catalogue/manifest.ts'

type ProblemBody = { code?: string; detail?: string; title?: string; runId?: string } & Record<string, unknown>

/** Above the longest run a server makes. */
const runTimeoutMs = 180_000

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

const thrownBy = (error: unknown, address: string, terminal: Pick<Terminal, 'self'>): FailureJson & { runId?: string } => {
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

const asFailure = ({ code, message, ...details }: FailureJson) => fail(code, message, details)

const asOutcome = (failure: FailureJson & { runId?: string }): Outcome => {
  const { runId = '', ...rest } = failure
  return { ok: false, failure: rest, meta: { runId, durationMs: 0, attempts: 0 } }
}

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

const open = (address: string, token: string): KyInstance =>
  ky.create({ prefix: address, headers: { authorization: `Bearer ${token}` }, retry: 0, timeout: 30_000 })

/** Asks a running server. */
export const askServer = (address: string, token: string, terminal: Pick<Terminal, 'self'>): AskServer => {
  const http = open(address, token)
  return async <T>(path: string, options?: Options): Promise<T> => {
    try {
      const reply = await http(path, options)
      return (reply.status === 204 ? undefined : await reply.json()) as T
    } catch (error) {
      throw asFailure(thrownBy(error, address, terminal))
    }
  }
}

/** The verbs over a running server. */
export const remoteClient = (address: string, token: string, terminal: Pick<Terminal, 'self'>): Client => {
  const http = open(address, token)
  const ask = askServer(address, token, terminal)
  const save: SaveAnswer = async (path, options, file) => {
    try {
      const { body, headers } = await http(path, options)
      return await saveStream(body!, file, Number(headers.get('content-length')))
    } catch (error) {
      throw isFailure(error) ? error : asFailure(thrownBy(error, address, terminal))
    }
  }
  const items = async <T>(path: string, options?: Options) => (await ask<{ items: T[] }>(path, options)).items
  return {
    place: address,
    integrations: () => items<IntegrationSummary>('v1/integrations'),
    manifest: (id) => ask<Manifest>(`v1/integrations/${encodeURIComponent(id)}`),
    steps: (asked) => items<FoundStep>('v1/steps', { searchParams: asked }),
    async run({ integration, step, connection, input, dryRun, force, startId, idempotencyKey, signal }) {
      const path = `v1/steps/${encodeURIComponent(integration)}/${encodeURIComponent(step)}/run`
      try {
        const headers = { 'start-id': startId, 'idempotency-key': idempotencyKey }
        const done = await http
          .post(path, { json: { connection, input, dryRun, force }, headers, signal, timeout: runTimeoutMs })
          .json<{ output: unknown; meta: RunMeta }>()
        return { ok: true, value: done.output, meta: done.meta }
      } catch (error) {
        if (signal.aborted) return asOutcome({ code: 'cancelled', message: 'Cancelled.', retryable: true, actor: 'caller' })
        return asOutcome(thrownBy(error, address, terminal))
      }
    },
    triggers: remoteTriggers(ask),
    records: remoteRecords(ask),
    operator: remoteOperator(ask, save),
    close: async () => {},
  }
}
