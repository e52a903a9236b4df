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
import type { People } from '../people/people.ts'
import { lastFour } from './secrets.ts'

/** A credential as received from its owner or from the provider. */
export type Credential = {
  secrets: Record<string, string>
  oauthVersion: Connection['oauthVersion']
  expiresAt: number | null
  /** The wire profile that decides where it is sent; undefined: that of the row. */
  profile?: string | null | undefined
  /** Whose account it is and whom we act as there, where the provider said so with the credential. */
  account?: Pick<Verified, 'accountId' | 'accountName' | 'ownIds'>
  grantedScopes?: string[] | undefined
}
export type ConnectionDraft = {
  tenant: string
  integration: string
  type: string
  name?: string | undefined
  externalId?: string | null | undefined
  person?: string | null | undefined
  labels?: Record<string, string> | undefined
  policy?: ConnectionPolicy | null | undefined
  profile?: string | null | undefined
}

export type ConnectionWriter = {
  /** A row that is not stored yet, for verifying a credential. */
  draft(connection: ConnectionDraft): Connection
  /**
   * Verifies a credential. If the provider does not answer, the result is `unverified`.
   * @throws Failure that the provider answered
   */
  verify(row: Connection, credential: Credential): Promise<Verified>
  /**
   * Stores a new connection.
   * @throws Failure `conflict` for a name that is taken
   */
  add(row: Connection, credential: Credential, proof: Verified, hasName: boolean): Promise<Connection>
  /**
   * Replaces the credential of a connection.
   * @throws Failure `conflict` when the new one belongs to another account
   */
  replace(row: Connection, credential: Credential, proof: Verified, options?: { enable?: boolean }): Promise<void>
  /**
   * Writes columns and drops everything cached from the row.
   * @throws Failure `not_found`
   */
  change(row: Connection, changes: Partial<Connection>): Promise<void>
  /** @throws Failure `conflict` when another connection of the integration and person has this name */
  refuseTakenName(row: NamedFor, name: string): Promise<void>
}

type NamedFor = Pick<Connection, 'id' | 'tenant' | 'integration' | 'person'>

type WriterOptions = {
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
  people: Pick<People, 'note'>
}

/**
 * A hint for the operator, since a test named by the profile goes to an address from the operator's settings. An
 * integration's own test has a fixed address.
 */
const hintOf = ({ id, test }: ConnectionType, setting: string) =>
  test
    ? ''
    : ` If the key is right, the operator checks "${setting}.auth.${id}", which says where it goes, and "${setting}.baseUrl".`

const refusal = (thrown: Failure, { title, help }: ConnectionType, hint: string) => {
  const where = help === undefined ? 'Check it and try again.' : `Check it and try again: ${help}`
  const said = `The provider refused this ${title} (it answered ${thrown.details.providerStatus}). Nothing was stored. ${where}${hint}`
  return fail('not_connected', said, { ...thrown.details, cause: thrown })
}

