/** A code that signs a browser in. Valid once; taking it removes it. */
export type SignInCode = {
  /** SHA-256 of the code, hex; the code itself is in the link only. */
  hash: string
  tenant: string
  /** Id of the token that the session will be bound to. */
  token: string
  createdAt: number
  expiresAt: number
}

/** A signed-in browser. It has the current permissions of its token. */
export type Session = {
  /** SHA-256 of the cookie's value, hex; the value itself is in the browser only. */
  hash: string
  tenant: string
  token: string
  createdAt: number
  /** Use does not extend it. */
  expiresAt: number
}

export type SessionStore = {
  signInCodes: {
    /** Of the codes of a token, the newest `max` stay. */
    add(code: SignInCode, max: number): Promise<void>
    /** The single use, by the hash alone: the row names the tenant. Undefined when unknown, used or expired. */
    take(hash: string, now: number): Promise<SignInCode | undefined>
  }
  sessions: {
    /** Of the sessions of a token, the newest `max` stay. */
    add(session: Session, max: number): Promise<void>
    /** By the hash alone: the row names the tenant. Undefined when unknown or expired. */
    get(hash: string, now: number): Promise<Session | undefined>
    remove(tenant: string, hash: string): Promise<boolean>
  }
}
