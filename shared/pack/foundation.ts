import { setTimeout as wait } from 'node:timers/promises'
import { describeDefect } from '#kit'
import { integrations as shipped } from '../../integrations/index.ts'
import { readExamples } from '../examples.ts'
import { localeFiles } from '../locales.ts'
import { createAudit } from '../runtime/admin/audit.ts'
import type { KnownNames } from '../runtime/admin/audit-entry.ts'
import { createStartIds } from '../runtime/admin/chosen-texts.ts'
import { createKeys } from '../runtime/admin/keys.ts'
import { createLimits, defaultLimits } from '../runtime/admin/limits.ts'
import { ages } from '../runtime/admin/retention.ts'
import { createTenantKeys } from '../runtime/admin/tenant-keys.ts'
import { createCatalogue } from '../runtime/catalogue/catalogue.ts'
import { createLocales } from '../runtime/catalogue/locales.ts'
import { createRegistry } from '../runtime/catalogue/registry.ts'
import { createAnyAccount } from '../runtime/people/any-account.ts'
import { createPeople } from '../runtime/people/people.ts'
import { createPrivacy } from '../runtime/privacy/guard.ts'
import { digestPlainKeys } from '../runtime/privacy/plain-keys.ts'
import { createFiles } from '../runtime/files/files.ts'
import { createPricing } from '../runtime/credits/prices.ts'
import { createRunContents } from '../runtime/steps/run-contents.ts'
import { createDeferredWrites, immediateWrites } from '../runtime/deferred-writes.ts'
import { createLearnedNames } from '../runtime/sentences/learned-names.ts'
import { createLeases } from '../runtime/leases.ts'
import type { Clock, Log, Store, Vault } from '../runtime/ports/index.ts'
import { createMemoryStore, createVault, refuseWithout, requireKeys, resealAll } from '../store/index.ts'
import { openTracing } from '../tracing.ts'
import { findCharged } from '../runtime/endpoints/charged-records.ts'
import { createGate } from '../runtime/gate/gate.ts'
import { createWire } from '../wire/index.ts'
import type { EgressRules, WireOptions } from '../wire/index.ts'
import type { PackOptions } from '../pack-types.ts'
import { openKeyring, sealedOwner } from './keyring.ts'
import { observeExchanges } from './observe-exchanges.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    await wait(ms, undefined, signal ? { signal } : {})
  },
}

const silent: Log = () => {}

export const openWire = (
  clock: Clock,
  random: () => number,
  egress: Partial<EgressRules>,
  { slots, onBreaker }: Pick<WireOptions, 'slots' | 'onBreaker'> = {},
) =>
  createWire({
    now: clock.now,
    monotonic: clock.monotonic,
    sleep: clock.sleep,
    random,
    slots,
    onBreaker,
    egress: { production: false, privateOrigins: [], ...egress },
  })

const openSealing = async (options: PackOptions, store: Store) => {
  const keyring = await openKeyring(options, store)
  const [present, ...previous] = keyring.keys
  const vault: Vault = createVault({ masterKey: present!.key, keyId: present!.id, previous })
  await requireKeys(store, vault, sealedOwner, options.lostKeys)
  // Even where nothing is sealed yet: a process with another key would seal what the others cannot open.
  const agreed = await store.cluster?.agreeOnKey(vault.keyId, [...vault.previous(), ...(options.lostKeys ?? [])])
  if (agreed !== undefined && agreed !== vault.keyId)
    refuseWithout([agreed], [vault.keyId, ...vault.previous()], 'The secrets of the servers on this database are')
  return { keyring, vault }
}

/** What everything else in the pack is built on. */
export type Foundation = Awaited<ReturnType<typeof openFoundation>>

/** @throws Failure `unavailable` when the store holds values sealed under a master key that is not given */
export const openFoundation = async (options: PackOptions) => {
  const log = options.log ?? silent
  const random = options.random ?? Math.random
  const store = options.store ?? createMemoryStore()
  const clock = options.clock ?? store.cluster?.clock ?? systemClock
  const { keyring, vault } = await openSealing(options, store)
  const tracing = options.tracing ?? (await openTracing())
  const agentOrigins = [...(options.egress?.agentOrigins ?? []), ...(options.agentOrigins ?? [])]
  const { cluster } = store
  const tellBreaker = (breakerId: string) =>
    void cluster
      ?.tell({ kind: 'breaker', tenant: '', id: breakerId })
      .catch((error: unknown) => log('warn', 'breaker.not_told', describeDefect(error)))
  const ofNodes = cluster ? { slots: cluster.slots, onBreaker: tellBreaker } : {}
  const { unauthenticated, ...plainWire } = openWire(clock, random, { ...options.egress, agentOrigins }, ofNodes)
  const traced = tracing ? { ...plainWire, exchange: tracing.exchange(plainWire.exchange) } : plainWire
  const wire = options.onExchange ? { ...traced, exchange: observeExchanges(traced, options.onExchange) } : traced
  const registry = createRegistry(options.integrations ?? shipped, options.wire)
  const leases = createLeases(store.cluster, clock)
  // In memory, writing a row costs less than deferring it, which would keep everything about its run alive.
  const deferred = store.runs.showSending ? immediateWrites : createDeferredWrites()
  const names = new Map(registry.all.map(({ integration, steps }) => [integration.id, steps]))
  const knownNames: KnownNames = {
    has: (integration, step) =>
      step === undefined ? names.has(integration) : names.get(integration)?.has(step) === true,
  }
  const tenantKeys = createTenantKeys({ store, vault })
  const startIds = createStartIds(tenantKeys)
  const audit = createAudit({ store, clock, log, deferred, names: knownNames, startIds })
  await store.audit.signWith(vault)
  const keys = createKeys({
    keyring,
    vault,
    reseal: () => resealAll(store, vault, sealedOwner),
    store,
    audit,
    clock,
    log,
  })
  await keys.resume()
  await digestPlainKeys({ store, tenantKeys, log })
  const privacy = createPrivacy({ store, tenantKeys })
  const { runContentsMs, retention } = options
  const contents =
    runContentsMs === undefined
      ? undefined
      : createRunContents({
          store,
          vault,
          privacy,
          clock,
          log,
          // Nobody could see them without their run.
          keptMs: Math.min(runContentsMs, retention?.ages?.runs ?? ages.runs),
        })
  const limits = createLimits(clock, {
    ...defaultLimits,
    ...options.limits,
    tenant: { ...defaultLimits.tenant, ...options.limits?.tenant },
  })
  const locales = createLocales(localeFiles(options.locales))
  const learnedNames = createLearnedNames({ registry, store, vault, privacy, clock, log })
  return {
    clock,
    log,
    random,
    store,
    leases,
    vault,
    tenantKeys,
    startIds,
    tracing,
    gate: createGate(wire, findCharged),
    wire,
    unauthenticated,
    registry,
    locales,
    catalogue: createCatalogue(registry, readExamples, locales),
    deferred,
    audit,
    keys,
    limits,
    privacy,
    contents,
    pricing: createPricing(options.creditPrices ?? {}, new Set(registry.all.map(({ integration }) => integration.id))),
    names: learnedNames,
    people: createPeople({ store, clock, log }),
    anyAccount: createAnyAccount(log),
    files: createFiles({ store, vault, tenantKeys, quotas: limits, clock, wire: plainWire }),
    /** Writes everything that is still pending to the store. */
    async flush() {
      deferred.flush()
      await Promise.all([contents?.settled(), learnedNames.flush()])
      return store.flush()
    },
  }
}
