import { z } from '#kit'
import { notificationTypes } from '../../../pack.ts'
import { given } from '../filter.ts'
import { responses } from '../responses.ts'
import type { Routes } from '../parts.ts'
import { notificationTarget } from '../schemas-admin.ts'
import { secretRotation } from '../trigger-schemas.ts'
import { tenantId } from '../bounds.ts'

const tags = ['Admin']
const config = { access: ['admin' as const] }
const ofTenant = z.strictObject({ tenant: tenantId })

const newTarget = z.strictObject({
  tenant: tenantId,
  url: z.string().min(1).max(2048).describe('Notifications are sent here by signed POST. A private address must be one of the origins the operator allows'),
  types: z.array(z.enum(notificationTypes)).min(1).nullable().optional().describe('Absent or null: every type'),
  secret: z
    .string()
    .max(256)
    .optional()
    .describe('"whsec_" and 24 to 64 bytes in base64; absent: the present one stays, or one is created and returned only in this response'),
})

/** Where the platform is notified of what happens to a tenant. */
export const notificationRoutes: Routes = (app, { pack: { notifications } }) => {
  app.get(
    '/v1/admin/notifications',
    {
      config,
      schema: {
        operationId: 'getNotificationTarget',
        tags,
        summary: 'Get where the notifications of a tenant go',
        description: 'The address that is notified of connections, subscriptions, starts and gaps of a tenant. Needs the scope admin.',
        querystring: ofTenant,
        response: responses({ description: 'The address', schema: notificationTarget }, ['not_found']),
      },
    },
    async ({ caller, query }) => notifications.get({ ...caller, ...query }),
  )
  app.put(
    '/v1/admin/notifications',
    {
      config,
      schema: {
        operationId: 'putNotificationTarget',
        tags,
        summary: 'Set where the notifications of a tenant go',
        description:
          'Sets the address that is notified, by signed POST and at least once, of what happens to a tenant. Notifications are stored together with what they report and repeated like agent starts. Needs the scope admin.',
        body: newTarget,
        response: responses({ description: 'The address; secret is returned only here', schema: notificationTarget }, ['not_found'], { body: true }),
      },
    },
    async ({ caller, body: { tenant, ...target } }) => notifications.put({ ...caller, tenant }, target),
  )
  app.delete(
    '/v1/admin/notifications',
    {
      config,
      schema: {
        operationId: 'removeNotificationTarget',
        tags,
        summary: 'Stop notifications',
        description: 'Removes the address. What waits to be sent is dropped. Needs the scope admin.',
        querystring: ofTenant,
        response: responses({ status: 204, description: 'Removed' }, ['not_found']),
      },
    },
    async ({ caller, query }, reply) => {
      await notifications.remove({ ...caller, ...query })
      return reply.code(204).send()
    },
  )
  app.post(
    '/v1/admin/notifications/rotate-secret',
    {
      config,
      schema: {
        operationId: 'rotateNotificationSecret',
        tags,
        summary: 'Rotate the secret that signs notifications',
        description: 'Replaces the secret. Until the overlap ends, each notification is signed with both. Needs the scope admin.',
        body: secretRotation.extend({ tenant: tenantId }),
        response: responses({ description: 'The address; secret is returned only here', schema: notificationTarget }, ['not_found'], { body: true }),
      },
    },
    async ({ caller, body: { tenant, ...asked } }) => notifications.rotateSecret({ ...caller, tenant }, given(asked)),
  )
}
