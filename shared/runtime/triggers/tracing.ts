import type { Store } from '../ports/index.ts'
import type { AgentWire } from '../../wire/types.ts'
import type { Admit } from './admit.ts'
import type { Verify } from './inbound/verification.ts'
import type { Attempt } from './starts/attempt.ts'

/** Adds spans to what the trigger runtime does, from a delivery to the call of the agent. */
export type TriggerTracing = {
  verify(verify: Verify): Verify
  admit(admit: Admit): Admit
  commit(ingest: Store['ingest']): Store['ingest']
  attempt(attempt: Attempt): Attempt
  deliver(deliver: AgentWire['deliver']): AgentWire['deliver']
}
