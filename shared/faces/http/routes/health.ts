import { z } from '#kit'
import { answers } from '../responses.ts'
import type { HttpApp, Routes } from '../parts.ts'

/** Whether the process lives, whether it can take work, and what it offers. */
export const healthRoutes: Routes = (app, { pack, addressOf }) => {
  const tags = ['Health']
  app.get(
    '/livez',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'live',
        tags,
        summary: 'The process answers',
        description: 'Answers 200 while the process runs, whatever state its store is in. Use it as a liveness probe; it needs no token.',
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
        description: 'Answers 200 when the store can be written, otherwise 503 with the reason. Use it as a readiness probe; it needs no token.',
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
        description: 'This document, with one operation per step. Its server address is the configured public address, otherwise the address of this request.',
        response: answers({ description: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.string() }) }),
      },
    },
    // Importers need a server; a path alone is read against the address the document came from.
    async (request) => ({ ...app.swagger(), servers: [{ url: addressOf(request) || '/' }] }),
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
        description: 'Counters and gauges in the Prometheus text format. Needs the scope metrics or admin, because the figures cover every tenant.',
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
