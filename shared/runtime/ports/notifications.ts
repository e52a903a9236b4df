import type { Json } from '#kit'
import type { SealedSecrets } from './vault.ts'
import type { notificationTypes } from '../../api/resources/notification.ts'

export type NotificationType = (typeof notificationTypes)[number]

/**
 * Something the platform should know. It is stored in the same commit as what it reports, and sent like an agent start.
 */
export type Notice = {
  tenant: string
  type: NotificationType
  /**
   * What it is about. Of one type and subject at most one is sent per window; what is noticed meanwhile is sent
   * together at its end.
   */
  about: string
  windowMs: number
  at: number
  /** The connection it belongs to; '' for none. */
  connection: string
  data: { [name: string]: Json }
}

/** Where the notifications of a tenant go. */
export type NotificationTarget = {
  tenant: string
  /** Null where an `onNotification` callback takes them. */
  url: string | null
  /** Null: every type. */
  types: NotificationType[] | null
  /** The signing secret and, until `previousUntil`, the one before, sealed. */
  secrets: SealedSecrets
  previousUntil: number | null
  createdAt: number
  updatedAt: number
}

export type NotificationStore = {
  notifications: {
    get(tenant: string): Promise<NotificationTarget | undefined>
    put(target: NotificationTarget): Promise<void>
    /** What waits to be sent ends with it. */
    remove(tenant: string, at: number): Promise<boolean>
    /** Stores notices that report nothing else that is stored. */
    add(notices: Notice[]): Promise<void>
  }
}
