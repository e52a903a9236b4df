import type { Effect, FailureCode } from '#kit'
import type { Approval as ShownApproval } from '../../api/resources/approval.ts'
import type { RuleConditions, RuleDeciders } from '../../api/resources/approval-rule.ts'
import type { Listed, Page } from './paging.ts'
import type { Notice } from './notifications.ts'
import type { SealedSecrets } from './vault.ts'

export type ApprovalState = ShownApproval['state']

/** Which runs of a tenant wait for whose decision. */
export type ApprovalRule = {
  tenant: string
  id: string
  name: string | null
  when: RuleConditions
  by: RuleDeciders
  expiresMinutes: number
  createdAt: number
  updatedAt: number
}

/**
 * A run that is held until somebody decides. The call, what it would send and its outcome are sealed in `secrets`;
 * what is plain names no record.
 */
export type Approval = {
  tenant: string
  id: string
  state: ApprovalState
  kind: ShownApproval['kind']
  /**
   * Hash of caller and call: a repeat of the call finds the row by it. Null once the outcome was delivered or has aged,
   * so that the next such call is a new one. Unique in the tenant.
   */
  identity: string | null
  /** Counts the changes of the row. */
  revision: number
  integration: string
  step: string
  connection: string | null
  token: string | null
  /** Whom it acts for, or whose connection it uses; null: nobody. */
  person: string | null
  /** The person of the caller itself, who does not decide. */
  callerPerson: string | null
  /** As it is stored in the row of a run. */
  startId: string | null
  effect: Effect
  /** The most that it may cost, in credits; null: nothing, or nobody knows. */
  credits: number | null
  rule: string
  by: RuleDeciders
  /** Id of the run that sends it. */
  runId: string | null
  /** Id of the attempt that sends it: only that one may. */
  attempt: string | null
  /** Code of the failure that it ended with. */
  code: FailureCode | null
  decidedBy: string | null
  decidedAt: number | null
  /** `{}` once its content was erased or has aged. */
  secrets: SealedSecrets
  createdAt: number
  expiresAt: number
  /** When something is due: expiry, sending, or a look at what became of it. Null: nothing. */
  nextAt: number | null
  endedAt: number | null
}

export type ApprovalFilter = {
  states?: ApprovalState[]
  person?: string
  /** Those alone that this token asked for. */
  token?: string
}

export type ApprovalStore = {
  approvalRules: {
    /** False when the tenant has `max` rules. */
    add(rule: ApprovalRule, max: number): Promise<boolean>
    get(tenant: string, id: string): Promise<ApprovalRule | undefined>
    /** All rules of a tenant, oldest first; without a tenant, of every one. */
    list(tenant?: string): Promise<ApprovalRule[]>
    change(rule: ApprovalRule): Promise<boolean>
    remove(tenant: string, id: string): Promise<boolean>
  }
  approvals: {
    /**
     * Adds a row with its notices, unless the tenant has one with the same identity or `max` rows that are open. Refused
     * when the disk is nearly full.
     */
    add(approval: Approval, max: number, notices?: Notice[]): Promise<'added' | 'present' | 'full'>
    get(tenant: string, id: string): Promise<Approval | undefined>
    byIdentity(tenant: string, identity: string): Promise<Approval | undefined>
    /** Newest first; `secrets` are `{}` where they are long. */
    list(tenant: string, page: Page, filter?: ApprovalFilter): Promise<Listed<Approval>>
    /**
     * Changes a row and counts its revision; false when it was changed since it was read. A field that is null becomes
     * null, one that is absent stays.
     */
    change(
      of: Pick<Approval, 'tenant' | 'id' | 'revision'>,
      changes: Partial<Omit<Approval, 'tenant' | 'id' | 'revision' | 'createdAt'>>,
      notices?: Notice[],
    ): Promise<boolean>
    /** What is due by `now`, the longest due first, and of each tenant at most `ofTenant`. */
    due(now: number, limit: number, ofTenant: number): Promise<Approval[]>
    /** Tenants that have rules, or rows which a repeated call could find. */
    tenants(): Promise<string[]>
  }
}
