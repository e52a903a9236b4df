import { fail } from '#kit'
import type { Integration } from '#kit'
import { integrations as shipped } from '../integrations/index.ts'
import { openHolds } from './pack/approvals.ts'
import { openConnectionParts } from './pack/connections.ts'
import { followOtherNodes } from './pack/follow-other-nodes.ts'
import { openCredits, openPeople } from './pack/credits.ts'
import { openFoundation } from './pack/foundation.ts'
import type { Foundation } from './pack/foundation.ts'
import { openIdentityProvider } from './pack/identity-provider.ts'
import { openLogin } from './pack/login.ts'
import { noting } from './pack/note-people.ts'
import { ensureDefaultTenant, guardGrants, openOAuth } from './pack/oauth.ts'
import { openPrivacy, openReceiver } from './pack/privacy.ts'
import { openSteps } from './pack/steps.ts'
import type { OpenedSteps } from './pack/steps.ts'
import { openTriggers } from './pack/triggers.ts'
import { verbRules } from './pack/verb-rules.ts'
import { rules } from './api/rules.ts'
import { createPolicies } from './runtime/admin/policies.ts'
import { createRetention } from './runtime/admin/retention.ts'
import { createSessions } from './runtime/admin/sessions.ts'
import { createTenants, createTokens } from './runtime/admin/tokens.ts'
import { createChecks } from './runtime/checks.ts'
import { requireClock } from './runtime/clock-difference.ts'
import { createRegistry } from './runtime/catalogue/registry.ts'
import { checked, createGuard } from './runtime/guard.ts'
import type { Files, FilesRuntime } from './runtime/files/files.ts'
import { createCausation, viewHook } from './runtime/triggers/index.ts'
import type { Pack, PackOptions } from './pack-types.ts'
import type { Caller, Store } from './runtime/ports/index.ts'
import type { SharedStoreOptions } from './store/postgres/store.ts'

export { checkIdentityProvider } from './pack/identity-provider.ts'
export { checkLoginProvider } from './pack/login.ts'
export { checkStoredSecrets } from './pack/keyring.ts'
export { systemClock } from './pack/foundation.ts'
export { isRegistered as isTracingRegistered } from './tracing.ts'
export { redacted } from './wire/guard/scrub.ts'
export type { Exchanged, Pack, PackOptions } from './pack-types.ts'

/** The address this process is reached at; the operator's setting takes precedence over what the server found out. */
const createAddress = (publicUrl: string | undefined) => {
  let served = publicUrl
  return {
    get: () => served,
    set: (address: string) => void (served = publicUrl ?? address),
    require() {
      if (served !== undefined) return served
      throw fail(
        'unavailable',
        'This process does not know the address it is reached at, so it cannot send a browser anywhere. Give publicUrl, or start its server.',
      )
    },
  }
}

type Guard = ReturnType<typeof createGuard>

type TriggerVerbs = Pick<ReturnType<typeof openTriggers>, 'triggers' | 'subscriptions' | 'notifications'> &
  Pick<ReturnType<typeof openConnectionParts>, 'choices'>

/** The verbs of triggers and of what they start, under the rules of their operations. */
const guardTriggers = (guard: Guard, { triggers, subscriptions, notifications, choices }: TriggerVerbs) => ({
  triggers: {
    ...guard('triggers', { options: choices.loadForTrigger }, verbRules.triggers),
    counts: triggers.counts,
  },
  subscriptions: guard('subscriptions', subscriptions, verbRules.subscriptions),
  agents: guard('agents', triggers.agents, verbRules.agents),
  notifications: guard('notifications', notifications, verbRules.notifications),
  hooks: guard('hooks', triggers.hooks, verbRules.hooks),
  events: guard('events', triggers.events, verbRules.events),
  starts: guard('starts', triggers.starts, verbRules.starts),
  gaps: guard('gaps', triggers.gaps, verbRules.gaps),
  deliveries: guard('deliveries', triggers.deliveries, verbRules.deliveries),
})

