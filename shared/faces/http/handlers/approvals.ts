import { omitUndefined } from '../filter.ts'
import type { approvalOperations } from '../../../api/operations/approvals.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

export const approvalHandlers = ({ pack }: HttpDependencies): Handlers<typeof approvalOperations> => ({
  listApprovals: ({ caller, query: { limit, cursor, ...filter } }) =>
    pack.approvals.list(caller, { limit, cursor }, omitUndefined(filter)),
  getApproval: ({ caller, params: { id } }) => pack.approvals.get(caller, id),
  approveRun: ({ caller, params: { id }, body }) => pack.approvals.approve(caller, id, body),
  denyRun: ({ caller, params: { id }, body }) => pack.approvals.deny(caller, id, body),
  listApprovalRules: ({ caller, query }) => pack.approvalRules.list(caller, query),
  createApprovalRule: async ({ caller, body }, reply) =>
    reply.code(201).send(await pack.approvalRules.create(caller, body)),
  getApprovalRule: ({ caller, params: { id } }) => pack.approvalRules.get(caller, id),
  changeApprovalRule: ({ caller, params: { id }, body }) => pack.approvalRules.patch(caller, id, body),
  deleteApprovalRule: async ({ caller, params: { id } }, reply) => {
    await pack.approvalRules.remove(caller, id)
    return reply.code(204).send()
  },
})
