import { ofTenant, tenantId } from '../resources/fields.ts'
import { newNotificationTarget, notificationTarget } from '../resources/notification.ts'
import { secretRotation } from '../resources/secret-rotation.ts'
import { defineOperations } from '../operation.ts'

export const notificationOperations = defineOperations({
  getNotificationTarget: {
    method: 'GET',
    path: '/v1/admin/notifications',
    tag: 'Admin',
    summary: 'Get where the notifications of a tenant go',
    description:
      'The address that is notified of connections, subscriptions, starts and gaps of a tenant. Needs the scope admin.',
    input: { query: ofTenant },
    output: { description: 'The address', schema: notificationTarget },
    failures: ['not_found'],
  },
  putNotificationTarget: {
    method: 'PUT',
    path: '/v1/admin/notifications',
    tag: 'Admin',
    summary: 'Set where the notifications of a tenant go',
    description:
      'Sets the address that is notified, by signed POST and at least once, of what happens to a tenant. Notifications are stored together with what they report and repeated like agent starts. Needs the scope admin.',
    input: { body: newNotificationTarget },
    output: { description: 'The address; secret is returned only here', schema: notificationTarget },
    failures: ['not_found'],
  },
  removeNotificationTarget: {
    method: 'DELETE',
    path: '/v1/admin/notifications',
    tag: 'Admin',
    summary: 'Stop notifications',
    description: 'Removes the address. What waits to be sent is dropped. Needs the scope admin.',
    input: { query: ofTenant },
    output: { status: 204, description: 'Removed' },
    failures: ['not_found'],
  },
  rotateNotificationSecret: {
    method: 'POST',
    path: '/v1/admin/notifications/rotate-secret',
    tag: 'Admin',
    summary: 'Rotate the secret that signs notifications',
    description:
      'Replaces the secret. Until the overlap ends, each notification is signed with both. Needs the scope admin.',
    input: { body: () => secretRotation().extend({ tenant: tenantId }) },
    output: { description: 'The address; secret is returned only here', schema: notificationTarget },
    failures: ['not_found'],
  },
})
