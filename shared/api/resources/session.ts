import { once, z } from '#kit'
import { text } from './fields.ts'
import { tokenScope } from './token.ts'

const time = z.iso.datetime()

export const session = once(() =>
  z.object({
    tenant: z.object({ id: text, name: text }),
    token: z.object({
      id: text,
      name: text,
      scopes: z.array(tokenScope).describe('What the session may do'),
      steps: z.array(text).nullable().describe('Only these steps; null: all'),
      connections: z.array(text).nullable().describe('Only these connections; null: all'),
      toolSet: text.nullable().describe('Only the steps of this tool set; null: all'),
      person: text.nullable().describe('It acts for this end user of the platform alone; null: for nobody'),
      expiresAt: time.nullable(),
    }),
    csrfToken: text
      .exactOptional()
      .describe(
        'Send it as the header x-csrf-token with every call that is not GET. Absent for a bearer token, which needs none',
      ),
    expiresAt: time.nullable().describe('When the session ends, or the bearer token expires; null: never'),
  }),
)

export type Session = z.infer<ReturnType<typeof session>>

export const signInCode = once(() =>
  z.object({
    url: text.describe(
      'Address that signs a browser in, once. The code is in the fragment, which browsers do not send',
    ),
    expiresAt: time,
  }),
)

export const credential = once(() =>
  z
    .strictObject({
      code: z
        .string()
        .min(1)
        .max(128)
        .optional()
        .describe('Code of a sign-in link: what follows "#code=" in its address'),
      token: z.string().min(1).max(512).optional().describe('A token of this server, instead of a code'),
    })
    .refine(({ code, token }) => (code === undefined) !== (token === undefined), {
      path: ['code'],
      message: 'Send either "code" or "token".',
    }),
)
