import type { Json } from '#kit'
import type { SealedSecrets } from './vault.ts'
import type { notificationTypes } from '../../api/resources/notification.ts'

export type NotificationType = (typeof notificationTypes)[number]

/**
 * Something the platform should know. It is stored in the same commit as the change it reports, and delivered like an
 * agent start.
 */
export type Notice = {
  tenant: string
  type: NotificationType
  /**
   * Subject, for rate limiting: per type and subject at most one notification is sent per window. Notices that arrive
   * within the window are sent together at its end.
   */
  about: string
  windowMs: number
  at: number
  /** Id of the connection it belongs to; '' for none. */
  connection: string
  data: { [name: string]: Json }
}

/** Where the notifications of a tenant go. */
export type NotificationTarget = {
  tenant: string
  /** Null when an `onNotification` callback receives them. */
  url: string | null
  /** Null: all types. */
  types: NotificationType[] | null
  /** The sealed signing secret and, until `previousUntil` (ms since epoch), the previous one. */
  secrets: SealedSecrets
  previousUntil: number | null
  createdAt: number
  updatedAt: number
}

export type NotificationStore = {
  notifications: {
    get(tenant: string): Promise<NotificationTarget | undefined>
    put(target: NotificationTarget): Promise<void>
    /** Removes the target and cancels its pending notifications. */
    remove(tenant: string, at: number): Promise<boolean>
    /** Stores notices that accompany no other write. */
    add(notices: Notice[]): Promise<void>
  }
}
