import { fail, failField } from '#kit'
import type { ConnectionType } from '#kit'
import type { Apps } from '../apps.ts'
import { rules } from '../../../api/rules.ts'
import { requireRule } from '../../bounds.ts'
import { actFor, refuseVaultName, requireOwner } from '../../people/act-for.ts'
import { findConnection, readProfile } from '../connections.ts'
import { flowOf } from '../../catalogue/connection-manifest.ts'
import { isBrowserOAuth, schemeFor } from '../../catalogue/scheme.ts'
import type { Caller, Clock, Connection, Store } from '../../ports/index.ts'
import { typeOf } from '../../catalogue/registry.ts'
import type { LoadedIntegration, Registry } from '../../catalogue/registry.ts'
import { canonicalLocale } from '../../catalogue/locales.ts'
import { checkReturnTo, secretHash, newBrowserSecret } from './binding.ts'
import type { ConnectPageLink, ConnectRequest } from './types.ts'

const livesMs = 10 * 60_000
const maxLivesMs = 7 * 24 * 3_600_000
const maxIntegrations = 50

type StartDependencies = {
  registry: Registry
  store: Store
  apps: Pick<Apps, 'oauthApp'>
  clock: Clock
  base(): string
  returnOrigins: readonly string[]
  /** Whether the host resolves the secrets of connections by their external id. */
  ownVault: boolean
}
type Choice = { integration: string; type: string }

/** The OAuth version that a type connects by; `unset`: the profile has no addresses for it. */
const oauthFacts = (type: ConnectionType, { wire }: LoadedIntegration): '1.0a' | '2.0' | 'unset' | 'none' => {
  const scheme = schemeFor(type, wire)
  if (!isBrowserOAuth(scheme)) return 'none'
  if (!wire.oauth) return 'unset'
  return scheme === 'oauth1' ? '1.0a' : '2.0'
}

/** The allowed types, the recommended one first. */
const allowedTypes = ({ integration }: LoadedIntegration, allowed: readonly string[] | undefined): ConnectionType[] =>
  integration.connections
    .filter(({ id }) => allowed?.includes(id) ?? true)
    .toSorted((a, b) => Number(b.recommended ?? false) - Number(a.recommended ?? false))

/** The recommended type if it is set up, otherwise the first that is set up or needs no setup. */
const chooseType = async (
  { apps }: StartDependencies,
  tenant: string,
  loaded: LoadedIntegration,
  allowed?: readonly string[],
): Promise<ConnectionType> => {
  const types = allowedTypes(loaded, allowed)
  if (types.length === 0)
    throw failField(
      'types',
      `${loaded.integration.title} has none of these connection types. It has: ${loaded.integration.connections.map(({ id }) => id).join(', ')}.`,
    )
  for (const type of types) {
    const facts = oauthFacts(type, loaded)
    if (facts === 'none' || (facts !== 'unset' && (await apps.oauthApp(tenant, loaded.integration.id, facts))))
      return type
  }
  return types[0]!
}

/**
 * Fails now instead of later in the browser.
 * @throws Failure `wire_unset` or `conflict` when the type cannot be connected yet
 */
const requireReady = async (
  { apps }: StartDependencies,
  tenant: string,
  loaded: LoadedIntegration,
  type: ConnectionType,
) => {
  const { id } = loaded.integration
  const flow = flowOf(type, loaded.wire)
  const facts = oauthFacts(type, loaded)
  if (facts === 'unset')
    throw fail(
      'wire_unset',
      `The provider documents do not show its OAuth addresses. The operator sets "wire.${id}.oauth".`,
    )
  if (flow === 'token-page' && !loaded.wire.authUrl)
    throw fail(
      'wire_unset',
      `The provider documents do not show its authorize address. The operator sets "wire.${id}.authUrl".`,
    )
  if (facts === 'none' || (await apps.oauthApp(tenant, id, facts))) return
  throw fail(
    'conflict',
    `No app is set up at ${loaded.integration.title} to connect with. Set its key and secret first: PUT /v1/apps/${id}.`,
  )
}

/** What a person may choose from: every allowed type that is set up, of each integration. */
const choicesOf = async (
  parts: StartDependencies,
  tenant: string,
  integrations: readonly string[],
  types: readonly string[] | undefined,
): Promise<Choice[]> => {
  if (integrations.length === 0 || integrations.length > maxIntegrations)
    throw failField('integrations', `Give 1 to ${maxIntegrations} integrations.`)
  const choices: Choice[] = []
  for (const integration of new Set(integrations)) {
    const loaded = parts.registry.integration(integration)
    // Throws when the integration has none of the allowed types.
    await chooseType(parts, tenant, loaded, types)
    for (const type of allowedTypes(loaded, types)) {
      const isReady = await requireReady(parts, tenant, loaded, type).then(
        () => true,
        () => false,
      )
      if (isReady) choices.push({ integration, type: type.id })
    }
  }
  if (choices.length > 0) return choices
  throw fail(
    'conflict',
    'None of these integrations can be connected yet. Set the app of one first: PUT /v1/apps/{integration}.',
  )
}

