import { z } from '#kit'
import { answers } from '../answers.ts'
import type { Routes } from '../parts.ts'

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
