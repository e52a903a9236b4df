import { fail, failField, isAbsent, isFailure, needsReconnect } from '#kit'
import type { ConnectionType } from '#kit'
import { fitsBaseUrl } from '../../wire/guard/base-url.ts'
import type { OpenConnections } from './open-connection.ts'
import type { ConnectionStates } from './states.ts'
import type { ConnectionWriter, Credential } from './save.ts'
import type { Verifier } from './verify.ts'
import { parseSecrets } from './secrets.ts'
import { readPolicy } from './policy.ts'
import type { NewPolicy } from './policy.ts'
import { readDefaultContainer } from './default-container.ts'
import { viewConnection } from './view.ts'
import type { Caller, Clock, Connection, Log, Store } from '../ports/index.ts'
import { noSuchProfile, profileNames } from '../catalogue/choose-profile.ts'
import { typeOf } from '../catalogue/registry.ts'
import { versionFor } from '../catalogue/scheme.ts'
import type { LoadedIntegration, Registry } from '../catalogue/registry.ts'
import type { Checks } from './check.ts'
import type { Connection as ConnectionView } from '../../api/resources/connection.ts'
import { actFor, isBoundToPerson, mayUse, refuseVaultName, requireOwner, requirePersonId } from '../people/act-for.ts'
import { byName } from '../people/choose.ts'

export type { ConnectionView }

export type NewConnection = {
  integration: string
  type: string
  /** Name of a wire profile of the integration; absent: the operator's. */
  profile?: string | null | undefined
  name?: string | undefined
  secrets?: Record<string, unknown> | undefined
  policy?: NewPolicy | undefined
  externalId?: string | undefined
  /** Whose account it is; absent: the workspace's, or that of the person the caller acts for. */
  person?: string | undefined
  labels?: Record<string, string> | undefined
  isDefault?: boolean | undefined
}
export type ConnectionChanges = {
  name?: string | undefined
  /** Only together with new `secrets`, because they are then sent to another address; null: the operator's. */
  profile?: string | null | undefined
  secrets?: Record<string, unknown> | undefined
  policy?: NewPolicy | null | undefined
  labels?: Record<string, string> | undefined
  externalId?: string | null | undefined
  /** Whose account it is from now on; null: the workspace's. */
  person?: string | null | undefined
  isDefault?: true | undefined
  /** Id, or another name that the steps take, of the container for calls that name none; null: there is no default. */
  defaultContainer?: string | null | undefined
  disabled?: boolean | undefined
  /**
   * Deletes the secrets here, and revokes them at the provider if it has a way; name, bindings and subscriptions are
   * kept for a reconnect.
   */
  revoked?: true | undefined
}
export type Connections = {
  list(
    caller: Caller,
    filter?: { integration?: string; externalId?: string; person?: string; labels?: Record<string, string> },
  ): Promise<ConnectionView[]>
  get(caller: Caller, id: string): Promise<ConnectionView>
  create(caller: Caller, connection: NewConnection): Promise<ConnectionView>
  patch(caller: Caller, id: string, changes: ConnectionChanges): Promise<ConnectionView>
  remove(caller: Caller, id: string): Promise<void>
  /** Verifies the credential with the integration's free request. Without one, it changes nothing. */
  test(caller: Caller, id: string): Promise<ConnectionView>
}

type ConnectionsOptions = {
  registry: Registry
  openConnections: OpenConnections
  store: Store
  writer: ConnectionWriter
  verifier: Verifier
  states: ConnectionStates
  checks: Checks
  clock: Clock
  log: Log
  ownVault: boolean
  forgetOptions(tenant: string): void
}

const disabledByHand = 'It was disabled by hand'

const credentialOf = (loaded: LoadedIntegration, type: string, secrets: Record<string, string>): Credential => ({
  secrets,
  oauthVersion: versionFor(typeOf(loaded, type), loaded.wire),
  expiresAt: null,
})
/**
 * An address that the owner entered is only used if it matches the operator's pattern.
 * @throws Failure `invalid_input` naming the field, `wire_unset` while no pattern is set
 */
