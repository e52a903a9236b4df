import { LRUCache } from 'lru-cache'
import { fail, isFailure, needsReconnect } from '#kit'
import type { ApiCallPolicy, Failure, Integration } from '#kit'
import type { CallPolicy } from '../../wire/types.ts'
import { chooseConnection, reliesOnAny, usesOwn } from '../people/choose.ts'
import type { DefaultAccount } from '../people/choose.ts'
import { createScopeLimit } from './scopes.ts'
import type { Caller, Clock, Connection, Log, Store, Vault } from '../ports/index.ts'
import type { LoadedIntegration } from '../catalogue/registry.ts'
import { typeOf } from '../catalogue/registry.ts'
import { authKeyOf, schemeOf } from '../catalogue/scheme.ts'
import type { Apps } from './apps.ts'
import { createChangedElsewhere } from './changed-elsewhere.ts'
import type { ClientTokens } from './client-token.ts'
import type { OpenConnection, OpenConnections, Renewals, ResolveSecrets } from './open-connection.ts'
import type { ConnectionStates } from './states.ts'

/** Callers of a tenant whose connection of an integration is remembered: people may be many. */
const callersKept = { maxSize: 10_000, sizeCalculation: () => 1 }

const narrow = (policy: CallPolicy, connection: Connection): CallPolicy => {
  const limits = connection.policy
  if (!limits) return policy
  return {
    ...policy,
    methods: limits.methods ? policy.methods.filter((method) => limits.methods!.includes(method)) : policy.methods,
    only: limits.paths,
  }
}

const appKeyOf = (integration: Integration, connection: Connection, secrets: Record<string, string>) => {
  const field = integration.connections.find((type) => type.id === connection.type)?.appKey
  return `${integration.id}:${(field && secrets[field]) ?? connection.id}`
}

const withAllowed = (policy: ApiCallPolicy, allowed: string[] | undefined): CallPolicy =>
  allowed === undefined ? policy : { ...policy, deny: policy.deny.filter((rule) => !allowed.includes(rule.path)) }

/** Never falls back to the profile's address: the credential belongs to another server. */
const ownBaseUrl = (field: string, secrets: Record<string, string>): string => {
  const address = secrets[field]
  if (address !== undefined && address !== '') return address
  throw fail(
    'not_connected',
    `This connection has no value for "${field}", the address it is reached at. Reconnect it.`,
  )
}

type OpenWithOptions = { apps: Pick<Apps, 'oauthApp'>; clientTokens: ClientTokens }
type OpenOptions = {
  /** Denied path patterns that the operator has allowed for the tenant. */
  allowed?: string[] | undefined
  /** Path patterns without a known price that the tenant may use within a budget. */
  unpriced?: string[] | undefined
  isExternal?: boolean
  onRefused?(failure: Failure): void
}

/** Opens a connection with these secrets, without caching it. */
export const createOpenWith =
  ({ apps, clientTokens }: OpenWithOptions) =>
  async (
    connection: Connection,
    ofOperator: LoadedIntegration,
    secrets: Record<string, string>,
    { allowed, unpriced, isExternal = false, onRefused }: OpenOptions = {},
  ): Promise<OpenConnection> => {
    const loaded = ofOperator.withProfile(connection.profile)
    const type = authKeyOf(connection)
    const connectionType = typeOf(loaded, connection.type)
    const scheme = schemeOf(connectionType, connection)
    const baseUrl = connectionType.baseUrl && ownBaseUrl(connectionType.baseUrl.from, secrets)
    const placement = loaded.wire.auth[type]
    const isSignedByApp = placement?.place === 'oauth1' && !placement.consumer
    const opened: OpenConnection = {
      connection,
      loaded,
      account: {
        key: `${connection.tenant}/${connection.id}`,
        tenant: connection.tenant,
        appKey: appKeyOf(loaded.integration, connection, secrets),
        type,
        secrets,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(isSignedByApp ? { app: await apps.oauthApp(connection.tenant, connection.integration, '1.0a') } : {}),
      },
      stepPolicy: narrow(loaded.stepPolicy, connection),
      apiPolicy: narrow(withAllowed(loaded.integration.apiCall, allowed), connection),
      ...(unpriced === undefined ? {} : { unpriced }),
      usesApp: isSignedByApp || (scheme === 'oauth2-client' && secrets.clientId === undefined),
      live: true,
    }
    if (scheme === 'oauth2-client')
      opened.renewal = clientTokens(opened, loaded, isExternal, (failure) => onRefused?.(failure))
    return opened
  }
