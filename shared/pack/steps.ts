import { fingerprintOf } from '../runtime/approvals/fingerprint.ts'
import { createKeyedQuota } from '../runtime/admin/quotas.ts'
import { storedAges } from '../runtime/admin/retention.ts'
import { createBulkJobs } from '../runtime/bulk-jobs/bulk-jobs.ts'
import { createLedger } from '../runtime/credits/ledger.ts'
import { createReservations } from '../runtime/credits/reservations.ts'
import { createIntents, hashRequest } from '../runtime/idempotency.ts'
import { createSuppressions } from '../runtime/privacy/suppressions.ts'
import { createWaterfall } from '../runtime/lookups/waterfall/waterfall.ts'
import { createUnwrittenEnds } from '../runtime/unwritten-ends.ts'
import { createRecovery } from '../runtime/recovery.ts'
import { createBackground } from '../runtime/steps/background.ts'
import { settleCutOff } from '../runtime/steps/record-first.ts'
import { digestOf } from '../runtime/admin/chosen-texts.ts'
import { createLookups } from '../runtime/lookups/lookups.ts'
import { createMerging } from '../runtime/endpoints/merged-lookups.ts'
import { createProvenEndpoints } from '../runtime/endpoints/proven-endpoints.ts'
import { createRunRecords } from '../runtime/steps/run-records.ts'
import { createRunSessions } from '../runtime/steps/run-sessions.ts'
import type { Causation } from '../runtime/steps/run-sessions.ts'
import { createSteps } from '../runtime/steps/run-step.ts'
import type { Steps } from '../runtime/steps/run-step.ts'
import { newRunId } from '../runtime/steps/run-id.ts'
import { createRuns } from '../runtime/steps/runs.ts'
import { createSharedRuns } from '../runtime/steps/shared-runs.ts'
import { createSamples } from '../runtime/steps/samples.ts'
import { checkOnceOf } from '../runtime/steps/wire-check-once.ts'
import { createWireCheck } from '../runtime/steps/wire-check.ts'
import type { CheckWire } from '../runtime/steps/wire-check.ts'
import type { Caller } from '../runtime/ports/index.ts'
import type { PackOptions } from '../pack-types.ts'
import { openApprovals } from './approvals.ts'
import type { OpenedHolds } from './approvals.ts'
import type { OpenedConnections } from './connections.ts'
import type { Foundation } from './foundation.ts'
import { notePerson } from './note-people.ts'

type StepsOptions = {
  /** Called for each run. */ onUse(): void
  options?: Pick<PackOptions, 'mergeLookups' | 'retention'>
}

/** Notes for whom each run acts, and makes it wait for the limits of its tenant. */
const withinLimits =
  (
    runStep: Steps['run'],
    { people, limits, startIds }: Pick<Foundation, 'people' | 'limits' | 'startIds'>,
    onUse: () => void,
  ): Steps['run'] =>
  (caller, call) => {
    onUse()
    if (call.person !== undefined || caller.person !== undefined) notePerson(people, caller, call.person)
    return limits.run(caller.tenant, call.signal, async () => {
      const startId = call.startId ?? caller.startId
      // Everything below sees a start id only in the form in which it is stored.
      return runStep(
        caller,
        startId === undefined ? call : { ...call, startId: await startIds.stored(caller.tenant, startId) },
      )
    })
  }

