import type { Scope } from '../../api/rules.ts'

/** Who makes a request. Every operation and every store call is limited to `tenant`. */
export type Caller = {
  tenant: string
  /** Id of the token used, for audit and limits; absent in library use. */
  token?: string
  /** The agent start that this call belongs to. */
  startId?: string
  /** Absent: all scopes (library use). */
  scopes?: Scope[]
  /** `integration/step` ids and connection ids that the token is bound to; absent: all of the tenant. */
  steps?: string[]
  connections?: string[]
  /**
   * The end user of the platform whom the call acts for, by the platform's own id. Such a call uses the person's
   * connections and the workspace's own.
   */
  person?: string
  /** The person is named in this call alone: the caller itself sees what other people have, too. */
  namesPerson?: true
  /** Ids of the connections of `person` and of nobody; added by the pack for callers that are bound to a person. */
  usable?: readonly string[]
  /** A program that a person let in: it may do nothing about budgets, the workspace or other programs. */
  program?: true
  /** The tool set that the token is bound to; absent: not bound to one. */
  toolSet?: string
  /**
   * When the token expires, in ms since epoch. Set only for tokens of an identity provider, which the store has no row
   * for.
   */
  expiresAt?: number
}