export type OpenWith = ReturnType<typeof createOpenWith>

type OpenConnectionsOptions = {
  store: Store
  vault: Vault
  clock: Clock
  log: Log
  resolveSecrets?: ResolveSecrets | undefined
  openWith: OpenWith
  renewals?: Renewals
  states: Pick<ConnectionStates, 'set'>
  /** What a call without `connection` takes. */
  orderFor?(tenant: string): Promise<DefaultAccount>
  /** The address where the person of a call connects an account; undefined where nobody can. */
  linkFor?(caller: Caller, integration: string): Promise<string | undefined>
  /** Called when a call for nobody took a person's account, as only the default account `any` allows. */
  onAnyAccount?(caller: Caller, connection: Connection): void
}

const openSealed = ({ vault, log }: OpenConnectionsOptions, { tenant, id, secrets }: Connection) => {
  try {
    return vault.open({ tenant, owner: id }, secrets)
  } catch (thrown) {
    log('error', 'connection.not_opened', { tenant, connection: id, keyId: vault.sealedUnder(secrets) })
    throw thrown
  }
}

/** Opens a connection with its stored secrets, or with those of the platform's own vault. */
const openStored = async (
  options: OpenConnectionsOptions,
  connection: Connection,
  loaded: LoadedIntegration,
): Promise<OpenConnection> => {
  const { store, vault, clock, resolveSecrets, openWith, renewals, states } = options
  const isExternal =
    resolveSecrets !== undefined && Object.keys(connection.secrets).length === 0 && connection.externalId !== null
  const secrets = isExternal
    ? await resolveSecrets(connection.tenant, connection.externalId!)
    : openSealed(options, connection)
  const { policy } = (await store.tenants.get(connection.tenant)) ?? {}
  const opened = await openWith(connection, loaded, secrets, {
    allowed: policy?.apiCallAllow?.[loaded.integration.id],
    unpriced: policy?.apiCallUnpriced?.[loaded.integration.id],
    isExternal,
    onRefused: (failure) => void (opened.live && states.set(connection, 'needs_reconnect', failure.message)),
  })
  opened.keyId = vault.sealedUnder(connection.secrets)
  opened.tenantPolicy = policy
  const renewal = opened.renewal ?? renewals?.(opened, opened.loaded ?? loaded, isExternal)
  if (renewal) opened.renewal = renewal
  if (connection.policy?.scopes) opened.scopes = createScopeLimit(connection.policy.scopes, clock.monotonic)
  return opened
}

const createChoose = (options: OpenConnectionsOptions) => {
  /** Adds to a failure the address where the person of the call connects an account. */
  const withLink = async (caller: Caller, { integration }: LoadedIntegration, thrown: unknown): Promise<unknown> => {
    if (!isFailure(thrown) || !needsReconnect(thrown)) return thrown
    const connectUrl = await options.linkFor?.(caller, integration.id)
    return connectUrl === undefined ? thrown : fail(thrown.code, thrown.message, { ...thrown.details, connectUrl })
  }

  return async (caller: Caller, loaded: LoadedIntegration, idOrName: string | undefined): Promise<Connection> => {
    const all = await options.store.connections.list(caller.tenant, { integration: loaded.integration.id })
    const order = (await options.orderFor?.(caller.tenant)) ?? 'personal-then-shared'
    const choice = { caller, integration: loaded.integration, all, order }
    try {
      return chooseConnection(choice, idOrName)
    } catch (thrown) {
      throw usesOwn(caller, order) ? await withLink(caller, loaded, thrown) : thrown
    }
  }
}

