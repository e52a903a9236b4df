import { createKeyedQuota } from '../runtime/admin/quotas.ts'
import { createIntents } from '../runtime/idempotency.ts'
import { createBackground } from '../runtime/steps/background.ts'
import { settleCutOff } from '../runtime/steps/record-first.ts'
import { createMatches } from '../runtime/steps/matches.ts'
import { createRunRecords } from '../runtime/steps/run-records.ts'
import { createRunSessions } from '../runtime/steps/run-sessions.ts'
import type { Causation } from '../runtime/steps/run-sessions.ts'
import { createSteps } from '../runtime/steps/run-step.ts'
import type { Steps } from '../runtime/steps/run-step.ts'
import { createRuns } from '../runtime/steps/runs.ts'
import { createSamples } from '../runtime/steps/samples.ts'
import { checkOnceOf } from '../runtime/steps/wire-check-once.ts'
import { createWireCheck } from '../runtime/steps/wire-check.ts'
import type { CheckWire } from '../runtime/steps/wire-check.ts'
import type { OpenedConnections } from './connections.ts'
import type { Foundation } from './foundation.ts'

/** Everything about step runs; what an earlier process left unfinished is settled first. `onUse`: called for each run. */
export const openSteps = async (foundation: Foundation, { openConnections, health }: OpenedConnections, causation: Causation, onUse: () => void) => {
  const { clock, log, store, vault, wire, registry, audit, deferred, limits, files, tracing, flush } = foundation
  const intents = createIntents({ store, vault, clock, log, quota: createKeyedQuota({ store, quotas: limits, clock }) })
  await intents.settle()
  await settleCutOff({ store, audit, log })
  const matches = createMatches({ store, clock, log })
  const sessions = createRunSessions({ wire, clock, store, causation, audit, matches, files })
  const records = createRunRecords({ store, health, clock, log, audit, deferred })
  const steps = createSteps({ registry, openConnections, store, clock, intents, sessions, records })
  const runStep = tracing ? tracing.run(steps.run) : steps.run
  const run: Steps['run'] = (caller, call) => {
    onUse()
    return limits.run(caller.tenant, call.signal, () => runStep(caller, call))
  }
  const runs = createRuns({ store, clock, flush })
  const check = checkOnceOf({ store, intents }, createWireCheck({ registry, store, openConnections, wire, matches, health, clock, audit }))
  const wireCheck: CheckWire = (caller, id, asked) => limits.run(caller.tenant, undefined, () => check(caller, id, asked))
  return {
    intents,
    wireCheck,
    run,
    runs,
    background: createBackground({ run, runs, registry, clock }),
    samples: createSamples({ registry, store, vault, clock }),
  }
}
export type OpenedSteps = Awaited<ReturnType<typeof openSteps>>
