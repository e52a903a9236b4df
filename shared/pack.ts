import { setTimeout as wait } from 'node:timers/promises'
import { describeDefect, fail, failField, isFailure } from '#kit'
import { integrations as shipped } from '../integrations/index.ts'
import { readExamples } from './examples.ts'
import { createCatalogue } from './runtime/catalogue/catalogue.ts'
import { createAccounts } from './runtime/connections/resolve.ts'
import { createApps } from './runtime/connections/apps.ts'
import type { Apps } from './runtime/connections/apps.ts'
import { audited, createAudit } from './runtime/admin/audit.ts'
import { createBackground } from './runtime/steps/background.ts'
import { createAccountStates } from './runtime/connections/states.ts'
import { createConnect } from './runtime/connections/browser/connect.ts'
import { createKeep } from './runtime/connections/save.ts'
import { createProver } from './runtime/connections/verify.ts'
import { createRenewals } from './runtime/connections/refresh.ts'
import { watchAccounts } from './runtime/connections/watch.ts'
import { createConnections } from './runtime/connections/connections.ts'
import type { Connections } from './runtime/connections/connections.ts'
import { createIntents } from './runtime/idempotency.ts'
import { createKeys } from './runtime/admin/keys.ts'
import { createLimits, defaultLimits } from './runtime/admin/limits.ts'
import { createOptions } from './runtime/options.ts'
import { createDeferredWrites } from './runtime/deferred-writes.ts'
import { jwtSettings } from './runtime/admin/jwt-settings.ts'
import { createPolicies } from './runtime/admin/policies.ts'
import type { Clock, Keyring, Log, SealedRow, Store, Vault } from './runtime/ports/index.ts'
import { createKeyedQuota, labelled, overQuota } from './runtime/admin/quotas.ts'
import { settleCutOff } from './runtime/steps/record-first.ts'
import { createRetention } from './runtime/admin/retention.ts'
import { createRegistry } from './runtime/catalogue/registry.ts'
import { createRuns } from './runtime/steps/runs.ts'
import { createRunRecords } from './runtime/steps/run-records.ts'
import { createRunSessions } from './runtime/steps/run-sessions.ts'
import { createSteps } from './runtime/steps/run-step.ts'
import { createSendAs } from './runtime/steps/send-as.ts'
import { createTenants, createTokens } from './runtime/admin/tokens.ts'
import { createOwnEvents, createTriggers } from './runtime/triggers/index.ts'
import type { Triggers } from './runtime/triggers/index.ts'
import { createMemoryStore, createVault, keyIdOf, readSealedFile, requireKeys, requireNothingSealed, resealAll, wrappedKeyring } from './store/index.ts'
import type { Wrapping } from './store/index.ts'
import { openTracing } from './tracing.ts'
import { createWire } from './wire/index.ts'
import type { EgressRules } from './wire/index.ts'
import type { Pack, PackOptions } from './pack-types.ts'

export type { Pack, PackOptions } from './pack-types.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    await wait(ms, undefined, signal ? { signal } : {})
  },
}

const silent: Log = () => {}

/** How long the removal of an account waits for the provider to take its hooks back. */
const leavingMs = 5_000

const readJwtSettings = (given: PackOptions['jwt']) => {
  const parsed = jwtSettings.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw failField('jwt', `jwt: ${issue?.path.join('.') || 'it'} ${issue?.message ?? 'is not usable'}.`)
}

/**
 * Whether the key set of an identity provider can be read, without a server; gives how many keys it holds.
 * @throws Failure `invalid_input` or `not_allowed` where the address can never serve, `unavailable` where it does not answer now
 */
export const checkIdentityProvider = async (given: PackOptions['jwt'], egress: Partial<EgressRules>): Promise<number> => {
  const { outside, close } = createWire({
    now: systemClock.now,
    monotonic: systemClock.monotonic,
    sleep: systemClock.sleep,
    random: Math.random,
    egress: { production: false, privateOrigins: [], ...egress },
  })
  try {
    const { readKeySet, withPatience } = await import('./runtime/admin/operator-jwt.ts')
    return (await withPatience(systemClock, readKeySet(readJwtSettings(given), outside))).keys.length
  } finally {
    await close()
  }
}