const readLife = (expiresInMs: number | undefined) => {
  if (expiresInMs === undefined) return livesMs
  if (Number.isInteger(expiresInMs) && expiresInMs >= 60_000 && expiresInMs <= maxLivesMs) return expiresInMs
  throw failField('expiresInMs', 'expiresInMs is 60000 (a minute) to 604800000 (7 days).')
}

/** What is to be connected, or what the person may choose from. */
const readConnectRequest = async (
  parts: StartDependencies,
  caller: Caller,
  request: ConnectRequest,
  row: Connection | undefined,
) => {
  const { registry } = parts
  const { integrations, types } = request
  if (integrations !== undefined) {
    for (const name of ['integration', 'connection', 'type', 'profile'] as const)
      if (request[name] !== undefined) throw failField(name, `"${name}" cannot be given together with "integrations".`)
    const choices = await choicesOf(parts, caller.tenant, integrations, types)
    return choices.length === 1
      ? { ...choices[0]!, profile: null, choices: null }
      : { integration: '', type: '', profile: null, choices }
  }
  const integration = row?.integration ?? request.integration
  if (integration === undefined)
    throw failField(
      'integration',
      'Give "integration" or "integrations" for a new account, or "connection" to reconnect one.',
    )
  if (row && request.integration !== undefined && request.integration !== row.integration)
    throw failField(
      'integration',
      `The connection "${row.id}" belongs to the integration "${row.integration}". Leave out "integration", or give that one.`,
    )
  const profile = readProfile(registry, integration, request.profile ?? row?.profile)
  const loaded = registry.integration(integration).withProfile(profile)
  const chosen = async () =>
    request.type === undefined ? chooseType(parts, caller.tenant, loaded, types) : typeOf(loaded, request.type)
  const type = row ? typeOf(loaded, row.type) : await chosen()
  if (row && request.type !== undefined && request.type !== row.type)
    throw failField(
      'type',
      `The connection "${row.id}" is of the type "${row.type}". Connect a new account for another type.`,
    )
  if (types && !types.includes(type.id))
    throw failField('types', `"types" does not contain the type "${type.id}". Add it, or leave out "types".`)
  await requireReady(parts, caller.tenant, loaded, type)
  return { integration, type: type.id, profile, choices: null }
}

/** A link for one person or thing of the platform reconnects only its connections. */
const requireOwned = (row: Connection, externalId: string | undefined) => {
  if (externalId !== undefined && row.externalId !== externalId)
    throw fail('not_found', `There is no connection "${row.id}" of "${externalId}".`)
}

/** Whoever may run steps for a person may ask that person to connect an account of their own. */
const ownConnection = { ...rules.createConnection, access: [...rules.createConnection.access, 'run'] as const }

/** A link for a person does not reconnect an account of the workspace. @throws Failure `not_allowed` */
const requireOwnerOf = (caller: Caller, row: Connection) => {
  if (caller.person !== undefined) requireOwner({ tenant: caller.tenant, person: caller.person }, row)
}

/**
 * Starts a connect flow in the browser. What must be remembered until the browser returns is stored under the hash of
 * `state`.
 */
export const createStart =
  (parts: StartDependencies) =>
  async (requestedBy: Caller, request: ConnectRequest): Promise<ConnectPageLink> => {
    const { store, clock, base } = parts
    const caller = actFor(requestedBy, request.person)
    if (parts.ownVault) refuseVaultName(caller, request.externalId)
    const row =
      request.connection === undefined
        ? undefined
        : await findConnection(store, caller, request.connection, request.integration)
    if (row) {
      requireOwned(row, request.externalId)
      requireOwnerOf(caller, row)
    } else requireRule(caller, caller.person === undefined ? rules.createConnection : ownConnection)
    const life = readLife(request.expiresInMs)
    const returnTo = request.returnTo === undefined ? null : checkReturnTo(request.returnTo, parts.returnOrigins)
    const locale = request.locale === undefined ? null : canonicalLocale(request.locale)
    const chosen = await readConnectRequest(parts, caller, request, row)
    const state = newBrowserSecret()
    const now = clock.now()
    await store.authorizations.add({
      id: secretHash(state),
      tenant: caller.tenant,
      ...chosen,
      connection: row?.id ?? null,
      name: request.name ?? null,
      browser: null,
      returnTo,
      locale,
      externalId: request.externalId ?? null,
      person: row ? (row.person ?? null) : (caller.person ?? null),
      labels: request.labels ?? {},
      secrets: {},
      token: caller.token ?? null,
      createdAt: now,
      expiresAt: now + life,
      usedAt: null,
    })
    return { url: `${base()}/connect/${state}`, state, expiresAt: new Date(now + life).toISOString() }
  }