export const requireAllowedAddress = (
  { integration, wire }: LoadedIntegration,
  type: ConnectionType,
  secrets: Record<string, string>,
) => {
  const field = type.baseUrl?.from
  if (field === undefined) return
  const setting = `wire.${integration.id}.baseUrlPattern`
  if (wire.baseUrlPattern == null)
    throw fail(
      'wire_unset',
      `Connections of the type "${type.id}" have an address of their own. The operator sets "${setting}" to what is allowed.`,
    )
  if (fitsBaseUrl(wire.baseUrlPattern, secrets[field] ?? '')) return
  throw failField(
    `secrets/${field}`,
    `"${field}" is not an address that is allowed here: it has to fit ${wire.baseUrlPattern}, where "*" matches one label of the name.`,
  )
}
/**
 * Checks a credential that its owner entered.
 * @throws Failure `invalid_input`; `wire_unset` when it has an address of its own but no pattern is set
 */
export const parseCredential = (loaded: LoadedIntegration, typeId: string, values: unknown): Credential => {
  const type = typeOf(loaded, typeId)
  const secrets = parseSecrets(type, values)
  requireAllowedAddress(loaded, type, secrets)
  return credentialOf(loaded, typeId, secrets)
}

/**
 * The row, if this caller may see it.
 * @throws Failure `not_found`
 */
export const mustGetConnection = async (
  store: Pick<Store, 'connections'>,
  caller: Caller,
  id: string,
): Promise<Connection> => {
  const row = await store.connections.get(caller.tenant, id)
  if (!row || !mayUse(caller, row)) throw fail('not_found', `There is no connection "${id}".`)
  return row
}

/**
 * Finds a connection by id or, if `integration` is given, also by name.
 * @throws Failure `not_found`
 */
export const findConnection = async (
  store: Pick<Store, 'connections'>,
  caller: Caller,
  idOrName: string,
  integration: string | undefined,
): Promise<Connection> => {
  if (integration === undefined) return mustGetConnection(store, caller, idOrName)
  const all = await store.connections.list(caller.tenant, { integration })
  return byName({ caller, integration, all }, idOrName)
}

/**
 * The profile chosen for one connection; null: the operator's.
 * @throws Failure `invalid_input` naming the available profiles
 */
export const readProfile = (registry: Registry, id: string, name: string | null | undefined): string | null => {
  if (name === undefined || name === null) return null
  const { integration } = registry.integration(id)
  if (profileNames(integration).includes(name)) return name
  throw failField('profile', noSuchProfile(integration, name))
}

/** Another profile may send the credential to another address, so whoever chooses it must know the credential. */
const requireSecretsWithProfile = (registry: Registry, row: Connection, { profile, secrets }: ConnectionChanges) => {
  if (
    profile === undefined ||
    secrets !== undefined ||
    readProfile(registry, row.integration, profile) === (row.profile ?? null)
  )
    return
  throw failField(
    'secrets',
    'With another "profile" the credential is sent to another address, so give it again in "secrets".',
  )
}

/** A token bound to a person may not give the account away. */
const refuseAnotherOwner = (caller: Caller, { person }: ConnectionChanges) => {
  if (person === undefined || !isBoundToPerson(caller) || person === caller.person) return
  throw failField(
    'person',
    'This token acts for one person, so it cannot give the account to somebody else. Use a token that is bound to nobody.',
    'not_allowed',
  )
}

/** A token bound to connections may not change the settings that limit it. */
const refuseWidening = (caller: Caller, changes: ConnectionChanges) => {
  const field = (['policy', 'isDefault', 'defaultContainer'] as const).find((name) => changes[name] !== undefined)
  if (!caller.connections || field === undefined) return
  throw failField(
    field,
    `This token is bound to certain connections and cannot change "${field}". Use a token that is not bound.`,
    'not_allowed',
  )
}

const openSecrets = async ({ registry, openConnections }: ConnectionsOptions, row: Connection) =>
  (await openConnections.openConnection(row, registry.forConnection(row))).account.secrets