const isKeyring = (given: Keyring | Wrapping): given is Keyring => 'keys' in given

const openKeyring = async ({ masterKey: given, lostKeys }: PackOptions, store: Store): Promise<Keyring> => {
  if (given === undefined || Buffer.isBuffer(given)) {
    const key = given ?? crypto.getRandomValues(Buffer.alloc(32))
    return { keys: [{ id: keyIdOf(key), key }] }
  }
  return isKeyring(given) ? given : wrappedKeyring(store, given, lostKeys)
}

/** Whom the runtime names as the owner of a sealed row; a value sealed for another one does not open. */
const sealedOwner = ({ kind, id }: SealedRow) => (kind === 'app' || kind === 'authorization' || kind === 'outcome' ? `${kind}:${id}` : id)

/**
 * Whether the secrets in a data directory's database open with these keys, without a process that serves it.
 * @throws Failure `unavailable` naming the keys that are wanted and those that are here
 */
export const checkStoredSecrets = (file: string, keyring: Keyring | undefined, lost: string[]): Promise<void> =>
  readSealedFile(file, (sealed) => {
    const [present, ...previous] = keyring?.keys ?? []
    if (!present) return requireNothingSealed({ sealed }, lost)
    return requireKeys({ sealed }, createVault({ masterKey: present.key, keyId: present.id, previous }), sealedOwner, lost)
  })

/**
 * The pack as a library: integrations, runtime and store put together.
 * Two packs in one process share nothing.
 * @throws Failure `unavailable` when the store holds what is sealed under a master key that is not given
 */
