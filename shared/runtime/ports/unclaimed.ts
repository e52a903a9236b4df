import type { SealedSecrets } from './vault.ts'

/** An event that arrived at the hook of an app, for an account that no connection has yet. */
export type UnclaimedEvent = {
  /** Tenant that owns the app; '' for the operator's. */
  tenant: string
  /** Hash over integration, account and event, so that a repeat is stored once. */
  id: string
  integration: string
  /** Id of the account at the provider. */
  account: string
  /** Id of the event at the provider. */
  event: string
  hook: string
  /** The sealed key that encrypts the content. */
  secrets: SealedSecrets
  content: Uint8Array
  receivedAt: number
  expiresAt: number
}
/** The columns that identify an event. */
export type UnclaimedName = Pick<UnclaimedEvent, 'tenant' | 'integration' | 'account' | 'event'>
/** Events that wait for the same account and arrived by the same hook. */
export type UnclaimedGroup = Pick<UnclaimedEvent, 'tenant' | 'integration' | 'account' | 'hook'>

export type UnclaimedStore = {
  unclaimed: {
    /**
     * Stores events that are new. If an app then has more than `most`, the surplus is removed: first from the account
     * with the most events, its oldest first. Returns how many were new, and which were removed. Refused when the disk
     * is nearly full.
     */
    add(rows: UnclaimedEvent[], most: number): Promise<{ added: number; displaced: UnclaimedName[] }>
    /** All groups of waiting events, of every app. */
    groups(): Promise<UnclaimedGroup[]>
    /** Oldest first. */
    of(group: UnclaimedGroup, limit: number): Promise<UnclaimedEvent[]>
    /** False when it was already gone. */
    remove(event: Pick<UnclaimedEvent, 'tenant' | 'id'>): Promise<boolean>
    /** Removes up to `limit` expired events and returns their names. `now`: see `starts.claim`. */
    expire(now: number, limit: number): Promise<UnclaimedName[]>
  }
}
