import type { Json } from '#kit'
import type { NotificationType, Start } from '../../ports/index.ts'

/** What the platform receives: the body of the POST, or the argument of `onNotification`. */
export type PlatformNotification = {
  type: NotificationType
  /** When it was noticed, RFC 3339. */
  timestamp: string
  data: {
    /** The same however often it is sent. */
    id: string
    tenant: string
    /** The platform's own id and labels of what it is about. */
    externalId: string | null
    labels: Record<string, string>
    /** Sent for everything of this type and subject since then. */
    since?: string
    [name: string]: Json | undefined
  }
}

/** Receives notifications in library use. Resolving means that the platform has it; a rejection is retried later. */
export type OnNotification = (notification: PlatformNotification) => Promise<void>

/** Owner of the secrets of a tenant's notifications, which wait among the starts under this subscription. */
export const notificationsOwner = 'notifications'

/** They belong to no integration. */
export const isNotification = ({ integration, subscription }: Pick<Start, 'integration' | 'subscription'>) =>
  integration === '' && subscription === notificationsOwner
