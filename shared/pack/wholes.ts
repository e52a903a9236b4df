import { isFailure, mayPassLater } from '#kit'
import { digestOf } from '../runtime/admin/chosen-texts.ts'
import type { storedAges } from '../runtime/admin/retention.ts'
import { fingerprintOf } from '../runtime/approvals/fingerprint.ts'
import { createBulkJobs } from '../runtime/bulk-jobs/bulk-jobs.ts'
import { createLedger } from '../runtime/credits/ledger.ts'
import { hashRequest } from '../runtime/idempotency.ts'
import type { Intents } from '../runtime/idempotency.ts'
import { createJobLists } from '../runtime/people-lists/job-lists.ts'
import { createWaterfall } from '../runtime/lookups/waterfall/waterfall.ts'
import type { LookupCall } from '../runtime/lookups/waterfall/waterfall.ts'
import { newRunId } from '../runtime/steps/run-id.ts'
import type { Steps } from '../runtime/steps/run-step.ts'
import type { Caller } from '../runtime/ports/index.ts'
import { openApprovals } from './approvals.ts'
import type { OpenedHolds } from './approvals.ts'
import type { OpenedConnections } from './connections.ts'
import type { Foundation } from './foundation.ts'

/** A provider whose account cannot be opened is not asked; what may pass is no answer to what identifies it. */
const unlessForNow = (thrown: unknown): string => {
  if (!isFailure(thrown) || mayPassLater(thrown)) throw thrown
  return thrown.code
}

type WholesDependencies = {
  foundation: Foundation
  connections: Pick<OpenedConnections, 'openConnections' | 'verbs' | 'orderFor' | 'linkFor'>
  holds: OpenedHolds
  steps: Steps
  /** Runs a step within the limits of its tenant. */
  run: Steps['run']
  intents: Intents
  ages: typeof storedAges
}

/** Opens what consists of several runs, and what sends runs that were approved: each waits for a decision as a whole. */
export const openWholes = ({ foundation, connections, holds, steps, run, intents, ages }: WholesDependencies) => {
  const { clock, log, store, leases, vault, registry, files, privacy, pricing, flush, tenantKeys, startIds } =
    foundation
  const { openConnections, verbs, orderFor, linkFor } = connections
  const ofConnection = async (caller: Caller, integration: string, connection: string | undefined) =>
    fingerprintOf(await openConnections.open(caller, registry.integration(integration), connection))
  const ofLookup = async (caller: Caller, { providers = [] }: Pick<LookupCall, 'providers'>) => {
    const prints: string[] = []
    for (const { integration, connection } of providers)
      prints.push(await ofConnection(caller, integration, connection).catch(unlessForNow))
    return hashRequest(prints)
  }
  const rowPermit = holds.permits.forWhole()
  const bulkJobs = createBulkJobs({
    store,
    registry,
    files,
    lists: createJobLists({
      store,
      vault,
      files,
      clock,
      suppressed: privacy.suppressed,
      removeFile: store.files.remove,
    }),
    vault,
    digestKey: async (tenant, key) => digestOf(await tenantKeys.of(tenant), 'job', key),
    leases,
    clock,
    log,
    keptMs: ages.jobs,
    flush,
    // A job waits as a whole, before its first row.
    run: (caller, call) => run(caller, call.dryRun ? call : { ...call, permit: rowPermit }),
    holds: {
      hold: holds.hold,
      fingerprint: (caller, { integration, connection }) => ofConnection(caller, integration, connection),
    },
    suppressed: privacy.suppressed,
    simulate: (caller, question) => lookups.simulate(caller, question),
    trace: foundation.tracing?.job,
    resolve: createLedger({ store, registry, clock, pricing, flush }).resolveKnown,
  })
  const lookups = createWaterfall({
    run,
    registry,
    connections: verbs,
    orderFor,
    linkFor,
    intents,
    clock,
    log,
    store,
    newId: newRunId,
    holds: {
      ...holds,
      fingerprint: ofLookup,
      storedStart: startIds.stored,
    },
  })
  const approvals = openApprovals(foundation, holds, {
    steps,
    lookups,
    ofConnection,
    ofLookup,
    jobs: bulkJobs.sender,
  })
  return { bulkJobs, lookups: { run: lookups.run }, approvals }
}
