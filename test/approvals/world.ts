import { movableClock } from '../support/clock.ts'
import { caller, openSandboxWorld } from '../support/world.ts'
import type { SandboxWorldOptions } from '../support/world.ts'
import type { Caller } from '../../shared/pack.ts'
import type { NewApprovalRule } from '../../shared/api/resources/approval-rule.ts'
import { findIds } from '../sandbox/board-client.ts'

/** Whoever asks, and somebody else who decides. */
export const agent: Caller = { ...caller, scopes: ['run'], person: 'ann' }
export const approver: Caller = { ...caller, scopes: ['approvals'] }

const hasEnded = (state: string) => ['done', 'denied', 'expired'].includes(state)

export const openApprovalWorld = async (options: SandboxWorldOptions = {}) => {
  const clock = movableClock()
  const world = await openSandboxWorld({
    accounts: 'all',
    clock,
    random: () => 0,
    sandbox: { board: { limits: { token: 100_000, key: 100_000, memberRoute: 100_000 } } },
    ...options,
  })
  const { pack, sandbox } = world
  return {
    ...world,
    clock,
    ids: findIds(sandbox.board),
    /** The requests that changed something at the board. */
    writes: () => sandbox.board.control.requests().filter(({ method }) => method !== 'GET'),
    rule: (rule: Partial<NewApprovalRule> = {}) =>
      pack.approvalRules.create(caller, { when: {}, by: 'approvers', expiresMinutes: 60, ...rule }),
    /** The held run, once it has ended or reached a state. */
    async until(id: string, isThere = hasEnded) {
      for (const end = performance.now() + 30_000; performance.now() < end;) {
        const approval = await pack.approvals.get(approver, id)
        if (isThere(approval.state)) return approval
        await new Promise((done) => setTimeout(done, 10))
      }
      throw new Error(`it is still ${(await pack.approvals.get(approver, id)).state}`)
    },
  }
}
export type ApprovalWorld = Awaited<ReturnType<typeof openApprovalWorld>>

type Ended = { ok: boolean; value?: unknown; failure?: { code: string; message: string; approval?: { id: string } } }

/** The id of the held run in the failure of a call. */
export const heldIn = (outcome: unknown): string => {
  const { failure } = outcome as Ended
  if (failure?.code !== 'approval_pending' || !failure.approval) throw new Error(`not held: ${JSON.stringify(outcome)}`)
  return failure.approval.id
}
