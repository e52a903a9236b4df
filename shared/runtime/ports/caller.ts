import type { Scope } from '../../api/rules.ts'

/** Who asks. Every verb and every store call is scoped by `tenant`. */
export type Caller = {
  tenant: string
  /** Id of the token used (for audit and limits); absent in library use. */
  token?: string
  /** The agent start this call belongs to. */
  startId?: string
  /** Absent: everything (library use). */
  scopes?: Scope[]
  /** `integration/step` ids and connection ids a token is bound to; absent: all of the tenant. */
  steps?: string[]
  connections?: string[]
  /** The tool set a token is bound to; absent: any. */
  toolSet?: string
  /** When the token ends, in ms, where no row of the store says it: one of an identity provider. */
  expiresAt?: number
}
