import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { FailureJson } from '#kit'
import type { ServerAbout } from '../../api/resources/server.ts'
import type { Pack } from '../../pack.ts'
import type { AddressOf } from './address.ts'
import type { Authenticate } from './auth.ts'
import type { SessionCookie } from './session-cookie.ts'
import { problemOf } from './problem.ts'
import type { Problem, ProblemExtras } from './problem.ts'

export type HttpApp = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>
/** What the handlers depend on. */
export type HttpDependencies = {
  pack: Pack
  addressOf: AddressOf
  authenticate: Authenticate
  cookie: SessionCookie
  /** Version, public address and sandbox of this server. */
  about: ServerAbout
  /** Aborted when the server begins to stop. */
  stopping: AbortSignal
  /** The OpenAPI document of all operations. */
  document(): Promise<object>
  /** The metrics of this process in the Prometheus text format. */
  metricsPage(): Promise<string>
}

/** Responds with problem+json and records its code for the log line. */
export const sendProblem = (request: FastifyRequest, reply: FastifyReply, { status, headers, body }: Problem) => {
  request.code = body.code
  return reply
    .code(status)
    .headers(headers)
    .type('application/problem+json')
    .serializer(String)
    .send(JSON.stringify(body))
}

export const sendFailure = (
  request: FastifyRequest,
  reply: FastifyReply,
  failure: FailureJson,
  extras: ProblemExtras = {},
) => sendProblem(request, reply, problemOf(failure, { ...extras, requestId: request.id }))
