import type { SealedSecrets } from './vault.ts'

/** An event of an account that no connection has yet, delivered to the hook of an app. */
export type UnclaimedEvent = {
  /** Whose app it is; '' for the operator's. */
  tenant: string
  /** Of integration, account and event, so that a repeat is stored once. */
  id: string
  integration: string
  /** Id of the account at the provider. */
  account: string
  /** Id of the event at the provider. */
  event: string
  hook: string
  /** The key its content is encrypted with, sealed. */
  secrets: SealedSecrets
  content: Uint8Array
  receivedAt: number
  expiresAt: number
}
/** Which event that was. */
export type UnclaimedName = Pick<UnclaimedEvent, 'tenant' | 'integration' | 'account' | 'event'>
/** Events that wait for the same account and came by the same hook. */
export type UnclaimedGroup = Pick<UnclaimedEvent, 'tenant' | 'integration' | 'account' | 'hook'>

export type UnclaimedStore = {
  unclaimed: {
    /**
     * Stores those that are not there yet. Of an app with more than `most` then, the surplus goes: that of the account
     * with the most events, its oldest first. Gives how many were new, and which went. Refused when the disk is nearly
     * full.
     */
    add(rows: UnclaimedEvent[], most: number): Promise<{ added: number; displaced: UnclaimedName[] }>
    /** What waits, of every app. */
    groups(): Promise<UnclaimedGroup[]>
    /** Oldest first. */
    of(group: UnclaimedGroup, limit: number): Promise<UnclaimedEvent[]>
    /** False when it was gone. */
    remove(event: Pick<UnclaimedEvent, 'tenant' | 'id'>): Promise<boolean>
    /** Removes up to `limit` whose time is over and gives which. `now`: see `starts.claim`. */
    expire(now: number, limit: number): Promise<UnclaimedName[]>
  }
}
