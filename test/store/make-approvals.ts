import type { Approval, ApprovalRule } from '../../shared/runtime/ports/index.ts'
import { t0 } from './make.ts'

export const approvalRule = (tenant: string, id: string, over: Partial<ApprovalRule> = {}): ApprovalRule => ({
  tenant,
  id,
  name: 'Costly lookups',
  when: { integrations: ['work-board'], creditsOver: 2.5, people: ['ann'] },
  by: { people: ['bea'], tokens: ['tok1'] },
  expiresMinutes: 60,
  createdAt: t0,
  updatedAt: t0,
  ...over,
})

/** One that waits, with every field filled that one may have. */
export const approval = (tenant: string, id: string, over: Partial<Approval> = {}): Approval => ({
  tenant,
  id,
  state: 'open',
  kind: 'step',
  identity: `identity-${id}`,
  revision: 0,
  integration: 'work-board',
  step: 'create-card',
  connection: 'c1',
  token: 'tok1',
  person: 'ann',
  callerPerson: 'ann',
  startId: 'dig_start',
  effect: 'create',
  credits: 2.5,
  rule: 'rule',
  by: 'approvers',
  runId: 'run1',
  attempt: 'attempt1',
  code: 'outcome_unknown',
  decidedBy: 'tok2',
  decidedAt: t0 + 1,
  secrets: { content: 'v1.k.a.b.c' },
  createdAt: t0,
  expiresAt: t0 + 3_600_000,
  nextAt: t0 + 3_600_000,
  endedAt: null,
  ...over,
})
