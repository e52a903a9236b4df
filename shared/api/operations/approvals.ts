import { approval, approvalDetail, approvalFilter, approveBody, denyBody } from '../resources/approval.ts'
import { approvalRule, approvalRuleChanges, newApprovalRule } from '../resources/approval-rule.ts'
import { byId } from '../resources/fields.ts'
import { listOf, page } from '../resources/page.ts'
import { defineOperations } from '../operation.ts'

export const approvalOperations = defineOperations({
  listApprovals: {
    method: 'GET',
    path: '/v1/approvals',
    tag: 'Approvals',
    summary: 'List held runs',
    description:
      'Runs that wait for a decision, and what became of those that ended. A token with the scope `approvals`, `admin` or `read` sees all within its bounds; one with `run` alone sees those that it asked for.',
    input: { query: approvalFilter },
    output: { description: 'Newest first', schema: listOf(approval) },
    failures: [],
  },
  getApproval: {
    method: 'GET',
    path: '/v1/approvals/{id}',
    tag: 'Approvals',
    summary: 'Get a held run',
    description:
      'What would be sent, for whom, and what it may cost. Reading it decides nothing. Its content is removed a day after it ended, unless `TOOLYARD_RETENTION` says otherwise.',
    input: { params: byId },
    output: { description: 'The held run', schema: approvalDetail },
    failures: ['not_found'],
  },
  approveRun: {
    method: 'POST',
    path: '/v1/approvals/{id}/approve',
    tag: 'Approvals',
    summary: 'Approve a held run',
    description:
      'Sends exactly what was shown, once, even if this is repeated or the server restarts. `maxCredits` lowers what it may spend; it cannot raise it. Whoever made the call may not approve it, unless the rule says `by: caller`.',
    input: { params: byId, body: approveBody },
    output: { description: 'The run, which is being sent', schema: approvalDetail },
    failures: ['not_found', 'conflict', 'approval_expired'],
  },
  denyRun: {
    method: 'POST',
    path: '/v1/approvals/{id}/deny',
    tag: 'Approvals',
    summary: 'Deny a held run',
    description:
      'Ends the run; nothing is sent, and whoever made the call learns the reason. They may also deny it themselves, to withdraw it.',
    input: { params: byId, body: denyBody },
    output: { description: 'The denied run', schema: approvalDetail },
    failures: ['not_found', 'conflict', 'approval_expired'],
  },
  listApprovalRules: {
    method: 'GET',
    path: '/v1/approval-rules',
    tag: 'Approvals',
    summary: 'List approval rules',
    description: 'Which runs are held, and who decides about them. Rules of the operator come first.',
    input: { query: page },
    output: { description: 'The rules', schema: listOf(approvalRule) },
    failures: [],
  },
  createApprovalRule: {
    method: 'POST',
    path: '/v1/approval-rules',
    tag: 'Approvals',
    summary: 'Create an approval rule',
    description:
      'From now on, runs that meet its conditions are held before anything that changes or costs something is sent, on every interface. A job that is running goes on; resuming one asks.',
    input: { body: newApprovalRule },
    output: { status: 201, description: 'The rule', schema: approvalRule },
    failures: ['conflict'],
  },
  getApprovalRule: {
    method: 'GET',
    path: '/v1/approval-rules/{id}',
    tag: 'Approvals',
    summary: 'Get an approval rule',
    description: 'One rule, with its conditions and who decides.',
    input: { params: byId },
    output: { description: 'The rule', schema: approvalRule },
    failures: ['not_found'],
  },
  changeApprovalRule: {
    method: 'PATCH',
    path: '/v1/approval-rules/{id}',
    tag: 'Approvals',
    summary: 'Change an approval rule',
    description: 'Replaces the fields that are given. Runs that are held already keep the rule as it was.',
    input: { params: byId, body: approvalRuleChanges },
    output: { description: 'The rule', schema: approvalRule },
    failures: ['not_found', 'not_allowed'],
  },
  deleteApprovalRule: {
    method: 'DELETE',
    path: '/v1/approval-rules/{id}',
    tag: 'Approvals',
    summary: 'Delete an approval rule',
    description: 'Runs that it holds already still wait for a decision.',
    input: { params: byId },
    output: { status: 204, description: 'Deleted' },
    failures: ['not_found', 'not_allowed'],
  },
})
