import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { z } from '#kit'
import type { Input, Operation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import type { Operations } from '../../api/operations/index.ts'
import type { Aliases, Make } from '../../api/resources/fields.ts'
import type { OperationId } from '../../api/rules.ts'
import type { HttpApp } from './parts.ts'

type Part<O extends Operation, Name extends keyof Input> = O extends { input: { [name in Name]: Make<infer T> } }
  ? z.output<T>
  : unknown

export type OperationRequest<O extends Operation> = FastifyRequest<{
  Params: Part<O, 'params'>
  Querystring: Part<O, 'query'>
  Headers: Part<O, 'headers'>
  Body: Part<O, 'body'>
}>
/** Handles a request whose parts were validated against the input of the operation. */
export type Handler<O extends Operation> = (request: OperationRequest<O>, reply: FastifyReply) => unknown
export type Handlers<T extends { [id: string]: Operation }> = { [Id in keyof T]: Handler<T[Id]> }

/** Route options of operations that the server receives differently from the others. */
export type RouteOptions = { [Id in OperationId]?: Pick<RouteShorthandOptions, 'bodyLimit' | 'onRequest'> }

/** The path of an operation, with its parameters in Fastify's notation. */
export const urlOf = ({ path }: Operation): string => path.replace(/\{(\w+)\}/g, ':$1')

/** The schemas of a request, under Fastify's names for its parts. */
export const requestSchema = ({ input }: Operation, aliases: Aliases) => ({
  ...(input?.params ? { params: input.params(aliases) } : {}),
  ...(input?.query ? { querystring: input.query(aliases) } : {}),
  ...(input?.headers ? { headers: input.headers(aliases) } : {}),
  ...(input?.body ? { body: input.body(aliases) } : {}),
})

/** Adds a route for every operation. */
export const addOperations = (
  app: HttpApp,
  aliases: Aliases,
  handlers: Handlers<Operations>,
  options: RouteOptions,
) => {
  const add = (scope: HttpApp, operation: Operation) => {
    const id = operation.id as OperationId
    scope.route({
      method: operation.method,
      url: urlOf(operation),
      config: { access: operation.access },
      schema: requestSchema(operation, aliases),
      handler: handlers[id] as (request: FastifyRequest, reply: FastifyReply) => unknown,
      ...options[id],
    })
  }
  for (const operation of Object.values<Operation>(operations)) {
    if (!operation.upload) add(app, operation)
    else
      void app.register(async (scope) => {
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
        add(scope as HttpApp, operation)
      })
  }
}