/** Opens everything about step runs; what an earlier process left unfinished is settled first. */
export const openSteps = async (
  foundation: Foundation,
  { openConnections, health, verbs, orderFor, linkFor }: OpenedConnections,
  causation: Causation,
  holds: OpenedHolds,
  { onUse, options: { mergeLookups = true, retention } = {} }: StepsOptions,
) => {
  const ages = { ...storedAges, ...retention?.ages }
  const {
    clock,
    log,
    store,
    leases,
    vault,
    gate,
    registry,
    audit,
    deferred,
    limits,
    files,
    privacy,
    tracing,
    flush,
    tenantKeys,
    startIds,
  } = foundation
  const intents = createIntents({ store, vault, clock, log, quota: createKeyedQuota({ store, quotas: limits, clock }) })
  // Only with a shared store: a store of one process settles at the next start what it did not take.
  const ends = store.cluster && createUnwrittenEnds()
  const settleOwed = async () => {
    await intents.settleOwed()
    await ends?.settle()
  }
  const settleRuns = (of?: string[]) => settleCutOff({ store, audit, clock, log }, of)
  const recovery = createRecovery({ store, leases, intents, settleRuns, settleOwed, log })
  await recovery.begin()
  const provenEndpoints = createProvenEndpoints({ store, clock, log })
  const lookups = createLookups({
    store,
    tenantKeys,
    clock,
    log,
    settings: { matchMs: ages.lookups, noMatchMs: ages.noMatches },
  })
  const merging = createMerging({ clock, isOn: mergeLookups })
  const reservations = createReservations({ store, log })
  const sessions = createRunSessions({
    gate,
    clock,
    store,
    causation,
    audit,
    provenEndpoints,
    lookups,
    merging,
    privacy,
    files,
    reservations,
  })
  const records = createRunRecords({ store, health, clock, log, audit, deferred, ends })
  const steps = createSteps({
    registry,
    openConnections,
    store,
    clock,
    intents,
    sessions,
    records,
    approvals: holds,
  })
  const runStep = tracing ? tracing.run(steps.run) : steps.run
  const run = withinLimits(runStep, foundation, onUse)
  const { usageOfPeople, ...runs } = createRuns({ store, registry, clock, flush, startIds })
  const shared = store.cluster && createSharedRuns({ store, registry, cluster: store.cluster, vault, clock })
  const check = checkOnceOf(
    { store, intents },
    createWireCheck({
      registry,
      store,
      openConnections,
      gate,
      provenEndpoints,
      health,
      clock,
      audit,
      reservations,
      privacy,
      hold: holds.hold,
    }),
  )
  const fingerprintOfStep = async (caller: Caller, of: { integration: string; step: string; connection?: string }) =>
    fingerprintOf(await openConnections.open(caller, registry.step(of.integration, of.step).loaded, of.connection))
  const rowPermit = holds.permits.forWhole()
  const bulkJobs = createBulkJobs({
    store,
    registry,
    files,
    vault,
    digestKey: async (tenant, key) => digestOf(await tenantKeys.of(tenant), 'job', key),
    leases,
    clock,
    log,
    keptMs: ages.jobs,
    flush,
    // A job waits as a whole, before its first row.
    run: (caller, call) => run(caller, call.dryRun ? call : { ...call, permit: rowPermit }),
    holds: { hold: holds.hold, fingerprint: fingerprintOfStep },
    suppressed: privacy.suppressed,
    resolve: createLedger({ store, registry, clock, flush }).resolveKnown,
  })
  const wireCheck: CheckWire = (caller, id, options) =>
    limits.run(caller.tenant, undefined, () => check(caller, id, options))
  const waterfall = createWaterfall({
    run,
    registry,
    connections: verbs,
    orderFor,
    linkFor,
    intents,
    clock,
    newId: newRunId,
    holds: {
      ...holds,
      async fingerprint(caller, { providers = [] }) {
        const prints: string[] = []
        for (const { integration, connection } of providers)
          prints.push(fingerprintOf(await openConnections.open(caller, registry.integration(integration), connection)))
        return hashRequest(prints)
      },
    },
  })
  const approvals = openApprovals(foundation, holds, {
    steps: { run: runStep, plan: steps.plan },
    lookups: waterfall,
    openConnections,
    jobs: bulkJobs.sender,
  })
  return {
    approvals,
    intents,
    recovery,
    wireCheck,
    usageOfPeople,
    run,
    lookups: waterfall,
    runs,
    background: createBackground({ run, runs, registry, clock, shared, startIds }),
    bulkJobs,
    suppressions: createSuppressions({ store, tenantKeys, clock }),
    samples: createSamples({ registry, store, vault, clock, ageMs: ages.samples }),
  }
}
export type OpenedSteps = Awaited<ReturnType<typeof openSteps>>
