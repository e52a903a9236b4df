import { z } from '#kit'
import type { HttpApp } from '../parts.ts'
import { responses } from '../responses.ts'

const text = z.string()
const server = z.object({
  version: text,
  publicUrl: text.nullable().describe('Address of this server from outside, as the operator set it; null: not set'),
  sandbox: z
    .object({
      places: z.array(
        z.object({
          title: text.describe('The provider it stands in for'),
          integration: text,
          origin: text.describe('Address it listens at'),
          page: text.optional().describe('Address of its own page for people, if it has one'),
        }),
      ),
      agent: text.nullable().describe('Address of the example agent, which receives starts; null: there is none'),
    })
    .nullable()
    .describe('The sandbox of this server; null: it has none'),
})
export type ServerAbout = z.output<typeof server>

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