/** A row that is neither verified nor named yet. */
const draftOf = (
  { tenant, integration, type, name, externalId, person, labels, policy, profile }: ConnectionDraft,
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
    person: person ?? null,
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

/** The connections of the integration that belong to the same person, or to the workspace, as this one. */
const alike = async (store: Store, { tenant, integration, person = null }: NamedFor) =>
  (await store.connections.list(tenant, { integration })).filter((row) => (row.person ?? null) === person)

/** The name itself, or with a number appended when another connection has it. */
const freeName = async (store: Store, row: NamedFor, name: string) => {
  const names = new Set((await alike(store, row)).map((other) => other.name))
  if (!names.has(name)) return name
  let n = 2
  while (names.has(`${name} ${n}`)) n += 1
  return `${name} ${n}`
}

const refuseTooMany = async ({ store, quotas }: WriterOptions, tenant: string) => {
  const { connections: max } = quotas.of(tenant)
  if ((await store.connections.list(tenant)).length >= max) throw overQuota(max, 'connected accounts', 'connections')
}

/**
 * The columns of a credential. Call it in the same turn as the write, so that a master key replaced meanwhile is not
 * used.
 */
const sealCredential = (
  vault: Vault,
  row: Connection,
  { secrets, oauthVersion, expiresAt, profile, grantedScopes }: Credential,
) => ({
  secrets: vault.seal({ tenant: row.tenant, owner: row.id }, secrets),
  hints: lastFour(secrets),
  oauthVersion: oauthVersion ?? null,
  expiresAt,
  profile: (profile === undefined ? row.profile : profile) ?? null,
  grantedScopes: grantedScopes ?? null,
})

const verifyCredential = async (
  { registry, verifier, clock }: WriterOptions,
  row: Connection,
  credential: Credential,
): Promise<Verified> => {
  try {
    const { oauthVersion, profile = row.profile, secrets, account } = credential
    const proof = await verifier.verify(
      { ...row, oauthVersion: oauthVersion ?? null, profile: profile ?? null },
      secrets,
    )
    return { ...account, ...proof }
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    const profile = credential.profile === undefined ? row.profile : credential.profile
    const loaded = registry.forConnection({ ...row, profile: profile ?? null })
    const type = typeOf(loaded, row.type)
    if (needsReconnect(thrown) && thrown.details.providerStatus !== undefined)
      throw refusal(thrown, type, hintOf(type, loaded.setting))
    if (!isNoAnswer(thrown))
      throw fail(
        thrown.code,
        thrown.details.providerStatus === undefined
          ? thrown.message
          : `${thrown.message}${hintOf(type, loaded.setting)}`,
        {
          ...thrown.details,
          cause: thrown,
        },
      )
    return {
      ...credential.account,
      state: 'unverified',
      stateReason: `Not tested yet: ${thrown.message}`,
      stateAt: clock.now(),
    }
  }
}

/** A connection keeps the account that it was created for: another account's credential is refused. */
const requireSameAccount = ({ registry }: WriterOptions, row: Connection, { accountId, accountName }: Verified) => {
  if (row.accountId === null || accountId === row.accountId) return
  if (accountId !== undefined)
    throw failField(
      'secrets',
      `This credential belongs to ${accountName}, but this connection to ${row.accountName}. Log in there as ${row.accountName}, or connect ${accountName} as a new account.`,
      'conflict',
    )
  if (
    registry.integration(row.integration).integration.connections.some((type) => type.id === row.type && type.identify)
  )
    throw fail(
      'unreachable',
      'The provider could not be asked whose credential this is, and an account never changes hands unseen. Try again in a moment.',
    )
}

/**
 * Until there were people, `externalId` said whose account it is. Where the host resolves the secrets, it names them
 * instead; such a connection stores none. Accounts of the sandbox are for all.
 */
const isPerhapsSomebodys = ({ externalId, person, secrets }: Connection): boolean =>
  externalId !== null && externalId !== 'sandbox' && person == null && Object.keys(secrets).length > 0

export const createConnectionWriter = (options: WriterOptions): ConnectionWriter => {
  const { registry, openConnections, store, vault, states, clock, log, people, forgetOptions } = options

  const writer: ConnectionWriter = {
    draft: (connection) => draftOf(connection, clock.now()),
    verify: (row, credential) => verifyCredential(options, row, credential),
    async add(row, credential, proof, hasName) {
      await refuseTooMany(options, row.tenant)
      const { title } = registry.integration(row.integration).integration
      const preferredName = row.name || proof.accountName || title
      const name = hasName ? preferredName : await freeName(store, row, preferredName)
      await writer.refuseTakenName(row, name)
      const otherConnections = await alike(store, row)
      // The first connection is the default until somebody chooses another: adding a second one must not change where
      // calls without a name go.
      if (otherConnections.length === 1 && !otherConnections[0]!.isDefault)
        await writer.change(otherConnections[0]!, { isDefault: true })
      const added: Connection = {
        ...row,
        ...proof,
        name,
        isDefault: otherConnections.length === 0,
        ...sealCredential(vault, row, credential),
      }
      await store.connections.add(added, connectionCreated(added, clock.now()))
      if (added.person != null) people.note(added.tenant, added.person)
      openConnections.forget(row.tenant, row.id)
      log('info', 'connection.created', { connection: row.id, integration: row.integration, state: added.state })
      if (isPerhapsSomebodys(added))
        log('warn', 'connection.of_the_workspace', {
          connection: row.id,
          integration: row.integration,
          reason:
            'It has an externalId, no person, and is for everybody in the workspace. Name whose account it is in "person".',
        })
      return added
    },
    async replace(row, credential, proof, { enable = false } = {}) {
      requireSameAccount(options, row, proof)
      const state =
        row.state === 'disabled' && !enable
          ? { state: row.state, stateReason: row.stateReason, stateAt: row.stateAt }
          : {}
      // Cleared before and after the change, because until then runs still record matches of the former credential.
      await store.matches.clear(row.tenant, row.id)
      await writer.change(row, { ...proof, ...state, ...sealCredential(vault, row, credential) })
      await store.matches.clear(row.tenant, row.id)
    },
    async change(row, changes) {
      const now = clock.now()
      const isPatched = await store.connections.patch(
        row.tenant,
        row.id,
        { ...changes, updatedAt: now },
        connectionChanged(row, changes, now),
      )
      openConnections.forget(row.tenant, row.id)
      forgetOptions(row.tenant)
      if (changes.person != null) people.note(row.tenant, changes.person)
      if (!isPatched) throw fail('not_found', `There is no connection "${row.id}".`)
      if (changes.state !== undefined) states.announce(row, changes.state, changes.stateReason ?? null)
    },
    async refuseTakenName(row, name) {
      const same = (await alike(store, row)).find((other) => other.name === name && other.id !== row.id)
      if (same)
        throw failField(
          'name',
          `Another ${row.integration} connection is already named "${name}". Choose another name.`,
          'conflict',
        )
    },
  }
  return writer
}
