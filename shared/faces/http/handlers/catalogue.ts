import type { catalogueOperations } from '../../../api/operations/catalogue.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const catalogueHandlers = ({ pack }: HttpDependencies): Handlers<typeof catalogueOperations> => ({
  listIntegrations: async () => ({ items: pack.integrations.list() }),
  getIntegration: async ({ params, query, headers }, reply) => {
    const locale = await pack.integrations.locale({ locale: query.locale, acceptLanguage: headers['accept-language'] })
    const manifest = await pack.integrations.manifest(params.id, query.profile, locale)
    return reply.headers({ 'content-language': locale, vary: 'Accept-Language' }).send(manifest)
  },
  findSteps: async ({ query }) => ({ items: await pack.steps.find(query) }),
})