const isOfSame = (row: Pick<Connection, 'person'>, other: Pick<Connection, 'person'>) =>
  (row.person ?? null) === (other.person ?? null)

const makeDefault = async ({ store, writer }: ConnectionsOptions, row: Connection) => {
  for (const other of await store.connections.list(row.tenant, { integration: row.integration })) {
    if (other.isDefault && other.id !== row.id && isOfSame(other, row)) await writer.change(other, { isDefault: false })
  }
  await writer.change(row, { isDefault: true })
}

/**
 * What changes where it becomes the account of another person, or of the workspace. Subscriptions stay with whom they
 * were made for, so none may be left that would act for somebody else.
 */
const newOwner = async (
  { store }: ConnectionsOptions,
  row: Connection,
  person: string | null | undefined,
): Promise<Partial<Pick<Connection, 'person' | 'isDefault'>>> => {
  if (person === undefined || isOfSame(row, { person })) return {}
  if (person !== null) requirePersonId(person)
  if ((await store.subscriptions.list(row.tenant, { limit: 1 }, { connection: row.id })).items.length > 0)
    throw failField(
      'person',
      'Subscriptions use this connection and would start agents for somebody else. Remove them first.',
      'conflict',
    )
  const others = await store.connections.list(row.tenant, { integration: row.integration })
  const isFirst = !others.some((other) => other.id !== row.id && other.isDefault && isOfSame(other, { person }))
  return { person, isDefault: isFirst }
}

/** Deletes the secrets here, and revokes them at the provider if it has a way. */
const revoke = async (options: ConnectionsOptions, row: Connection) => {
  const { registry, verifier, writer, clock } = options
  const { revoke: request } = typeOf(registry.forConnection(row), row.type)
  let result = 'The provider has no way to take it back, so do that there too.'
  if (request) {
    try {
      await verifier.send(row, await openSecrets(options, row), request, 'update')
      result = 'The provider has taken it back too.'
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      result =
        needsReconnect(thrown) || isAbsent(thrown)
          ? 'The provider did not know it any more.'
          : `The provider could not be notified (${thrown.code}), so revoke it there too.`
    }
  }
  await writer.change(row, {
    secrets: {},
    hints: {},
    expiresAt: null,
    state: 'revoked',
    stateReason: `Its secrets were forgotten here. ${result}`,
    stateAt: clock.now(),
  })
}

/** The new secrets of a connection and the profile they are for; undefined when it keeps those it has. */
const newCredential = (registry: Registry, row: Connection, changes: ConnectionChanges) => {
  if (changes.secrets === undefined) return undefined
  const profile =
    changes.profile === undefined ? (row.profile ?? null) : readProfile(registry, row.integration, changes.profile)
  return {
    ...parseCredential(registry.integration(row.integration).withProfile(profile), row.type, changes.secrets),
    profile,
  }
}

/** `row`: as it is stored. `next`: as it would be; nothing of it is kept while it may still be refused. */
const newDefault = async (
  options: ConnectionsOptions,
  row: Connection,
  next: Connection,
  secrets: Record<string, string> | undefined,
  value: string | null | undefined,
): Promise<Pick<Connection, 'defaultContainer'>> => {
  if (value === undefined || value === null) return value === null ? { defaultContainer: null } : {}
  const { registry, verifier } = options
  const used = secrets ?? (await openSecrets(options, row))
  return { defaultContainer: await readDefaultContainer(verifier, registry.forConnection(next), next, used, value) }
}

