import type { Json } from '#kit'
import type { NotificationType, Start } from '../../ports/index.ts'

/** What the platform receives: the body of the POST, or the argument of `onNotification`. */
export type PlatformNotification = {
  type: NotificationType
  /** When the reported fact was noticed, RFC 3339. */
  timestamp: string
  data: {
    /** Id of the notification, the same in every attempt. */
    id: string
    tenant: string
    /** The person whom the subscription acts for, or whose connection it is. Absent where it is about neither. */
    person?: string | null
    /** The platform's own id of the subscription or connection it is about, and its labels. */
    externalId: string | null
    labels: Record<string, string>
    /** Everything of this type and subject since this time (RFC 3339) is reported by this one notification. */
    since?: string
    [name: string]: Json | undefined
  }
}

/**
 * Receives notifications in library use. Resolving means that the platform has it; after a rejection it is sent again
 * later.
 */
export type OnNotification = (notification: PlatformNotification) => Promise<void>

/**
 * Owner of the secrets of a tenant's notification target. Notifications wait among the starts, under this subscription.
 */
export const notificationsOwner = 'notifications'

/** Whether a row among the starts is a notification: those belong to no integration. */
export const isNotification = ({ integration, subscription }: Pick<Start, 'integration' | 'subscription'>) =>
  integration === '' && subscription === notificationsOwner
