import type { Outcome } from '#kit'
import type { Approval, ApprovalDetail, ApproveBody, DenyBody } from '../../api/resources/approval.ts'
import type { ApprovalRule, ApprovalRuleChanges, NewApprovalRule } from '../../api/resources/approval-rule.ts'
import type { ApprovalState, Caller, Listed, Page } from '../ports/index.ts'

type ApprovalListFilter = { state?: ApprovalState | undefined; person?: string | undefined }

/** Runs that wait for somebody's decision. */
export type Approvals = {
  list(caller: Caller, page: Page, filter?: ApprovalListFilter): Promise<Listed<Approval>>
  /** @throws Failure `not_found` */
  get(caller: Caller, id: string): Promise<ApprovalDetail>
  /**
   * Has it sent, once. Approving again what is approved changes nothing.
   * @throws Failure `not_found`, `not_allowed`, `conflict`, `approval_expired`
   */
  approve(caller: Caller, id: string, decision?: ApproveBody): Promise<ApprovalDetail>
  /** @throws Failure `not_found`, `not_allowed`, `conflict`, `approval_expired` */
  deny(caller: Caller, id: string, decision?: DenyBody): Promise<ApprovalDetail>
  /**
   * What the caller's own call came to: while it waits, that failure; then its outcome, which counts as delivered. It is
   * what a repeat of the call gets, save that nothing is ever held or sent. `isKeyed`: the call has an idempotency key.
   * `isPeek`: undefined where it has ended, so that nothing is delivered.
   * @throws Failure `not_found`, also for the calls of others
   */
  outcome(
    caller: Caller,
    id: string,
    options?: { isKeyed?: boolean | undefined; isPeek?: boolean | undefined },
  ): Promise<Outcome | undefined>
}

/** Which runs are held, and who decides. */
export type ApprovalRules = {
  list(caller: Caller, page: Page): Promise<Listed<ApprovalRule>>
  get(caller: Caller, id: string): Promise<ApprovalRule>
  /** @throws Failure `invalid_input`, `not_found`, `conflict` when there are too many */
  create(caller: Caller, rule: NewApprovalRule): Promise<ApprovalRule>
  /** @throws Failure `not_allowed` for a rule of the operator */
  patch(caller: Caller, id: string, changes: ApprovalRuleChanges): Promise<ApprovalRule>
  remove(caller: Caller, id: string): Promise<void>
}
