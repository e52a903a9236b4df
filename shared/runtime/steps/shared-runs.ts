import type { Json, Outcome } from '#kit'
import type { Registry } from '../catalogue/registry.ts'
import type { Caller, Clock, Cluster, SealedSecrets, Store, Vault } from '../ports/index.ts'
import { isVisible } from '../bounds.ts'
import type { RunDetail } from './runs.ts'

/** As long as a process caches the outcomes of its own runs. */
const keptMs = 600_000
/** After this time, a run in progress is known only to its own process. */
const maxRunMs = 3_600_000

type StoredRun = { view: RunDetail; ended?: { outcome: Outcome; at: number } }

export type SharedRuns = {
  /** Resolves when every process can find the run. */
  began(caller: Caller, view: RunDetail): Promise<void>
  ended(caller: Caller, view: RunDetail, outcome: Outcome): Promise<void>
  /** A background run of any process, with its outcome once it has ended. */
  find(caller: Caller, id: string): Promise<{ view: RunDetail; outcome: Outcome | undefined } | undefined>
  /** Asks the process of the run to cancel it. */
  cancel(caller: Caller, id: string): Promise<void>
}

type SharedRunsDependencies = {
  store: Pick<Store, 'intents'>
  registry: Pick<Registry, 'all'>
  cluster: Pick<Cluster, 'tell'>
  vault: Pick<Vault, 'seal' | 'open'>
  clock: Pick<Clock, 'now'>
}

/**
 * Background runs where several processes share the store: stored beside the idempotency keys, under names that no key
 * can have. A run whose process died becomes `not_sent`, as a key does, and is no longer found.
 */
export const createSharedRuns = ({ store, registry, cluster, vault, clock }: SharedRunsDependencies): SharedRuns => {
  const keyOf = (id: string) => `background ${id}`
  const scopeOf = (tenant: string, id: string) => ({ tenant, owner: `outcome:${keyOf(id)}` })
  const seal = (tenant: string, stored: StoredRun): Json => ({
    sealed: vault.seal(scopeOf(tenant, stored.view.id), { outcome: JSON.stringify(stored) }),
  })

  return {
    async began({ tenant }, view) {
      const now = clock.now()
      const row = {
        requestHash: '',
        runId: view.id,
        state: 'planned' as const,
        outcome: seal(tenant, { view }),
        createdAt: now,
        expiresAt: now + maxRunMs,
      }
      await store.intents.plan({ tenant, key: keyOf(view.id), ...row })
    },
    async ended({ tenant }, view, outcome) {
      await store.intents.update(
        tenant,
        keyOf(view.id),
        'done',
        seal(tenant, { view, ended: { outcome, at: clock.now() } }),
        true,
        view.id,
      )
    },
    async find(caller, id) {
      const row = await store.intents.get(caller.tenant, keyOf(id))
      if (!row || row.outcome === null) return undefined
      const { sealed } = row.outcome as { sealed: SealedSecrets }
      const { view, ended } = JSON.parse(vault.open(scopeOf(caller.tenant, id), sealed)['outcome']!) as StoredRun
      if (ended && clock.now() - ended.at > keptMs) return undefined
      const connection = ended?.outcome.meta.connection?.id ?? null
      return isVisible(registry, caller, { ...view, connection }) ? { view, outcome: ended?.outcome } : undefined
    },
    cancel: ({ tenant }, id) => cluster.tell({ kind: 'cancel', tenant, id }),
  }
}
