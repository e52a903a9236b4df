import { randomUUIDv7 } from 'node:crypto'
import { fail, failField, isFailure, isNoAnswer, needsReconnect } from '#kit'
import type { ConnectionType, Failure } from '#kit'
import type { OpenConnections } from './open-connection.ts'
import { connectionChanged, connectionCreated } from '../notices.ts'
import type { Clock, Connection, ConnectionPolicy, Log, Store, Vault } from '../ports/index.ts'
import { overQuota } from '../admin/quotas.ts'
import type { Quotas } from '../admin/quotas.ts'
import { typeOf } from '../catalogue/registry.ts'
import type { Registry } from '../catalogue/registry.ts'
import type { ConnectionStates } from './states.ts'
import type { Verified, Verifier } from './verify.ts'
import { lastFour } from './secrets.ts'

/** A credential as it came from its owner or the provider. */
export type Given = {
  secrets: Record<string, string>
  oauthVersion: Connection['oauthVersion']
  expiresAt: number | null
  /** The wire profile that says where it is sent; undefined: that of the row. */
  profile?: string | null | undefined
}
export type Wanted = {
  tenant: string
  integration: string
  type: string
  name?: string | undefined
  externalId?: string | null | undefined
  labels?: Record<string, string> | undefined
  policy?: ConnectionPolicy | null | undefined
  profile?: string | null | undefined
}

export type ConnectionWriter = {
  /** A row that is not stored yet, for proving. */
  draft(wanted: Wanted): Connection
  /** Proves a credential; a provider that is away is no proof against it. Throws what the provider said. */
  verify(row: Connection, given: Given): Promise<Verified>
  /** Stores a new connection. Throws `conflict` for a name that is taken. */
  add(row: Connection, given: Given, proof: Verified, hasName: boolean): Promise<Connection>
  /** Gives an existing connection a new credential. Throws `conflict` when that belongs to another account. */
  replace(row: Connection, given: Given, proof: Verified, options?: { enable?: boolean }): Promise<void>
  /** Writes columns and lets everything that was made from the row go. Throws `not_found`. */
  change(row: Connection, changes: Partial<Connection>): Promise<void>
  /** Whether another connection of the integration has this name. */
  refuseTakenName(tenant: string, integration: string, name: string, id: string): Promise<void>
}

type Parts = {
  registry: Registry
  openConnections: OpenConnections
  store: Store
  vault: Vault
  verifier: Verifier
  states: ConnectionStates
  clock: Clock
  log: Log
  forgetOptions(tenant: string): void
  quotas: Quotas
}

/** An integration knows where its own test goes; one that a profile names goes where the operator's settings say. */
const hintOf = ({ id, test }: ConnectionType, setting: string) =>
  test ? '' : ` If the key is right, the operator checks "${setting}.auth.${id}", which says where it goes, and "${setting}.baseUrl".`

const refusal = (thrown: Failure, { title, help }: ConnectionType, hint: string) => {
  const where = help === undefined ? 'Check it and try again.' : `Check it and try again: ${help}`
  const said = `The provider refused this ${title} (it answered ${thrown.details.providerStatus}). Nothing was stored. ${where}${hint}`
  return fail('not_connected', said, { ...thrown.details, cause: thrown })
}

/** A row that nothing has verified or named yet. */
const draftOf = (
  { tenant, integration, type, name, externalId, labels, policy, profile }: Parameters<ConnectionWriter['draft']>[0],
  now: number,
): Connection => {
  return {
    id: `con_${randomUUIDv7()}`,
    tenant,
    integration,
    type,
    name: name ?? '',
    state: 'unverified',
    stateReason: null,
    stateAt: now,
    accountId: null,
    accountName: null,
    secrets: {},
    hints: {},
    policy: policy ?? null,
    externalId: externalId ?? null,
    labels: labels ?? {},
    isDefault: false,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: null,
    oauthVersion: null,
    expiresAt: null,
    profile: profile ?? null,
  }
}