const guardCredits = (guard: Guard, credits: ReturnType<typeof openCredits>) => ({
  budgets: guard('budgets', credits.budgets, verbRules.budgets),
  ledger: guard('ledger', credits.ledger, verbRules.ledger),
  cache: guard('cache', credits.cache, verbRules.cache),
})

const guardApprovals = (guard: Guard, { verbs, rules: book }: OpenedSteps['approvals']) => ({
  approvals: guard('approvals', verbs, verbRules.approvals),
  approvalRules: guard('approvalRules', book, verbRules.approvalRules),
})

const guardJobs = (guard: Guard, { peopleLists, bulkJobs }: OpenedSteps) => ({
  peopleLists: guard('peopleLists', peopleLists, verbRules.peopleLists),
  jobs: guard('jobs', bulkJobs.verbs, verbRules.jobs),
})

type AdminVerbs = {
  tokens: ReturnType<typeof createTokens>
  tenants: ReturnType<typeof createTenants>
  policies: ReturnType<typeof createPolicies>
} & Pick<Foundation, 'keys'>

/** Verbs that write their own rows of the audit log, so they are only checked. */
const checkAdmin = ({ tokens, tenants, keys, policies }: AdminVerbs) => ({
  tokens: {
    ...tokens,
    create: checked(rules.createToken, 2, tokens.create),
    revoke: checked(rules.revokeToken, 2, tokens.revoke),
  },
  tenants: { ...tenants, create: checked(rules.createTenant, 1, tenants.create) },
  keys: { get: keys.get, rotate: checked(rules.rotateKeys, 0, keys.rotate) },
  policies: { get: policies.get, put: checked(rules.putPolicy, 2, policies.put) },
})

const backUp =
  ({ flush, store, audit }: Pick<Foundation, 'flush' | 'store' | 'audit'>) =>
  async (caller: Caller, file: string) => {
    // The backup has to include what is still pending.
    await flush()
    const done = await store.backup(file)
    await audit.changed(caller, { what: 'backup' })
    return done
  }

/** Stops the background work, once. */
const drainOnce = (works: { stop(): Promise<unknown> }[]) => {
  let draining: Promise<unknown> | undefined
  return async (): Promise<void> => {
    draining ??= Promise.all(works.map((work) => work.stop()))
    await draining
  }
}

/**
 * The pack as a library: integrations, runtime and store put together. Two packs in one process share nothing.
 * @throws Failure `unavailable` when the store holds values sealed under a master key that is not given
 */
