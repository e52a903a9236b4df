import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Parameters } from '../../../runtime/oauth/request.ts'
import type { RefusalCode } from '../../../runtime/oauth/refusal.ts'

export type Refused = { code: RefusalCode; message: string; back?: { redirectUri: string; state: string | undefined } }
/** By its name: the class is loaded with the rest of the runtime's part. */
export const isRefusal = (thrown: unknown): thrown is Refused & Error =>
  thrown instanceof Error && 'code' in thrown && 'back' in thrown

/** Parameters by name; an empty one counts as absent (RFC 6749, 3.1). Undefined: one is there twice. */
export const readParameters = (query: URLSearchParams): Parameters | undefined => {
  const parameters: Parameters = {}
  for (const [name, value] of query) {
    if (Object.hasOwn(parameters, name)) return undefined
    if (value !== '') parameters[name] = value
  }
  return parameters
}
export const queryOf = (request: FastifyRequest) => new URL(request.raw.url ?? '/', 'http://own.internal').searchParams

const statuses: { [code in RefusalCode]?: number } = { invalid_client: 401, temporarily_unavailable: 429 }
/** The characters that RFC 6749 allows. */
export const described = (message: string) => message.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, '?')

export const sendRefusal = (reply: FastifyReply, code: RefusalCode, message: string) => {
  const status = statuses[code] ?? 400
  if (status === 401) reply.header('www-authenticate', 'Basic realm="toolyard"')
  if (status === 429) reply.header('retry-after', '3600')
  return reply.code(status).send({ error: code, error_description: described(message) })
}

export const twice = 'A parameter is there twice.'
