import type { Scope } from '../../api/rules.ts'
import type { Policy } from '../../api/resources/policy.ts'
import type { TenantLimits } from '../../api/resources/tenant-limits.ts'

export type { TenantLimits }

export type Tenant = { id: string; name: string; createdAt: number; policy?: TenantPolicy | null }
/** What the operator sets for a tenant. Absent parts fall back to the server's settings. */
export type TenantPolicy = Policy

export type Token = {
  id: string
  tenant: string
  name: string
  /** SHA-256 of the token text, hex; the text itself is shown once and never stored. */
  hash: string
  last4: string
  scopes: Scope[]
  steps: string[] | null
  connections: string[] | null
  toolSet?: string | null
  /** The person the token acts for; null: nobody. */
  person?: string | null
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  /**
   * How the server itself created the token: from the setting, at the first start, or for somebody whom an OpenID
   * provider signed in (`login`, a token without a text); `superseded`: one of the first two that a newer one replaced.
   * `grant`: the rights of a grant, without a text. Null for all other tokens.
   */
  origin?: 'environment' | 'first-start' | 'superseded' | 'login' | 'grant' | null
}

export type TenantStore = {
  tenants: {
    add(tenant: Tenant): Promise<void>
    get(id: string): Promise<Tenant | undefined>
    list(): Promise<Tenant[]>
    patch(id: string, changes: Partial<Pick<Tenant, 'name' | 'policy'>>): Promise<boolean>
  }
  /** The master keys, wrapped by the platform's own key management; opaque text. */
  keyring: {
    get(): Promise<string | undefined>
    put(text: string): Promise<void>
    /** Inserts the text unless there is one; returns the stored one. */
    putFirst(text: string): Promise<string>
  }
  tokens: {
    add(token: Token): Promise<void>
    /** The only lookup without a tenant: the row names the tenant. */
    byHash(hash: string): Promise<Token | undefined>
    get(tenant: string, id: string): Promise<Token | undefined>
    list(tenant: string): Promise<Token[]>
    revoke(tenant: string, id: string, at: number): Promise<boolean>
    patch(
      tenant: string,
      id: string,
      changes: Partial<Omit<Token, 'tenant' | 'id' | 'person' | 'createdAt' | 'last4' | 'toolSet'>>,
    ): Promise<boolean>
  }
}
