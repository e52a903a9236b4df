import { fail, failField } from '#kit'
import type { ConnectionType } from '#kit'
import type { Apps } from '../apps.ts'
import { findConnection, readProfile, refuseBoundToken } from '../connections.ts'
import { flowOf } from '../../catalogue/connection-manifest.ts'
import { isBrowserOAuth, schemeFor } from '../../catalogue/scheme.ts'
import type { Caller, Clock, Store } from '../../ports/index.ts'
import { typeOf } from '../../catalogue/registry.ts'
import type { Loaded, Registry } from '../../catalogue/registry.ts'
import { checkReturnTo, secretHash, newBrowserSecret } from './binding.ts'
import type { ConnectBegun, ConnectWanted } from './types.ts'

const livesMs = 10 * 60_000

type Parts = { registry: Registry; store: Store; apps: Pick<Apps, 'oauthApp'>; clock: Clock; base(): string }

/** Which version of OAuth a type connects by; `unset`: the profile has no addresses for it. */
const oauthFacts = (type: ConnectionType, { wire }: Loaded): '1.0a' | '2.0' | 'unset' | 'none' => {
  const scheme = schemeFor(type, wire)
  if (!isBrowserOAuth(scheme)) return 'none'
  if (!wire.oauth) return 'unset'
  return scheme === 'oauth1' ? '1.0a' : '2.0'
}

/** The recommended type that is set up, else one that needs no setting up. */
const chooseType = async ({ apps }: Parts, tenant: string, loaded: Loaded): Promise<ConnectionType> => {
  const types = loaded.integration.connections.toSorted((a, b) => Number(b.recommended ?? false) - Number(a.recommended ?? false))
  for (const type of types) {
    const facts = oauthFacts(type, loaded)
    if (facts === 'none' || (facts !== 'unset' && (await apps.oauthApp(tenant, loaded.integration.id, facts)))) return type
  }
  return types[0]!
}

/** Says now what would otherwise only be seen in the browser. */
const requireReady = async ({ apps }: Parts, tenant: string, loaded: Loaded, type: ConnectionType) => {
  const { id } = loaded.integration
  const flow = flowOf(type, loaded.wire)
  const facts = oauthFacts(type, loaded)
  if (facts === 'unset') throw fail('wire_unset', `The provider documents do not show its OAuth addresses. The operator sets "wire.${id}.oauth".`)
  if (flow === 'token-page' && !loaded.wire.authUrl)
    throw fail('wire_unset', `The provider documents do not show its authorize address. The operator sets "wire.${id}.authUrl".`)
  if (facts === 'none' || (await apps.oauthApp(tenant, id, facts))) return
  throw fail('conflict', `No app is set up at ${loaded.integration.title} to connect with. Set its key and secret first: PUT /v1/apps/${id}.`)
}

const refuseNewOnes = (caller: Caller) => {
  refuseBoundToken(caller)
  if (caller.scopes && !caller.scopes.includes('connections'))
    throw fail('not_allowed', 'This token may not connect new accounts. Use one with the scope "connections".')
}

/** Begins connecting in a browser. What must be remembered until it comes back is stored under the hash of `state`. */
export const createStart =
  (parts: Parts) =>
  async (caller: Caller, wanted: ConnectWanted): Promise<ConnectBegun> => {
    const { registry, store, clock, base } = parts
    const row = wanted.connection === undefined ? undefined : await findConnection(store, caller, wanted.connection, wanted.integration)
    if (!row) refuseNewOnes(caller)
    const integration = row?.integration ?? wanted.integration
    if (integration === undefined) throw failField('integration', 'Give "integration" for a new account, or "connection" to reconnect one.')
    if (row && wanted.integration !== undefined && wanted.integration !== row.integration)
      throw failField('integration', `The connection "${row.id}" is one of ${row.integration}.`)
    const profile = readProfile(registry, integration, wanted.profile ?? row?.profile)
    const loaded = registry.integration(integration).withProfile(profile)
    const type = row ? typeOf(loaded, row.type) : wanted.type === undefined ? await chooseType(parts, caller.tenant, loaded) : typeOf(loaded, wanted.type)
    if (row && wanted.type !== undefined && wanted.type !== row.type)
      throw failField('type', `The connection "${row.id}" is of the type "${row.type}". Connect a new account for another type.`)
    await requireReady(parts, caller.tenant, loaded, type)
    const returnTo = wanted.returnTo === undefined ? null : checkReturnTo(wanted.returnTo)
    const state = newBrowserSecret()
    const now = clock.now()
    await store.authorizations.add({
      id: secretHash(state),
      tenant: caller.tenant,
      integration,
      type: type.id,
      connection: row?.id ?? null,
      name: wanted.name ?? null,
      profile,
      browser: null,
      returnTo,
      externalId: wanted.externalId ?? null,
      labels: wanted.labels ?? {},
      secrets: {},
      token: caller.token ?? null,
      createdAt: now,
      expiresAt: now + livesMs,
      usedAt: null,
    })
    return { url: `${base()}/connect/${state}`, state, expiresAt: new Date(now + livesMs).toISOString() }
  }