export const createOpenConnections = (options: OpenConnectionsOptions): OpenConnections => {
  const { store, vault } = options
  const inUse = new Map<string, OpenConnection>()
  /** Open connections by tenant, integration and the caller's way to name them, so that a run needs no store read. */
  const byCaller = new Map<string, Map<LoadedIntegration, LRUCache<string, OpenConnection>>>()
  const connectionsFor = (tenant: string, loaded: LoadedIntegration) => {
    const ofTenant = byCaller.get(tenant) ?? new Map<LoadedIntegration, LRUCache<string, OpenConnection>>()
    const ofIntegration = ofTenant.get(loaded) ?? new LRUCache<string, OpenConnection>(callersKept)
    byCaller.set(tenant, ofTenant.set(loaded, ofIntegration))
    return ofIntegration
  }

  /** Number of cache drops so far: rows that were read before the latest one are not cached. */
  let forgotten = 0
  /** A changed connection may change what a name or the default refers to. */
  const forgetLookups = (tenant: string) => {
    forgotten += 1
    byCaller.delete(tenant)
  }

  const openConnection = async (
    connection: Connection,
    loaded: LoadedIntegration,
    readAt = forgotten,
  ): Promise<OpenConnection> => {
    const key = `${connection.tenant}/${connection.id}`
    const present = inUse.get(key)
    if (present) return present
    const opened = await openStored(options, connection, loaded)
    // Two calls may open the same connection at once. All must use one object, so that a credential is renewed only
    // once.
    const other = inUse.get(key)
    if (other) return other
    if (readAt !== forgotten) {
      opened.live = false
      return opened
    }
    inUse.set(key, opened)
    return opened
  }

  const choose = createChoose(options)
  const find = async (
    caller: Caller,
    loaded: LoadedIntegration,
    idOrName: string | undefined,
    key: string,
  ): Promise<OpenConnection> => {
    const readAt = forgotten
    const chosen = await choose(caller, loaded, idOrName)
    const opened = await openConnection(chosen, loaded, readAt)
    // The connection may have been changed since it was read.
    if (readAt !== forgotten) return find(caller, loaded, idOrName, key)
    // Not cached, so that every such call is noticed.
    if (reliesOnAny(caller, idOrName, chosen)) options.onAnyAccount?.(caller, chosen)
    else connectionsFor(caller.tenant, loaded).set(key, opened)
    return opened
  }

  const forget = (tenant: string, id?: string) => {
    forgetLookups(tenant)
    const keys = id === undefined ? inUse.keys() : [`${tenant}/${id}`]
    for (const key of keys) {
      const opened = inUse.get(key)
      if (opened?.connection.tenant !== tenant) continue
      opened.live = false
      inUse.delete(key)
    }
  }

  return {
    open(caller, loaded, idOrName) {
      // People choose names, so two callers may mean different connections by the same name.
      const key =
        caller.connections || caller.person !== undefined
          ? `!${JSON.stringify([caller.connections ?? null, caller.person ?? null, idOrName])}`
          : idOrName === undefined
            ? ''
            : `/${idOrName}`
      const present = byCaller.get(caller.tenant)?.get(loaded)?.get(key)
      return present?.live ? present : find(caller, loaded, idOrName, key)
    },
    openConnection,
    forget,
    ...createChangedElsewhere({
      store,
      vault,
      openSecrets: (row) => openSealed(options, row),
      inUse,
      forget,
      forgetLookups,
    }),
    appChanged(tenant, integration) {
      for (const { usesApp, connection } of inUse.values()) {
        if (usesApp && connection.integration === integration && (tenant === '' || connection.tenant === tenant))
          forget(connection.tenant, connection.id)
      }
    },
  }
}

/** @throws Failure `not_connected` when the connection's state rules out its use */
export const requireUsable = ({ connection }: OpenConnection) => {
  if (connection.state === 'connected' || connection.state === 'unverified') return
  const why = connection.stateReason ?? connection.state
  const remedy = connection.state === 'disabled' ? 'Enable it again' : 'Reconnect it'
  throw fail(
    'not_connected',
    `The connection "${connection.name}" cannot be used: ${why}. ${remedy}, then run this again.`,
  )
}