/** The columns that a patch writes, apart from those of a new credential. */
const columnsOf = (
  { registry, clock }: ConnectionsOptions,
  row: Connection,
  changes: ConnectionChanges,
): Partial<Connection> => {
  const { name, policy, labels, externalId, disabled } = changes
  const now = clock.now()
  return {
    ...(name === undefined ? {} : { name }),
    ...(policy === undefined ? {} : { policy: policy && readPolicy(registry.integration(row.integration), policy) }),
    ...(labels === undefined ? {} : { labels }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(disabled === true ? { state: 'disabled', stateReason: disabledByHand, stateAt: now } : {}),
    ...(disabled === false && row.state === 'disabled' ? { state: 'unverified', stateReason: null, stateAt: now } : {}),
  }
}

export const createConnections = (options: ConnectionsOptions): Connections => {
  const { registry, openConnections, store, writer, states, checks, log, ownVault, forgetOptions } = options

  const verbs: Connections = {
    async list(caller, filter) {
      await checks.settled(caller.tenant)
      const rows = await store.connections.list(caller.tenant, filter)
      return rows.filter((row) => mayUse(caller, row)).map((row) => viewConnection(registry, row))
    },
    async get(caller, id) {
      await checks.settled(caller.tenant)
      return viewConnection(registry, await mustGetConnection(store, caller, id))
    },
    async create(caller, connection) {
      const loaded = registry
        .integration(connection.integration)
        .withProfile(readProfile(registry, connection.integration, connection.profile))
      typeOf(loaded, connection.type)
      const { tenant, person } = actFor(caller, connection.person)
      if (ownVault) refuseVaultName(caller, connection.externalId)
      const isExternal = ownVault && connection.externalId !== undefined && connection.secrets === undefined
      const row = writer.draft({
        ...connection,
        tenant,
        person,
        policy: connection.policy && readPolicy(loaded, connection.policy),
      })
      await writer.refuseTakenName(row, row.name)
      const credential = isExternal
        ? credentialOf(loaded, connection.type, await openSecrets(options, row))
        : parseCredential(loaded, connection.type, connection.secrets)
      const proof = await writer.verify(row, credential)
      await writer.add(
        row,
        isExternal ? { ...credential, secrets: {} } : credential,
        proof,
        connection.name !== undefined,
      )
      if (connection.isDefault) await makeDefault(options, row)
      return verbs.get({ tenant }, row.id)
    },
    async patch(caller, id, changes) {
      const row = await mustGetConnection(store, caller, id)
      requireOwner(caller, row)
      refuseAnotherOwner(caller, changes)
      refuseWidening(caller, changes)
      if (ownVault) refuseVaultName(caller, changes.externalId)
      requireSecretsWithProfile(registry, row, changes)
      const owner = await newOwner(options, row, changes.person)
      if (changes.name !== undefined || owner.person !== undefined)
        await writer.refuseTakenName({ ...row, ...owner }, changes.name ?? row.name)
      const { state, stateReason, stateAt, ...columns } = columnsOf(options, row, changes)
      const credential = newCredential(registry, row, changes)
      const next = { ...row, ...columns, ...(credential ? { profile: credential.profile } : {}) }
      // Before anything is written, so that a refusal leaves everything as it was.
      const defaultContainer = await newDefault(options, row, next, credential?.secrets, changes.defaultContainer)
      if (credential)
        await writer.replace(row, credential, await writer.verify(row, credential), {
          enable: changes.disabled === false,
        })
      // Saving a new credential has already set the state.
      const isSettled = changes.secrets !== undefined && state !== 'disabled'
      await writer.change(row, {
        ...columns,
        ...owner,
        ...defaultContainer,
        ...(isSettled || state === undefined ? {} : { state, stateReason: stateReason ?? null, stateAt: stateAt! }),
      })
      if (changes.revoked) await revoke(options, row)
      if (changes.isDefault) await makeDefault(options, await mustGetConnection(store, caller, id))
      return verbs.get(caller, id)
    },
    async remove(caller, id) {
      const row = await mustGetConnection(store, caller, id)
      requireOwner(caller, row)
      await store.connections.remove(caller.tenant, id)
      openConnections.forget(row.tenant, id)
      forgetOptions(row.tenant)
      states.announce(row, 'revoked', 'The connection was removed.')
      log('info', 'connection.removed', { connection: id, integration: row.integration })
    },
    async test(caller, id) {
      await checks.check(await mustGetConnection(store, caller, id))
      return verbs.get(caller, id)
    },
  }

  return verbs
}
