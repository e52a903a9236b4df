import { createKeyedQuota } from '../runtime/admin/quotas.ts'
import { storedAges } from '../runtime/admin/retention.ts'
import { createReservations } from '../runtime/credits/reservations.ts'
import { createIntents } from '../runtime/idempotency.ts'
import { createSuppressions } from '../runtime/privacy/suppressions.ts'
import { createUnwrittenEnds } from '../runtime/unwritten-ends.ts'
import { createRecovery } from '../runtime/recovery.ts'
import { createBackground } from '../runtime/steps/background.ts'
import { settleCutOff } from '../runtime/steps/record-first.ts'
import { createLookups } from '../runtime/lookups/lookups.ts'
import { createMerging } from '../runtime/endpoints/merged-lookups.ts'
import { createProvenEndpoints } from '../runtime/endpoints/proven-endpoints.ts'
import { createRunRecords } from '../runtime/steps/run-records.ts'
import { createRunSessions } from '../runtime/steps/run-sessions.ts'
import type { Caller } from '../runtime/ports/index.ts'
import type { Causation } from '../runtime/steps/run-sessions.ts'
import { createSteps } from '../runtime/steps/run-step.ts'
import type { Steps } from '../runtime/steps/run-step.ts'
import { createRuns } from '../runtime/steps/runs.ts'
import { createSharedRuns } from '../runtime/steps/shared-runs.ts'
import { createSamples } from '../runtime/steps/samples.ts'
import { checkOnceOf } from '../runtime/steps/wire-check-once.ts'
import { createWireCheck } from '../runtime/steps/wire-check.ts'
import type { CheckWire } from '../runtime/steps/wire-check.ts'
import type { PackOptions } from '../pack-types.ts'
import type { OpenedHolds } from './approvals.ts'
import type { OpenedConnections } from './connections.ts'
import type { Foundation } from './foundation.ts'
import { notePerson } from './note-people.ts'
import { openPeopleLists } from './people-lists.ts'
import { openWholes } from './wholes.ts'

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
  async (caller, call) => {
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

/**
 * Counts each call against the limit of its person. Only what somebody calls is counted: not the parts of a lookup, of
 * a list or of a job, which would else end in the middle, with what it has cost.
 */
const countedByPerson =
  <Call extends { person?: string | undefined }, Done>(
    { people, limits }: Pick<Foundation, 'people' | 'limits'>,
    verb: (caller: Caller, call: Call) => Promise<Done>,
  ) =>
  async (caller: Caller, call: Call): Promise<Done> => {
    if (call.person !== undefined || caller.person !== undefined) {
      const person = notePerson(people, caller, call.person)
      if (person !== undefined) limits.admitPerson(caller.tenant, person)
    }
    return verb(caller, call)
  }

/** Opens everything about step runs; what an earlier process left unfinished is settled first. */
export const openSteps = async (
  foundation: Foundation,
  connections: OpenedConnections,
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
    tenantKeys,
    startIds,
    contents,
    names,
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
  const { openConnections, health } = connections
  const records = createRunRecords({ store, health, clock, log, audit, deferred, ends, contents, names })
  const steps = createSteps({ registry, openConnections, store, clock, intents, sessions, records, approvals: holds })
  const runStep = tracing ? tracing.run(steps.run) : steps.run
  const run = withinLimits(runStep, foundation, onUse)
  const { usageOfPeople, ...runs } = createRuns(foundation)
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
  const {
    bulkJobs,
    lookups: waterfall,
    approvals,
  } = openWholes({
    foundation,
    connections,
    holds,
    steps: { ...steps, run: runStep },
    run,
    intents,
    ages,
  })
  const wireCheck: CheckWire = (caller, id, options) =>
    limits.run(caller.tenant, undefined, () => check(caller, id, options))
  const counted = countedByPerson(foundation, run)
  const background = createBackground({ run: counted, runs, registry, clock, shared, startIds })
  return {
    approvals,
    intents,
    recovery,
    wireCheck,
    usageOfPeople,
    run: counted,
    lookups: { ...waterfall, run: countedByPerson(foundation, waterfall.run) },
    runs,
    background,
    peopleLists: openPeopleLists(foundation, background, run),
    bulkJobs,
    suppressions: createSuppressions({ store, tenantKeys, clock }),
    samples: createSamples({ registry, store, vault, clock, ageMs: ages.samples }),
  }
}
export type OpenedSteps = Awaited<ReturnType<typeof openSteps>>