export const createPack = async (options: PackOptions = {}): Promise<Pack> => {
  const clock = options.clock ?? systemClock
  const log = options.log ?? silent
  const store = options.store ?? createMemoryStore()
  let served = options.publicUrl
  let stopWatching = () => {}
  const base = () => {
    if (served !== undefined) return served
    throw fail(
      'unavailable',
      'This process does not know the address it is reached at, so it cannot send a browser anywhere. Give publicUrl, or start its server.',
    )
  }
  const keyring = await openKeyring(options, store)
  const [present, ...previous] = keyring.keys
  const vault: Vault = createVault({ masterKey: present!.key, keyId: present!.id, previous })
  await requireKeys(store, vault, sealedOwner, options.lostKeys)
  const tracing = await openTracing()
  const { outside, ...plainWire } = createWire({
    now: clock.now,
    monotonic: clock.monotonic,
    sleep: clock.sleep,
    random: options.random ?? Math.random,
    egress: {
      production: false,
      privateOrigins: [],
      ...options.egress,
      agentOrigins: [...(options.egress?.agentOrigins ?? []), ...(options.agentOrigins ?? [])],
    },
  })
  const wire = tracing ? { ...plainWire, exchange: tracing.exchange(plainWire.exchange) } : plainWire
  const registry = createRegistry(options.integrations ?? shipped, options.wire)
  const catalogue = createCatalogue(registry, readExamples)
  const deferred = createDeferredWrites()
  const flush = () => {
    deferred.flush()
    return store.flush()
  }
  const audit = createAudit({ store, clock, log, deferred })
  await store.audit.signWith(vault)
  const keys = createKeys({ keyring, vault, reseal: () => resealAll(store, vault, sealedOwner), store, audit, clock, log })
  await keys.resume()
  const apps = createApps({ registry, store, vault, clock })
  const states = createAccountStates({ store, clock, log })
  const resolveSecrets = options.credentials?.resolve
  const accounts = createAccounts({
    store,
    vault,
    clock,
    log,
    resolveSecrets,
    renewals: createRenewals({ store, vault, apps, outside, resolveSecrets, states, clock, log }),
  })
  const choices = createOptions({ registry, accounts, wire, clock })
  const prover = createProver({ registry, sendAs: createSendAs(wire, clock), clock })
  const forgetOptions = choices.forget
  const limits = createLimits(clock, { ...defaultLimits, ...options.limits, tenant: { ...defaultLimits.tenant, ...options.limits?.tenant } })
  const keep = createKeep({ registry, accounts, store, vault, prover, states, clock, log, forgetOptions, quotas: limits })
  const ownVault = resolveSecrets !== undefined
  const { health, check, ...connections } = createConnections({ registry, accounts, store, keep, prover, states, clock, log, ownVault, forgetOptions })
  const instance = await store.instance()
  const own = createOwnEvents({ store, clock, log, instance })
  const intents = createIntents({ store, vault, clock, log, quota: createKeyedQuota({ store, quotas: limits, clock }) })
  await intents.settle()
  await settleCutOff({ store, audit, log })
  const sessions = createRunSessions({ wire, clock, store, causation: own, audit })
  const records = createRunRecords({ store, health, clock, log, audit, deferred })
  const steps = createSteps({ registry, accounts, store, clock, intents, sessions, records })
  const runStep = tracing ? tracing.run(steps.run) : steps.run
  const tenants = createTenants({ store, clock, audit })
  await tenants.ensure('default', 'Default')
  const runInTurn: Pack['steps']['run'] = (caller, call) => {
    retention.touch()
    return limits.run(caller.tenant, call.signal, () => runStep(caller, call))
  }
  const runs = createRuns({ store, clock, flush })
  const background = createBackground({ run: runInTurn, runs, registry, clock })
  let draining: Promise<unknown> | undefined
  const drain = async () => void (await (draining ??= Promise.all([background.stop(), triggers.stop(), retention.stop()])))
  const policies = createPolicies({ registry, store, accounts, limits, audit })
  await policies.load()
  const readJwt = options.jwt && (await import('./runtime/admin/operator-jwt.ts')).createJwtAuthenticator
  const jwt = readJwt?.({ settings: readJwtSettings(options.jwt), outside, store, clock, log })
  const triggers = createTriggers({
    registry,
    accounts,
    apps,
    wire,
    store,
    vault,
    health,
    own,
    clock,
    log,
    intents,
    random: options.random ?? Math.random,
    publicUrl: () => served,
    onStart: options.onStart,
    async admitSubscription(tenant) {
      const { subscriptions: most } = limits.of(tenant)
      if ((await store.subscriptions.count(tenant)) >= most) throw overQuota(most, 'subscriptions', 'subscriptions')
    },
    agentAnswers: options.agentAnswers,
    scanMs: options.scanMs,
    exampleOf: catalogue.exampleOf,
  })
  own.onlyWhile(() => triggers.mayWatch(options.store === undefined))
  states.on((tenant, id, state, reason) => {
    // Else the first account that is connected would open the database of triggers that nobody uses.
    if (!triggers.mayExist(options.store === undefined)) return
    triggers
      .connectionChanged(tenant, id, { state, stateReason: reason })
      .catch((error: unknown) => log('error', 'triggers.account_not_followed', { connection: id, ...describeDefect(error) }))
  })
  const connect = createConnect({ registry, store, vault, apps, keep, outside, audit, clock, log, appName: options.appName ?? 'toolyard', base })

  /** While the provider can still be told, its hooks go first; not for long, since a removal must not hang on it. */
  const remove: Connections['remove'] = async (caller, id) => {
    await connections.get(caller, id)
    const patience = new AbortController()
    await Promise.race([triggers.connectionLeaving(caller.tenant, id), clock.sleep(leavingMs, patience.signal)]).catch((error: unknown) =>
      // The account goes all the same.
      log('warn', 'triggers.not_left', { connection: id, error: isFailure(error) ? error.code : describeDefect(error).message }),
    )
    patience.abort()
    await connections.remove(caller, id)
    await triggers.connectionChanged(caller.tenant, id)
  }
  const quotaed = {
    create: labelled(limits, connections.create),
    patch: labelled(limits, connections.patch),
    authorize: labelled(limits, connect.begin),
  }
  const quotaedSubscriptions: Pick<Triggers['subscriptions'], 'create' | 'patch'> = {
    create: labelled(limits, triggers.subscriptions.create),
    patch: labelled(limits, triggers.subscriptions.patch),
  }
  const putApp: Apps['put'] = async (caller, integration, given) => {
    const view = await apps.put(caller, integration, given)
    triggers.appChanged(given.owner === 'operator' ? '' : caller.tenant, integration)
    return view
  }

  // Last, since it begins to work by itself: a pack that does not open leaves nothing behind that does.
  const retention = createRetention({ store, clock, log })
  return {
    integrations: { list: catalogue.list, manifest: catalogue.manifest },
    steps: {
      find: catalogue.find,
      run: runInTurn,
      begin: background.begin,
      ...audited(audit, 'steps', { options: choices.load }, []),
    },
    connections: audited(audit, 'connections', { ...connections, ...quotaed, remove }, ['create', 'patch', 'remove', 'authorize']),
    apps: audited(audit, 'apps', { get: apps.get, put: putApp }, ['put']),
    triggers: { ...audited(audit, 'triggers', { options: choices.loadForTrigger }, []), counts: triggers.counts },
    subscriptions: audited(audit, 'subscriptions', { ...triggers.subscriptions, ...quotaedSubscriptions }, [
      'create',
      'patch',
      'pause',
      'resume',
      'remove',
      'test',
    ]),
    hooks: audited(audit, 'hooks', triggers.hooks, ['prune']),
    events: audited(audit, 'events', triggers.events, ['replay']),
    starts: audited(audit, 'starts', triggers.starts, ['replay', 'replayAll']),
    gaps: audited(audit, 'gaps', triggers.gaps, []),
    receive(delivery) {
      retention.touch()
      return triggers.receive(delivery)
    },
    async start() {
      await jwt?.prepare()
      await triggers.start()
    },
    runs: audited(audit, 'runs', { ...runs, get: background.get, cancel: background.cancel }, ['cancel']),
    tokens: createTokens({ store, registry, clock, audit, log, jwt }),
    issuer: options.jwt?.issuer,
    tenants,
    connect,
    servedAt: (address) => void (served = options.publicUrl ?? address),
    audit,
    keys,
    policies,
    limits,
    onAccountState: states.on,
    watchAccounts() {
      stopWatching()
      stopWatching = watchAccounts({ registry, store, check, clock, log })
    },
    async backup(caller, file) {
      // What was done before is in it.
      await flush()
      const done = await store.backup(file)
      await audit.changed(caller, { what: 'backup' })
      return done
    },
    ready: () => store.check(),
    registry,
    drain,
    async close() {
      stopWatching()
      await drain()
      await wire.close()
      await flush()
      await store.close()
    },
  }
}

