import { once, z } from '#kit'
import { firstUseSettings } from './claims.ts'
import type { Caller } from '../ports/index.ts'

/** An address of http or https that names nobody and no part of a page. */
export const isPlainUrl = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username + url.password + url.hash === ''
}

/** The operator's own identity provider, whose tokens are accepted in addition to ours. */
export const jwtSettings = once(() =>
  z.strictObject({
    issuer: z.string().min(1),
    /** Required audience of its tokens; a token for another audience is refused. */
    audience: z.string().min(1),
    /** URL of its JWK set. */
    jwksUrl: z.string().refine(isPlainUrl, 'is no address like https://id.example.org/jwks'),
    /** Names of the claims that hold the tenant, the rights and the person. */
    claims: z
      .strictObject({
        tenant: z.string().default('tenant'),
        scopes: z.string().default('scope'),
        steps: z.string().default('steps'),
        connections: z.string().default('connections'),
        /** Such as `sub`. Absent: its tokens act for nobody. */
        person: z.string().min(1).optional(),
      })
      .prefault({}),
    firstUse: firstUseSettings(),
  }),
)

export type JwtSettings = z.infer<ReturnType<typeof jwtSettings>>

/**
 * Audiences that are paths of this server, each with the steps (`integration/step`) that can be run there; undefined:
 * all.
 */
export type TokenResources = Map<string, string[] | undefined>

export type JwtAuthenticator = {
  (text: string): Promise<Caller>
  /**
   * Reads the key set before the first token arrives. An address that does not answer is only logged.
   * @throws Failure `invalid_input` or `not_allowed` when the address can never serve a key set
   */
  prepare(): Promise<void>
}
export const looksLikeJwt = (text: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
