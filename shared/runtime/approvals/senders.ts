import type { Failure, Outcome } from '#kit'
import type { Approval, Caller } from '../ports/index.ts'
import type { SendPlan } from './match.ts'
import type { Permit } from './permits.ts'
import type { HeldContent } from './store-approval.ts'

/** How one kind of call is sent. */
export type Sender = {
  /** Sends it, or finds that it may not be sent. */
  send(approved: {
    /** Id of the held run. */ id: string
    caller: Caller
    content: HeldContent
    permit: Permit
    runId: string
  }): Promise<Outcome>
  /** What it would send now. @throws Failure */
  plan?(caller: Caller, content: HeldContent): Promise<SendPlan>
  /** What identifies its connections now. @throws Failure */
  fingerprint(caller: Caller, content: HeldContent): Promise<string>
  /** Called when it ended without being sent. */
  ended?(row: Approval, content: HeldContent | undefined, failure: Failure): Promise<void>
}
export type Senders = { [kind in Approval['kind']]: Sender }