/** Throws `invalid_input` naming the setting when an operator's wire overrides are not usable. */
export const checkWire = (overrides: Record<string, Record<string, unknown>>): void => void createRegistry(shipped, overrides)

export { checkBackup, findKeyring, openSqliteStore, readKeyring, readMasterKey, restoreBackup } from './store/index.ts'
export type { BackupReport } from './store/index.ts'
export type { Caller, Store } from './runtime/ports/index.ts'
export type { IntegrationSummary } from './runtime/catalogue/catalogue.ts'
export type { StepCall } from './runtime/steps/run-step.ts'

// What faces show or check as the runtime defines it; of the rest of the runtime they know types alone.
export { jwtSettings } from './runtime/admin/jwt-settings.ts'
export { tenantLimits } from './runtime/admin/tenant-limits.ts'
export { allScopes } from './runtime/admin/tokens.ts'
export { toolInput } from './runtime/catalogue/manifest.ts'
export { manifestShape } from './runtime/catalogue/manifest-schema.ts'
export { overlay } from './runtime/catalogue/profile.ts'
export { costOf, effectOf } from './runtime/catalogue/registry.ts'
export { describeTool } from './runtime/catalogue/tool-description.ts'
export { isMark, newMark, redirectUri } from './runtime/connections/browser/binding.ts'
export { hashRequest } from './runtime/idempotency.ts'
export { mostDeliveryBytes } from './runtime/triggers/inbound/intake.ts'
export { subscriptionOptions } from './runtime/catalogue/subscription-options.ts'
export { readSignedStart } from './runtime/triggers/starts/agent-call.ts'
