import { isFailure } from '#kit'
import { openEntry } from '../runtime/lookups/cache.ts'
import { openListRow } from '../runtime/people-lists/sealed-rows.ts'
import { auditRowsOf } from '../runtime/privacy/audit-rows.ts'
import { readIdentifier } from '../runtime/privacy/identifiers.ts'
import { createPersonsData } from '../runtime/privacy/persons-data.ts'
import { digestPlainKeys } from '../runtime/privacy/plain-keys.ts'
import { storedIn } from '../runtime/privacy/stored-data.ts'
import type { Suppressions } from '../runtime/privacy/suppressions.ts'
import { createOptOuts, isForOptOuts } from '../runtime/triggers/inbound/opt-outs.ts'
import type { OptOut } from '../runtime/triggers/inbound/opt-outs.ts'
import { openUnclaimed } from '../runtime/triggers/inbound/unclaimed.ts'
import type { Triggers } from '../runtime/triggers/index.ts'
import type { OpenedConnections } from './connections.ts'
import type { Foundation } from './foundation.ts'
import type { OpenedSteps } from './steps.ts'

/** Export and erasure of what is stored about people. */
export const openPrivacy = (
  { store, vault, clock, log, audit, tenantKeys, names, flush }: Foundation,
  { suppressions, background, bulkJobs }: OpenedSteps,
) => {
  const stored = storedIn({
    store,
    vault,
    openLookup: async ({ tenant, key, texts, content }) =>
      openEntry(await tenantKeys.of(tenant), { tenant, id: key[0]!, connection: texts[0]!, content: content! }),
    openUnclaimed: ({ tenant, key, secrets, content }) =>
      openUnclaimed(vault, { tenant, id: key[0]!, secrets: secrets!, content: content! }),
    openListRow: ({ tenant, key: [id, at], secrets, content }) =>
      openListRow(vault, { tenant, id: id!, secrets: secrets! }, Number(at), content!),
  })
  return createPersonsData({
    store,
    tenantKeys,
    suppressions,
    clock,
    audit,
    flush,
    // Jobs first: they look for people in files, which are erased after that.
    parts: [bulkJobs.ofPeople, stored],
    fixed: [auditRowsOf(store)],
    digestKeys: (tenant) => digestPlainKeys({ store, tenantKeys, log }, tenant),
    async forget(tenant) {
      background.forget(tenant)
      names.forget(tenant)
      await store.cluster?.tell({ kind: 'erased', tenant, id: '' })
    },
  })
}

type ReceiverDependencies = {
  suppressions: Pick<Suppressions, 'add'>
  triggers: Pick<Triggers, 'receive'>
  /** Called for each delivery. */ onUse(): void
}

/** Receives what providers send: deliveries to hooks, and people who opted out. */
export const openReceiver = (
  { registry, clock, log }: Foundation,
  { apps }: Pick<OpenedConnections, 'apps'>,
  { suppressions, triggers, onUse }: ReceiverDependencies,
): Triggers['receive'] => {
  const isReadable = (entry: OptOut) => {
    try {
      readIdentifier(entry, '')
      return true
    } catch (thrown) {
      if (isFailure(thrown)) return false
      throw thrown
    }
  }
  const optOuts = createOptOuts({ registry, apps, clock, log, suppress: suppressions.add, isReadable })
  return (delivery) => {
    onUse()
    return isForOptOuts(delivery.hookId) ? optOuts.receive(delivery) : triggers.receive(delivery)
  }
}
