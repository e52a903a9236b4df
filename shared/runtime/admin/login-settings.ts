import { once, z } from '#kit'
import { allScopes } from '../../api/rules.ts'
import { firstUseSettings } from './claims.ts'
import { isPlainUrl } from './jwt-settings.ts'
import { ofOperator } from './tokens.ts'

/** Rights of a person; those of operators span all tenants. */
const personScopes = allScopes.filter((scope) => !ofOperator(scope))

/** The OpenID provider that signs people in. */
export const loginSettings = once(() =>
  z.strictObject({
    /** As the provider's discovery document says it. */
    issuer: z
      .string()
      .refine((text) => isPlainUrl(text) && !text.includes('?'), 'is no address like https://id.example.org'),
    /** Shown as "Sign in with …"; absent: the host of the issuer. */
    name: z.string().trim().min(1).max(60).optional(),
    clientId: z.string().min(1).max(512),
    /** Absent: a public client, which PKCE alone protects. */
    clientSecret: z.string().min(1).max(2048).optional(),
    /** Domains of the verified email addresses that may sign in; `*` alone: everybody whom the provider signs in. */
    domains: z
      .array(
        z
          .string()
          .toLowerCase()
          .regex(/^(\*|[a-z0-9-]+(\.[a-z0-9-]+)+)$/, 'is no domain like example.org'),
      )
      .min(1),
    /** What is asked of the provider. */
    openIdScopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)).default(['openid', 'email', 'profile']),
    /** The tenant of those whose tenant no claim names. */
    tenant: z.string().min(1).default('default'),
    /** Names of the claims that hold the person and, where the provider says it, the tenant and the rights. */
    claims: z
      .strictObject({
        person: z.string().min(1).default('sub'),
        tenant: z.string().min(1).optional(),
        scopes: z.string().min(1).optional(),
        steps: z.string().min(1).optional(),
        connections: z.string().min(1).optional(),
      })
      .prefault({}),
    /** Rights of people whose rights no claim names. */
    scopes: z.array(z.enum(personScopes)).default(['run', 'connections', 'read']),
    /** A claim and those of its values that make somebody an operator: all scopes in the tenant "default". */
    operators: z.strictObject({ claim: z.string().min(1), values: z.array(z.string().min(1)).min(1) }).optional(),
    firstUse: firstUseSettings(),
  }),
)

export type LoginSettings = z.infer<ReturnType<typeof loginSettings>>

export const loginName = ({ name, issuer }: Pick<LoginSettings, 'name' | 'issuer'>): string =>
  name ?? new URL(issuer).host
