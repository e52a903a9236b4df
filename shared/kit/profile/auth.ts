import * as z from 'zod'
import type { Infer } from './infer.ts'
import { texts } from './infer.ts'

const pair = (key: string) =>
  z.strictObject({ key: z.string().describe(key), secret: z.string().describe('Template of the secret.') })
export type OAuth1Pair = Infer<typeof pair>

const placement = () =>
  z.strictObject({
    place: z
      .enum(['header', 'query', 'body', 'basic', 'oauth1'])
      .describe(
        'The part of the request that holds the credential; `basic`: user name and password (RFC 7617); `oauth1`: every request is signed with HMAC-SHA1 (RFC 5849).',
      ),
    fields: texts()
      .optional()
      .describe('Names of headers or parameters; the values are templates of secrets: `Bearer {apiKey}`.'),
    user: z.string().optional().describe('With `basic`: template of the user name, which cannot hold ":".'),
    password: z.string().optional().describe('With `basic`: template of the password; may be empty.'),
    consumer: pair('Template of the key.')
      .optional()
      .describe('With `oauth1`: templates of the consumer key and secret; absent: those of the app.'),
    token: pair('Template of the token.')
      .optional()
      .describe('With `oauth1`: templates of the token and its secret; absent: the consumer alone signs.'),
  })
type Placement = Infer<typeof placement>

/** Where a credential goes, with what that place needs. */
export type AuthPlacement =
  | ({ place: 'header' | 'query' | 'body' } & Required<Pick<Placement, 'fields'>>)
  | ({ place: 'basic' } & Required<Pick<Placement, 'user' | 'password'>>)
  | ({ place: 'oauth1' } & Pick<Placement, 'consumer' | 'token'>)

const neededBy: { [place in Placement['place']]: (keyof Placement)[] } = {
  header: ['fields'],
  query: ['fields'],
  body: ['fields'],
  basic: ['user', 'password'],
  oauth1: [],
}

// An override that changes the place leaves the fields of the former one in the merged profile, so these are accepted.
export const authPlacement = () =>
  placement().superRefine((auth, issues) => {
    const missing = neededBy[auth.place].find((name) => auth[name] === undefined)
    if (missing !== undefined) issues.addIssue(`"place": "${auth.place}" needs "${missing}"`)
  }) as z.ZodType as z.ZodType<AuthPlacement>
