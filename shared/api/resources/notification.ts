import { once, z } from '#kit'
import { tenantId } from './fields.ts'

/** The events that a platform can be notified of. */
export const notificationTypes = [
  'connection.created',
  'connection.needs_reconnect',
  'subscription.unhealthy',
  'start.dead',
  'gap.found',
  'deprecation.used',
  'budget.warned',
  'approval.requested',
  'approval.ended',
] as const

const time = z.iso.datetime()

export const notificationTarget = once(() =>
  z.object({
    tenant: z.string(),
    url: z.string().nullable(),
    types: z.array(z.enum(notificationTypes)).nullable().describe('null: every type'),
    secret: z.string().exactOptional().describe('Signs the notifications; returned only when it is created'),
    previousSecretUntil: time.nullable().describe('Until when notifications are signed with the previous secret too'),
    createdAt: time,
    updatedAt: time,
  }),
)

export type NotificationTarget = z.infer<ReturnType<typeof notificationTarget>>

export const newNotificationTarget = once(() =>
  z.strictObject({
    tenant: tenantId,
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe(
        'Notifications are sent here by signed POST. A private address must be one of the origins the operator allows',
      ),
    types: z.array(z.enum(notificationTypes)).min(1).nullable().optional().describe('Absent or null: every type'),
    secret: z
      .string()
      .max(256)
      .optional()
      .describe(
        '"whsec_" and 24 to 64 bytes in base64; absent: the present one stays, or one is created and returned only in this response',
      ),
  }),
)
