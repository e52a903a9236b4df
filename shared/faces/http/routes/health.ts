import { z } from '#kit'
import { responses, tokenOnly } from '../responses.ts'
import type { HttpApp, Routes } from '../parts.ts'

/** Liveness, readiness, and the OpenAPI document. */
export const healthRoutes: Routes = (app, { pack, addressOf, document }) => {
  const tags = ['Health']
  app.get(
    '/livez',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'live',
        tags,
        summary: 'Check liveness',
        description: 'Answers 200 while the process runs, whatever state its store is in. Use it as a liveness probe; it needs no token.',
        security: [],
        response: responses({ description: 'The process runs', schema: z.object({ status: z.literal('live') }) }, [], { access: 'public' }),
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
        summary: 'Check readiness',
        description:
          'Answers 200 when the store can be written, otherwise 503 with the reason; also while rows of the audit log have not been written for more than a few seconds. Use it as a readiness probe; it needs no token.',
        security: [],
        response: responses({ description: 'Ready', schema: z.object({ status: z.literal('ready') }) }, ['unavailable', 'internal'], { access: 'public' }),
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
        summary: 'Get this document',
        security: tokenOnly,
        description: 'This document, with one operation per step. Its server address is the configured public address, otherwise the address of this request.',
        response: responses({ description: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.string() }) }),
      },
    },
    // Importers need a server; a relative one is resolved against the address of the document.
    async (request) => ({ ...(await document()), servers: [{ url: addressOf(request) || '/' }] }),
  )
}

/** Metrics of this process for Prometheus. They cover all tenants, so they are for operators only. */
export const metricsRoute = (app: HttpApp, page: () => Promise<string>) => {
  const { 200: _, ...failures } = responses({ description: '' })
  app.get(
    '/metrics',
    {
      config: { access: ['metrics', 'admin'] },
      schema: {
        operationId: 'getMetrics',
        tags: ['Health'],
        summary: 'Get metrics for Prometheus',
        security: tokenOnly,
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