export const createConnectionWriter = ({
  registry,
  openConnections,
  store,
  vault,
  verifier,
  states,
  clock,
  log,
  forgetOptions,
  quotas,
}: Parts): ConnectionWriter => {
  const freeName = async (tenant: string, integration: string, wanted: string) => {
    const names = new Set((await store.connections.list(tenant, { integration })).map((row) => row.name))
    if (!names.has(wanted)) return wanted
    let n = 2
    while (names.has(`${wanted} ${n}`)) n += 1
    return `${wanted} ${n}`
  }

  const refuseTooMany = async (tenant: string) => {
    const { connections: most } = quotas.of(tenant)
    if ((await store.connections.list(tenant)).length >= most) throw overQuota(most, 'connected accounts', 'connections')
  }

  /** Sealed in the same turn as it is written, so that a key rotated meanwhile is never used any more. */
  const sealed = (row: Connection, { secrets, oauthVersion, expiresAt, profile }: Given) => ({
    secrets: vault.seal({ tenant: row.tenant, owner: row.id }, secrets),
    hints: lastFour(secrets),
    oauthVersion: oauthVersion ?? null,
    expiresAt,
    profile: (profile === undefined ? row.profile : profile) ?? null,
  })

  const writer: ConnectionWriter = {
    draft: (given) => draftOf(given, clock.now()),
    async verify(row, given) {
      try {
        const { oauthVersion, profile = row.profile } = given
        return await verifier.verify({ ...row, oauthVersion: oauthVersion ?? null, profile: profile ?? null }, given.secrets)
      } catch (thrown) {
        // Wrong credentials are refused at once.
        if (!isFailure(thrown)) throw thrown
        const loaded = registry.forConnection(row)
        const type = typeOf(loaded, row.type)
        if (needsReconnect(thrown) && thrown.details.providerStatus !== undefined) throw refusal(thrown, type, hintOf(type, loaded.setting))
        if (!isNoAnswer(thrown))
          throw fail(thrown.code, `${thrown.message}${thrown.details.providerStatus === undefined ? '' : hintOf(type, loaded.setting)}`, {
            ...thrown.details,
            cause: thrown,
          })
        return { state: 'unverified', stateReason: `Not tested yet: ${thrown.message}`, stateAt: clock.now() }
      }
    },
    async add(row, given, proof, hasName) {
      await refuseTooMany(row.tenant)
      const { title } = registry.integration(row.integration).integration
      const wanted = row.name || proof.accountName || title
      const name = hasName ? wanted : await freeName(row.tenant, row.integration, wanted)
      await writer.refuseTakenName(row.tenant, row.integration, name, row.id)
      const others = await store.connections.list(row.tenant, { integration: row.integration })
      // The first one is the default until somebody chooses: a second one must not change where calls without a name go.
      if (others.length === 1 && !others[0]!.isDefault) await writer.change(others[0]!, { isDefault: true })
      const added: Connection = { ...row, ...proof, name, isDefault: others.length === 0, ...sealed(row, given) }
      await store.connections.add(added, connectionCreated(added, clock.now()))
      openConnections.forget(row.tenant, row.id)
      log('info', 'connection.created', { connection: row.id, integration: row.integration, state: added.state })
      return added
    },
    async replace(row, given, proof, { enable = false } = {}) {
      if (row.accountId !== null && proof.accountId !== undefined && proof.accountId !== row.accountId) {
        throw failField(
          'secrets',
          `This credential belongs to ${proof.accountName}, but this connection to ${row.accountName}. Log in there as ${row.accountName}, or connect ${proof.accountName} as a new account.`,
          'conflict',
        )
      }
      if (
        row.accountId !== null &&
        proof.accountId === undefined &&
        registry.integration(row.integration).integration.connections.some((type) => type.id === row.type && type.identify)
      ) {
        throw fail('unreachable', 'The provider could not be asked whose credential this is, and an account never changes hands unseen. Try again in a moment.')
      }
      const state = row.state === 'disabled' && !enable ? { state: row.state, stateReason: row.stateReason, stateAt: row.stateAt } : {}
      // What it has found was found with the former credential, with which runs go on until it is replaced.
      await store.matches.clear(row.tenant, row.id)
      await writer.change(row, { ...proof, ...state, ...sealed(row, given) })
      await store.matches.clear(row.tenant, row.id)
    },
    async change(row, changes) {
      const now = clock.now()
      const done = await store.connections.patch(row.tenant, row.id, { ...changes, updatedAt: now }, connectionChanged(row, changes, now))
      openConnections.forget(row.tenant, row.id)
      forgetOptions(row.tenant)
      if (!done) throw fail('not_found', `There is no connection "${row.id}".`)
      if (changes.state !== undefined) states.announce(row, changes.state, changes.stateReason ?? null)
    },
    async refuseTakenName(tenant, integration, name, id) {
      const same = (await store.connections.list(tenant, { integration })).find((other) => other.name === name && other.id !== id)
      if (same) throw failField('name', `Another ${integration} connection is already named "${name}". Choose another name.`, 'conflict')
    },
  }
  return writer
}