export const createPack = async (options: PackOptions = {}): Promise<Pack> => {
  const foundation = await openFoundation(options)
  const { clock, log, store, leases, wire, registry, catalogue, audit, keys, limits, files, people, flush } = foundation
  const address = createAddress(options.publicUrl)
  const connections = openConnectionParts(foundation, options, address.require)
  const { openConnections, choices, connect, states } = connections
  await connections.markConnectionsOfLostKeys()
  const sourceOf = (id: string) => registry.all.find(({ integration }) => integration.id === id)?.integration.webhooks
  const own = createCausation({ store, clock, log, instance: await store.instance(), sourceOf })
  const retention = createRetention({ store, clock, log, leases, settings: options.retention })
  const holds = await openHolds(foundation, options, address.get)
  const steps = await openSteps(foundation, connections, own, holds, { onUse: retention.touch, options })
  const { run, runs, background, recovery, bulkJobs } = steps
  const { get, cancel, outcome } = background
  const credits = openCredits(foundation)
  const guard = createGuard({ audit, registry, people })
  const suppressions = guard('suppressions', steps.suppressions, verbRules.suppressions)
  const tenants = createTenants({ store, clock, audit })
  await ensureDefaultTenant(store, tenants)
  const policies = createPolicies({ registry, store, openConnections, limits, audit })
  await policies.load()
  const jwt = await openIdentityProvider(foundation, tenants, options.jwt, address.get)
  const signIn = await openOAuth({ foundation, budgets: credits.budgets, options })
  const tokens = createTokens({ store, registry, clock, audit, log, jwt, people, ...signIn })
  const sessions = createSessions({ store, tokens, clock, audit })
  const login = openLogin(foundation, { tenants, tokens, sessions, base: address.require, ...signIn }, options.login)
  const { triggers, subscriptions, notifications, remove, getApp, putApp } = openTriggers(
    foundation,
    connections,
    steps,
    own,
    options,
    address.get,
  )
  const stopFollowing = followOtherNodes({ foundation, connections, steps, triggers, holds })
  let stopWatching = () => {}
  let isLeaving = false
  const drain = drainOnce([background, bulkJobs.runner, steps.approvals.runner, triggers, retention, recovery])

  const { list, manifest, locale, search } = catalogue
  // Started last: a pack that fails to open leaves nothing running.
  retention.start()
  return {
    integrations: { list, manifest, locale, search },
    steps: {
      find: catalogue.find,
      run,
      begin: background.begin,
      beginQuietly: background.beginQuietly,
      ...guard('steps', { options: choices.load, fields: choices.loadFields }, verbRules.steps),
    },
    lookups: steps.lookups,
    connections: guard(
      'connections',
      { ...connections.verbs, ...connections.reports, remove, wireCheck: steps.wireCheck },
      verbRules.connections,
    ),
    toolConnections: guard(
      'connections',
      { list: connections.verbs.list, authorize: connections.verbs.authorize },
      verbRules.toolConnections,
    ),
    apps: guard('apps', { get: getApp, put: putApp }, verbRules.apps),
    ...guardTriggers(guard, { triggers, subscriptions, notifications, choices }),
    receive: openReceiver(foundation, connections, { suppressions, triggers, onUse: retention.touch }),
    async start() {
      await jwt?.prepare()
      await triggers.start()
      bulkJobs.runner.start()
      steps.approvals.runner.start()
    },
    files: guard('files', withoutWriter(files, people, retention.touch), verbRules.files),
    ...guardGrants(guard, signIn, options.jwt?.issuer),
    people: guard('people', openPeople(foundation, connections, steps, credits), verbRules.people),
    samples: guard('samples', steps.samples, verbRules.samples),
    ...guardJobs(guard, steps),
    ...guardApprovals(guard, steps.approvals),
    ...guardCredits(guard, credits),
    suppressions,
    privacy: guard('privacy', openPrivacy(foundation, steps), verbRules.privacy),
    creditPrices: foundation.pricing.prices,
    contentsKept: foundation.contents !== undefined,
    runs: guard('runs', { ...runs, get, cancel, outcome }, verbRules.runs),
    ...checkAdmin({ tokens, tenants, keys, policies }),
    sessions,
    login,
    connect,
    servedAt: address.set,
    audit,
    checks: createChecks({ store, catalogue, keys, audit, limits, viewHook, anyAccount: foundation.anyAccount }),
    limits,
    onAccountState: states.on,
    watchAccounts() {
      stopWatching()
      stopWatching = connections.watch()
    },
    backup: checked(rules.backup, 0, backUp(foundation)),
    async ready() {
      if (isLeaving) throw fail('unavailable', 'This process is stopping; another one answers.')
      await store.check()
      audit.requireWritten()
      requireClock(store.cluster)
    },
    isLeaving: () => isLeaving,
    async leave() {
      isLeaving = true
      await triggers.leave()
    },
    registry,
    drain,
    async close() {
      stopWatching()
      await drain()
      stopFollowing()
      await wire.close()
      await flush()
      await store.close()
    },
  }
}

/** The verbs of files that callers get. `onUse` is called when content comes in. */
const withoutWriter = (
  { writer: _, ...verbs }: FilesRuntime,
  people: Foundation['people'],
  onUse: () => void,
): Files => ({
  ...verbs,
  create(caller, upload) {
    onUse()
    return noting(people, verbs.create)(caller, upload)
  },
  createFrom: noting(people, verbs.createFrom),
})

