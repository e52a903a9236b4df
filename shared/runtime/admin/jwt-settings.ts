import { once, z } from '#kit'
import type { Caller } from '../ports/index.ts'

/** An operator's own identity provider, whose tokens are taken beside ours. */
export const jwtSettings = once(() =>
  z.strictObject({
    issuer: z.string().min(1),
    /** What its tokens must be made for. One made for somebody else is refused. */
    audience: z.string().min(1),
    /** Address of its key set. */
    jwksUrl: z.string().refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      return (
        url !== undefined &&
        /^https?:$/.test(url.protocol) &&
        url.username === '' &&
        url.password === '' &&
        url.hash === ''
      )
    }, 'is no address like https://id.example.org/jwks'),
    /** Names of the claims that say who it is. */
    claims: z
      .strictObject({
        tenant: z.string().default('tenant'),
        scopes: z.string().default('scope'),
        steps: z.string().default('steps'),
        connections: z.string().default('connections'),
      })
      .prefault({}),
  }),
)

export type JwtSettings = z.infer<ReturnType<typeof jwtSettings>>

/** Audiences that are paths of this server, each with the steps (`integration/step`) reached there; undefined: all. */
export type TokenResources = Map<string, string[] | undefined>

export type JwtAuthenticator = {
  (text: string): Promise<Caller>
  /**
   * Reads the key set before the first token comes. Throws `invalid_input` or `not_allowed` where the address can never
   * serve; one that does not answer is said in the log.
   */
  prepare(): Promise<void>
}
export const looksLikeJwt = (text: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
