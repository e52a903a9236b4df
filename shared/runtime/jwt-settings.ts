import { z } from '#kit'
import type { Caller } from './ports.ts'

/** An operator's own identity provider, whose tokens are taken beside ours. */
export const jwtSettings = z.strictObject({
  issuer: z.string().min(1),
  /** What its tokens must be made for. One made for somebody else is refused. */
  audience: z.string().min(1),
  /** Address of its key set. */
  jwksUrl: z.string().min(1),
  /** Names of the claims that say who it is. */
  claims: z
    .strictObject({
      tenant: z.string().default('tenant'),
      scopes: z.string().default('scope'),
      steps: z.string().default('steps'),
      connections: z.string().default('connections'),
    })
    .prefault({}),
})
export type JwtSettings = z.infer<typeof jwtSettings>

export type JwtAuthenticator = (text: string) => Promise<Caller>
export const looksLikeJwt = (text: string) => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)
