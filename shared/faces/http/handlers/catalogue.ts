import type { FastifyReply } from 'fastify'
import type { catalogueOperations } from '../../../api/operations/catalogue.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'
import { makeStaticReply, sendStaticReply } from '../static-reply.ts'
import type { StaticReply } from '../static-reply.ts'

/** Manifests, ready to send. They are the same for everybody, so each is built once per profile and language. */
const createManifests = ({ pack }: HttpDependencies) => {
  const replies = new Map<string, Promise<StaticReply>>()
  return (id: string, profile: string | undefined, locale: string) => {
    const key = JSON.stringify([id, profile, locale])
    let reply = replies.get(key)
    if (reply === undefined) {
      reply = pack.integrations
        .manifest(id, profile, locale)
        .then((manifest) => makeStaticReply('application/json; charset=utf-8', Buffer.from(JSON.stringify(manifest))))
      replies.set(key, reply)
      // Failures are not cached, such as those for names that do not exist.
      reply.catch(() => replies.delete(key))
    }
    return reply
  }
}

export const catalogueHandlers = (dependencies: HttpDependencies): Handlers<typeof catalogueOperations> => {
  const { pack } = dependencies
  const manifestOf = createManifests(dependencies)
  return {
    listIntegrations: async () => ({ items: pack.integrations.list() }),
    getIntegration: async ({ params, query, headers }, reply) => {
      const locale = await pack.integrations.locale({
        locale: query.locale,
        acceptLanguage: headers['accept-language'],
      })
      const manifest = await manifestOf(params.id, query.profile, locale)
      reply.headers({ 'content-language': locale, vary: 'Accept-Language, Accept-Encoding' })
      return sendStaticReply(reply as FastifyReply, manifest, headers['accept-encoding'])
    },
    findSteps: async ({ query }) => ({ items: await pack.steps.find(query) }),
    searchCatalogue: async ({ query }) => ({ items: pack.integrations.search(query) }),
  }
}
