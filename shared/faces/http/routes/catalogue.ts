import { z } from '#kit'
import { id } from '../bounds.ts'
import { manifestShape } from '../../../pack-server.ts'
import { responses } from '../responses.ts'
import type { Routes } from '../parts.ts'
import { integration } from '../schemas.ts'

const found = z.object({ items: z.array(manifestShape.shape.steps.element.extend({ integration: z.string() })) })

/** Integrations, their manifests and their steps. */
export const catalogueRoutes: Routes = (app, { pack }) => {
  app.get(
    '/v1/integrations',
    {
      config: { access: ['read', 'run'] },
      schema: {
        operationId: 'listIntegrations',
        tags: ['Catalogue'],
        summary: 'List the installed integrations',
        description: 'One summary per installed integration: title, version, maturity, and whether the operator has to add settings first.',
        response: responses({ description: 'Summaries', schema: z.object({ items: z.array(integration) }) }),
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
        summary: 'Get the manifest of an integration',
        description:
          'The whole manifest of an integration: connection types, steps and triggers with their schemas, API call policy, and what is assumed or unset about the provider. Texts are in the language that `locale` or `Accept-Language` asks for where there are translations; `Content-Language` names it.',
        params: z.object({ id }),
        querystring: z.strictObject({
          profile: z.string().min(1).max(64).optional().describe('Wire profile to show it with, such as that of a connection'),
          locale: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe('Language of its texts, such as "de"; takes precedence over Accept-Language. Texts without a translation are English'),
        }),
        response: responses({ description: 'The manifest', schema: manifestShape }, ['not_found']),
      },
    },
    async ({ params, query, headers }, reply) => {
      const locale = await pack.integrations.locale({ locale: query.locale, acceptLanguage: headers['accept-language'] })
      const manifest = await pack.integrations.manifest(params.id, query.profile, locale)
      return reply.headers({ 'content-language': locale, vary: 'Accept-Language' }).send(manifest)
    },
  )
  app.get(
    '/v1/steps',
    {
      config: { access: ['read', 'run'] },
      schema: {
        operationId: 'findSteps',
        tags: ['Catalogue'],
        summary: 'Find steps by words in their title, group or purpose',
        description: 'Searches the steps of all integrations, or of one. Without a query it returns all steps, each with its schemas.',
        querystring: z.strictObject({ query: z.string().max(256).optional().describe('Words that must all occur'), integration: id.optional() }),
        response: responses({ description: 'Steps with their schemas', schema: found }, ['not_found']),
      },
    },
    async ({ query }) => ({ items: await pack.steps.find(query) }),
  )
}
