/** A code that signs a browser in. Valid once: taking it removes it. */
export type SignInCode = {
  /** SHA-256 of the code, hex; the code itself is only in the link. */
  hash: string
  tenant: string
  /** Id of the token that the session will be bound to. */
  token: string
  createdAt: number
  expiresAt: number
}

/** A signed-in browser. It always has the current permissions of its token. */
export type Session = {
  /** SHA-256 of the cookie's value, hex; the value itself is only in the browser. */
  hash: string
  tenant: string
  token: string
  createdAt: number
  /** Fixed: using the session does not extend it. */
  expiresAt: number
}

export type SessionStore = {
  signInCodes: {
    /** Adds a code, and keeps the newest `max` codes of its token. */
    add(code: SignInCode, max: number): Promise<void>
    /**
     * Uses up the code. Looks it up by the hash alone: the row names the tenant. Undefined when unknown, used or
     * expired.
     */
    take(hash: string, now: number): Promise<SignInCode | undefined>
  }
  sessions: {
    /** Adds a session, and keeps the newest `max` sessions of its token. */
    add(session: Session, max: number): Promise<void>
    /** Looks up by the hash alone: the row names the tenant. Undefined when unknown or expired. */
    get(hash: string, now: number): Promise<Session | undefined>
    remove(tenant: string, hash: string): Promise<boolean>
  }
}
