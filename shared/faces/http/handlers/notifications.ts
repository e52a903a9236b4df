import { omitUndefined } from '../filter.ts'
import type { notificationOperations } from '../../../api/operations/notifications.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const notificationHandlers = ({ pack }: HttpDependencies): Handlers<typeof notificationOperations> => ({
  getNotificationTarget: async ({ caller, query }) => pack.notifications.get({ ...caller, ...query }),
  putNotificationTarget: async ({ caller, body: { tenant, ...target } }) =>
    pack.notifications.put({ ...caller, tenant }, target),
  removeNotificationTarget: async ({ caller, query }, reply) => {
    await pack.notifications.remove({ ...caller, ...query })
    return reply.code(204).send()
  },
  rotateNotificationSecret: async ({ caller, body: { tenant, ...rotation } }) =>
    pack.notifications.rotateSecret({ ...caller, tenant }, omitUndefined(rotation)),
})
