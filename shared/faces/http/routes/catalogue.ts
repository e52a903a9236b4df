import { z } from '#kit'
import { manifestShape } from '../../../runtime/manifest-schema.ts'
import { answers } from '../answers.ts'
import type { Routes } from '../parts.ts'
import { integration } from '../schemas.ts'

const found = z.object({ items: z.array(manifestShape.shape.steps.element.extend({ integration: z.string() })) })

/** What the pack has: integrations, whole manifests, steps. */
export const catalogueRoutes: Routes = (app, { pack }) => {
  app.get(
    '/v1/integrations',
    {
      config: { access: ['read', 'run'] },
      schema: {
        operationId: 'listIntegrations',
        tags: ['Catalogue'],
        summary: 'The installed integrations',
        response: answers({ description: 'Summaries', schema: z.object({ items: z.array(integration) }) }),
      },
    },
    async () => ({ items: pack.integrations.list() }),
  )
  app.get(
    '/v1/integrations/:id',
    {
      config: { access: ['read', 'run'] },
      schema: {
        operationId: 'getIntegration',
        tags: ['Catalogue'],
        summary: 'One whole manifest: connections, steps, triggers, wire facts',
        params: z.object({ id: z.string() }),
        response: answers({ description: 'The manifest', schema: manifestShape }, ['not_found']),
      },
    },
    async ({ params }) => pack.integrations.manifest(params.id),
  )
  app.get(
    '/v1/steps',
    {
      config: { access: ['read', 'run'] },
      schema: {
        operationId: 'findSteps',
        tags: ['Catalogue'],
        summary: 'Find steps by words in their title, group or purpose',
        querystring: z.strictObject({ query: z.string().max(256).optional().describe('Words that all must occur'), integration: z.string().optional() }),
        response: answers({ description: 'Steps with their schemas', schema: found }, ['not_found']),
      },
    },
    async ({ query }) => ({ items: await pack.steps.find(query) }),
  )
}