const aliasesOf = (part: 'subject' | 'container') => [
  ...new Set(shipped.flatMap(({ aliases }) => aliases?.[part] ?? [])),
]

/**
 * Names that the shipped integrations have for the subject and the container of an event. Commands have options by
 * these names before they ask a server; a server itself uses the names in its registry.
 */
export const shippedAliases = { subject: aliasesOf('subject'), container: aliasesOf('container') }

/** Throws `invalid_input` naming the setting when an operator's wire overrides are not usable. */
export const checkWire = (
  overrides: Record<string, Record<string, unknown>>,
  integrations: Integration[] = shipped,
): void => void createRegistry(integrations, overrides)

/** Loaded only when it is needed: a process with a database of its own does without. */
export const openPostgresStore = async (options: SharedStoreOptions): Promise<Store> =>
  (await import('./store/postgres/store.ts')).openPostgresStore(options)

export {
  checkBackup,
  checkMarker,
  exposureOf,
  findKeyring,
  openSqliteStore,
  readKeyring,
  readMasterKey,
  restoreBackup,
} from './store/index.ts'
export type { BackupReport } from './store/index.ts'
export { readDatabaseUrl } from './store/postgres/address.ts'
export type { Caller, Store } from './runtime/ports/index.ts'
export type { IntegrationSummary } from './runtime/catalogue/catalogue.ts'
export type { StepCall } from './runtime/steps/step-call.ts'

// What faces show or check as the runtime defines it; of the rest of the runtime they import only types.
export { knownClients } from './runtime/oauth/settings.ts'
export { jwtSettings } from './runtime/admin/jwt-settings.ts'
export { readLocalPath } from './runtime/admin/local-path.ts'
export { loginSettings } from './runtime/admin/login-settings.ts'
export { creditPrices } from './api/resources/money.ts'
export type { CreditPrices } from './api/resources/money.ts'
export { operatorRules } from './api/resources/approval-rule.ts'
export { tenantLimits } from './api/resources/tenant-limits.ts'
export { allScopes } from './api/rules.ts'
export { lacksScope, mayCall } from './runtime/bounds.ts'
export { lookupTools } from './runtime/lookups/waterfall/tools.ts'
export { agentView } from './runtime/catalogue/agent-view.ts'
export { profileNames } from './runtime/catalogue/choose-profile.ts'
export { stepManifest, toolInput } from './runtime/catalogue/manifest.ts'
export { localeProblems } from './runtime/catalogue/locales.ts'
export type { LocaleFile } from './runtime/catalogue/locales.ts'
export { readShippedLocale } from './locales.ts'
export { overlay } from './runtime/catalogue/profile.ts'
export { shownCost } from './runtime/catalogue/price.ts'
export { coreSet, isInToolSet, isOffered, requireToolSet } from './runtime/catalogue/tool-sets.ts'
export { isFreeRun } from './runtime/catalogue/free-run.ts'
export { describeTool } from './runtime/catalogue/tool-description.ts'
export { profileField } from './runtime/connections/browser/connect.ts'
export { isBrowserSecret, newBrowserSecret, redirectUri } from './runtime/connections/browser/binding.ts'
export { hashRequest } from './runtime/idempotency.ts'
import type { readByType } from './runtime/triggers/inbound/other-bodies.ts'
export { maxDeliveryBytes } from './runtime/triggers/inbound/intake.ts'
export { readSignedStart } from './runtime/triggers/starts/agent-call.ts'
export { toolName } from './runtime/catalogue/tool-name.ts'

/** Reads the body of a delivery by its content type; undefined when the profile does not list that. */
export const readDelivered = async (...call: Parameters<typeof readByType>) =>
  (await import('./runtime/triggers/inbound/other-bodies.ts')).readByType(...call)
