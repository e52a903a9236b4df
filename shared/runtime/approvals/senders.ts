import type { Failure, Outcome } from '#kit'
import type { Approval, Caller } from '../ports/index.ts'
import type { CallPlan } from './match.ts'
import type { Permit, ShownRequest } from './permits.ts'
import type { HeldContent } from './store-approval.ts'

/**
 * What a call would send now. `shown`: the requests that change or cost something. `state`: hash of what was read to
 * find out.
 */
export type SendPlan = CallPlan & { shown: readonly ShownRequest[]; state: string }

/** How one kind of call is sent. */
export type Sender = {
  /** Sends it, or finds that it may not be sent. */
  send(caller: Caller, content: HeldContent, permit: Permit, runId: string): Promise<Outcome>
  /** What it would send now. @throws Failure */
  plan?(caller: Caller, content: HeldContent): Promise<SendPlan>
  /** What identifies its connections now. @throws Failure */
  fingerprint(caller: Caller, content: HeldContent): Promise<string>
  /** Called when it ended without being sent. */
  ended?(row: Approval, content: HeldContent | undefined, failure: Failure): Promise<void>
}
export type Senders = { [kind in Approval['kind']]: Sender }
