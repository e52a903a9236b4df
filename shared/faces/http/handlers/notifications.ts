import { given } from '../filter.ts'
import type { notificationOperations } from '../../../api/operations/notifications.ts'
import type { Handlers } from '../operations.ts'
import type { Parts } from '../parts.ts'

export const notificationHandlers = ({ pack }: Parts): Handlers<typeof notificationOperations> => ({
  getNotificationTarget: async ({ caller, query }) => pack.notifications.get({ ...caller, ...query }),
  putNotificationTarget: async ({ caller, body: { tenant, ...target } }) => pack.notifications.put({ ...caller, tenant }, target),
  removeNotificationTarget: async ({ caller, query }, reply) => {
    await pack.notifications.remove({ ...caller, ...query })
    return reply.code(204).send()
  },
  rotateNotificationSecret: async ({ caller, body: { tenant, ...asked } }) => pack.notifications.rotateSecret({ ...caller, tenant }, given(asked)),
})
