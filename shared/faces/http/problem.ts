import { failures, isFailure, issueText, showFailure, toFailureJson } from '#kit'
import type { FailureCode, FailureJson, FieldError } from '#kit'

// An import statement of `node:http` would also load Node's own fetch: 50 ms and 12 MB.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** A failure as problem details (RFC 9457), ready to be sent. */
export type Problem = {
  status: number
  headers: Record<string, string>
  body: { code: FailureCode } & Record<string, unknown>
}

/** `status` differs from the failure table only where HTTP is more specific (405, 408, 415, 431). */
export type ProblemExtras = {
  status?: number | undefined
  runId?: string | undefined
  requestId?: string | undefined
  headers?: Record<string, string> | undefined
}

/** Value of Retry-After when a failure names no time. */
const defaultWaitSeconds = 1

const waitOf = (failure: FailureJson) =>
  failure.retryAfterMs === undefined ? defaultWaitSeconds : Math.max(1, Math.ceil(failure.retryAfterMs / 1000))

export const problemOf = (failure: FailureJson, extras: ProblemExtras = {}): Problem => {
  const { code, message, ...otherFields } = showFailure(failure)
  const status = extras.status ?? failures[code].status
  const headers: Record<string, string> = { ...extras.headers }
  if (status === 429 || status === 503) headers['retry-after'] = String(waitOf(failure))
  // The header is the same for every reason, so a caller without a token learns nothing from it.
  if (status === 401) headers['www-authenticate'] ??= 'Bearer realm="toolyard"'
  return {
    status,
    headers,
    body: {
      type: `urn:toolyard:failure:${code}`,
      title: failures[code].meaning,
      status,
      detail: message,
      ...(extras.runId === undefined ? {} : { instance: `/v1/runs/${extras.runId}`, runId: extras.runId }),
      code,
      ...otherFields,
      ...(extras.requestId === undefined ? {} : { requestId: extras.requestId }),
    },
  }
}

type ThrownByServer = {
  code?: unknown
  statusCode?: unknown
  validation?: { instancePath: string; keyword?: string; message?: string; params?: Record<string, unknown> }[]
  validationContext?: string
}

/** Errors of Fastify by code. Its own messages are not shown, because they name its internals. */
const serverErrors: Record<
  string,
  { code: 'invalid_input' | 'too_large' | 'not_found'; status: number; message: string }
> = {
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'invalid_input', status: 400, message: 'The request body is not valid JSON.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: {
    code: 'invalid_input',
    status: 400,
    message: 'The request body is empty. Send a JSON object.',
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'too_large', status: 413, message: 'The request body is larger than 1 MiB.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'invalid_input',
    status: 415,
    message: 'Send the request body as JSON, with the header "Content-Type: application/json".',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_input',
    status: 400,
    message: 'The length of the request body differs from its Content-Length.',
  },
  FST_ERR_BAD_URL: { code: 'invalid_input', status: 400, message: 'The address is not a valid URL path.' },
  // The parameter is longer than any id can be.
  FST_ERR_MAX_PARAM_LENGTH: {
    code: 'not_found',
    status: 404,
    message: 'Nothing exists at this address. GET /openapi.json lists all routes.',
  },
  FST_ERR_MAX_HEADER_SIZE: { code: 'too_large', status: 431, message: 'The request headers are too large.' },
}

const pointerOf: Record<string, string> = { body: '', querystring: '/query', params: '/path', headers: '/headers' }
const partNames: Record<string, string> = { body: 'body', querystring: 'query', params: 'path', headers: 'headers' }

const fieldErrors = ({ validation = [], validationContext = 'body' }: ThrownByServer): FieldError[] =>
  validation.flatMap(({ instancePath, keyword, message = 'is invalid', params }) => {
    const at = `${pointerOf[validationContext] ?? ''}${instancePath === '/' ? '' : instancePath}`
    const unknown = Array.isArray(params?.['keys']) ? params['keys'].map(String) : []
    if (unknown.length > 0)
      return unknown.map((key) => ({ pointer: `${at}/${key}`, message: `"${key}" is not a known field.` }))
    return [
      { pointer: at, message: at === '' ? 'Send a JSON object.' : issueText({ code: keyword, message, ...params }) },
    ]
  })

/**
 * Converts anything thrown while a request was handled into a failure and, where it differs, the status of the
 * response.
 * `undefined`: a defect, whose message may contain anything and is not shown.
 */
export const refusalOf = (thrown: unknown): { failure: FailureJson; status?: number } | undefined => {
  if (isFailure(thrown)) return { failure: toFailureJson(thrown) }
  const error = thrown as ThrownByServer
  if (Array.isArray(error?.validation)) {
    const errors = fieldErrors(error)
    const part = partNames[error.validationContext ?? 'body']
    const message = `The request ${part} is invalid: ${errors.map(({ pointer, message: text }) => `${pointer || `/`}: ${text}`).join('; ')}`
    return { failure: { code: 'invalid_input', message, retryable: false, actor: 'caller', errors } }
  }
  const serverError = typeof error?.code === 'string' ? serverErrors[error.code] : undefined
  if (serverError) return { failure: refuse(serverError.code, serverError.message), status: serverError.status }
  const { statusCode } = error ?? {}
  if (typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500) {
    return {
      failure: refuse(
        'invalid_input',
        STATUS_CODES[statusCode] ? `The request was refused: ${STATUS_CODES[statusCode]}.` : 'The request was refused.',
      ),
      status: statusCode,
    }
  }
  return undefined
}

export const refuse = (code: keyof typeof failures, message: string): FailureJson => ({
  code,
  message,
  retryable: failures[code].retryable,
  actor: failures[code].actor,
})
