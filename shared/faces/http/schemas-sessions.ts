import { z } from '#kit'
import { scope } from './schemas.ts'
const text = z.string()
const time = z.iso.datetime()

export const session = z.object({
  tenant: z.object({ id: text, name: text }),
  token: z.object({
    id: text,
    name: text,
    scopes: z.array(scope).describe('What the session may do'),
    steps: z.array(text).nullable().describe('Only these steps; null: all'),
    connections: z.array(text).nullable().describe('Only these connections; null: all'),
    toolSet: text.nullable().describe('Only the steps of this tool set; null: all'),
    expiresAt: time.nullable(),
  }),
  csrfToken: text.optional().describe('Send it as the header x-csrf-token with every call that is not GET. Absent for a bearer token, which needs none'),
  expiresAt: time.nullable().describe('When the session ends, or the bearer token expires; null: never'),
})
export const signInCode = z.object({
  url: text.describe('Address that signs a browser in, once. The code is in the fragment, which browsers do not send'),
  expiresAt: time,
})
export const credential = z
  .strictObject({
    code: z.string().min(1).max(128).optional().describe('Code of a sign-in link: what follows "#code=" in its address'),
    token: z.string().min(1).max(512).optional().describe('A token of this server, instead of a code'),
  })
  .refine(({ code, token }) => (code === undefined) !== (token === undefined), { path: ['code'], message: 'Send either "code" or "token".' })

export const server = z.object({
  version: text,
  publicUrl: text.nullable().describe('Public address of this server (TOOLYARD_PUBLIC_URL); null: not set'),
  sandbox: z
    .object({
      places: z.array(
        z.object({
          title: text.describe('The provider it stands in for'),
          integration: text,
          origin: text.describe('Address it listens at'),
          page: text.optional().describe('Address of its page for people, if it has one'),
        }),
      ),
      agent: text.nullable().describe('Address of the example agent, which receives starts; null: there is none'),
    })
    .nullable()
    .describe('The sandbox of this server; null: it has none'),
})
export type ServerAbout = z.output<typeof server>

/** Schemas that get a name in the OpenAPI document. */
export const namedSessions = { Session: session, SignInCode: signInCode, Server: server }
