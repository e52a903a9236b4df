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
    summary: 'List runs that wait for a decision',
    description:
      'Runs that a rule held, and what became of them. A token with the scope `approvals`, `admin` or `read` sees all that its bounds allow; with `run` alone it sees those that it asked for itself, and those that it may decide.',
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
      'What would be sent, for whom, and what it may cost. Reading it decides nothing. Its content is removed a day after it ended.',
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
      'Sends exactly what was shown, once, even if this is repeated or the server restarts. `maxCredits` may lower what it may spend, never raise it. Whoever made the call may not approve it, unless its rule says `by: caller`.',
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
      'Ends it; nothing is sent, and whoever made the call learns the reason. Whoever made the call may withdraw it so.',
    input: { params: byId, body: denyBody },
    output: { description: 'The denied run', schema: approvalDetail },
    failures: ['not_found', 'conflict', 'approval_expired'],
  },
  listApprovalRules: {
    method: 'GET',
    path: '/v1/approval-rules',
    tag: 'Approvals',
    summary: 'List approval rules',
    description: 'Which runs wait for whose decision, first those of the operator.',
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
      'From now on, runs that meet its conditions are held before anything that changes or costs is sent, whichever way they come. A job that is under way is not; resuming one asks.',
    input: { body: newApprovalRule },
    output: { status: 201, description: 'The rule', schema: approvalRule },
    failures: ['conflict', 'not_found'],
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
    description: 'Runs that it has held still wait.',
    input: { params: byId },
    output: { status: 204, description: 'Deleted' },
    failures: ['not_found', 'not_allowed'],
  },
})
