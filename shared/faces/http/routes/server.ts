import type { HttpApp } from '../parts.ts'
import { responses } from '../responses.ts'
import { server } from '../schemas-sessions.ts'
import type { ServerAbout } from '../schemas-sessions.ts'

/** What this server is. */
export const serverRoute = (app: HttpApp, about: ServerAbout) =>
  app.get(
    '/v1/server',
    {
      config: { access: 'any' },
      schema: {
        operationId: 'getServer',
        tags: ['Health'],
        summary: 'Get version, public address and sandbox of this server',
        description: 'The version of this server, its public address if the operator set one, and where its sandbox listens if it was started with one.',
        response: responses({ description: 'The server', schema: server }),
      },
    },
    async () => about,
  )
