import { z } from '#kit'
import { answers } from '../answers.ts'
import type { HttpApp, Routes } from '../parts.ts'

/** Whether the process lives, whether it can take work, and what it offers. */
export const healthRoutes: Routes = (app, { pack }) => {
  const tags = ['Health']
  app.get(
    '/livez',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'live',
        tags,
        summary: 'The process answers',
        security: [],
        response: answers({ description: 'It does', schema: z.object({ status: z.literal('live') }) }, [], { access: 'public' }),
      },
    },
    async () => ({ status: 'live' as const }),
  )
  app.get(
    '/readyz',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'ready',
        tags,
        summary: 'The pack can take work',
        security: [],
        response: answers({ description: 'It can', schema: z.object({ status: z.literal('ready') }) }, ['unavailable', 'internal'], { access: 'public' }),
      },
    },
    async () => {
      await pack.ready()
      return { status: 'ready' as const }
    },
  )
  app.get(
    '/openapi.json',
    {
      config: { access: 'any' },
      schema: {
        operationId: 'getOpenApi',
        tags,
        summary: 'This document',
        response: answers({ description: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.string() }) }),
      },
    },
    async () => app.swagger(),
  )
}

/** Counts of this process, for Prometheus. Over all tenants, so it is the operator's. */
export const metricsRoute = (app: HttpApp, page: () => Promise<string>) => {
  const { 200: _, ...failures } = answers({ description: '' })
  app.get(
    '/metrics',
    {
      config: { access: ['metrics', 'admin'] },
      schema: {
        operationId: 'getMetrics',
        tags: ['Health'],
        summary: 'Counts of this process, for Prometheus',
        response: { 200: { description: 'Text format 0.0.4', content: { 'text/plain': { schema: z.string() } } }, ...failures },
      },
    },
    async (_request, reply) =>
      reply
        .type('text/plain; version=0.0.4; charset=utf-8')
        .serializer(String)
        .send(await page()),
  )
}
