import { randomUUIDv7 } from 'node:crypto'
import { fail, failField, isFailure } from '#kit'
import type { ConnectionType, Failure } from '#kit'
import type { Wire } from '../wire/types.ts'
import type { Accounts } from './accounts.ts'
import { createContext } from './context.ts'
import type { Session } from './context.ts'
import type { Caller, Clock, Connection, ConnectionPolicy, ConnectionState, Log, Store, Vault } from './ports.ts'
import type { Loaded, Registry } from './registry.ts'
import type { Health } from './steps.ts'

/** A connection as the faces show it: never a secret, only the last four characters. */
export type ConnectionView = {
  id: string
  integration: string
  type: string
  name: string
  state: ConnectionState
  stateReason: string | null
  stateAt: string
  account: { id: string; name: string | null } | null
  secrets: Record<string, string>
  policy: ConnectionPolicy | null
  externalId: string | null
  labels: Record<string, string>
  isDefault: boolean
  createdAt: string
  updatedAt: string
  lastUsedAt: string | null
}
export type NewConnection = {
  integration: string
  type: string
  name?: string | undefined
  secrets?: Record<string, unknown> | undefined
  policy?: ConnectionPolicy | undefined
  externalId?: string | undefined
  labels?: Record<string, string> | undefined
  isDefault?: boolean | undefined
}
export type ConnectionChanges = {
  name?: string | undefined
  secrets?: Record<string, unknown> | undefined
  policy?: ConnectionPolicy | null | undefined
  labels?: Record<string, string> | undefined
  externalId?: string | null | undefined
  isDefault?: true | undefined
  disabled?: boolean | undefined
}
export type Connections = {
  list(caller: Caller, filter?: { integration?: string; externalId?: string; labels?: Record<string, string> }): Promise<ConnectionView[]>
  get(caller: Caller, id: string): Promise<ConnectionView>
  create(caller: Caller, given: NewConnection): Promise<ConnectionView>
  patch(caller: Caller, id: string, changes: ConnectionChanges): Promise<ConnectionView>
  remove(caller: Caller, id: string): Promise<void>
  /** Proves the credential with the integration's free request; without one it says so and changes nothing. */
  test(caller: Caller, id: string): Promise<ConnectionView>
}

const iso = (at: number) => new Date(at).toISOString()

export const viewConnection = (row: Connection): ConnectionView => ({
  id: row.id,
  integration: row.integration,
  type: row.type,
  name: row.name,
  state: row.state,
  stateReason: row.stateReason,
  stateAt: iso(row.stateAt),
  account: row.accountId === null ? null : { id: row.accountId, name: row.accountName },
  secrets: Object.fromEntries(Object.entries(row.hints).map(([field, last4]) => [field, `…${last4}`])),
  policy: row.policy,
  externalId: row.externalId,
  labels: row.labels,
  isDefault: row.isDefault,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
  lastUsedAt: row.lastUsedAt === null ? null : iso(row.lastUsedAt),
})

const lastFour = (secrets: Record<string, string>) =>
  // A short secret shows nothing: four characters of eight would be half of it.
  Object.fromEntries(Object.entries(secrets).map(([field, text]) => [field, text.length >= 12 ? text.slice(-4) : '']))

const parseSecrets = (type: ConnectionType, given: unknown): Record<string, string> => {
  const parsed = type.secrets.safeParse(given ?? {})
  if (parsed.success) return parsed.data as Record<string, string>
  const fields = Object.keys(type.secrets.shape)
  // The issue's own text could quote the value, so it is not passed on.
  const wrong = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0] ?? (issue.code === 'unrecognized_keys' ? issue.keys[0] : ''))))]
  throw failField(`secrets/${wrong[0] ?? ''}`, `"${type.title}" needs the secrets ${fields.join(', ')}, each a text. Check: ${wrong.join(', ')}.`)
}

export const typeOf = (loaded: Loaded, id: string): ConnectionType => {
  const type = loaded.integration.connections.find((candidate) => candidate.id === id)
  if (type) return type
  throw failField('type', `${loaded.integration.id} has no connection type "${id}". It has: ${loaded.integration.connections.map((candidate) => candidate.id).join(', ')}.`)
}

type Parts = { registry: Registry; accounts: Accounts; wire: Wire; store: Store; vault: Vault; clock: Clock; log: Log; ownVault: boolean; forgetOptions: (tenant: string) => void }

export const createConnections = ({ registry, accounts, wire, store, vault, clock, log, ownVault, forgetOptions }: Parts): Connections & { health: Health } => {
  const mustGet = async (caller: Caller, id: string) => {
    const row = await store.connections.get(caller.tenant, id)
    if (!row || (caller.connections && !caller.connections.includes(id))) throw fail('not_found', `There is no connection "${id}".`)
    return row
  }

  const change = async (row: Connection, changes: Parameters<Store['connections']['patch']>[2]) => {
    const done = await store.connections.patch(row.tenant, row.id, { ...changes, updatedAt: clock.now() })
    accounts.forget(row.tenant, row.id)
    forgetOptions(row.tenant)
    if (!done) throw fail('not_found', `There is no connection "${row.id}".`)
  }

  /** Runs the free test; gives what it proved. Throws what the provider said against it. */
  const prove = async (row: Connection): Promise<Partial<Connection>> => {
    const loaded = registry.integration(row.integration)
    const type = typeOf(loaded, row.type)
    if (!type.test) return { state: 'unverified', stateReason: 'This provider has no free way to test a key; the first real answer will tell.', stateAt: clock.now() }
    const account = await accounts.openConnection({ ...row, state: 'unverified' }, loaded)
    const session: Session = {
      loaded: loaded.steps.get('api-call')!,
      account,
      effect: 'read',
      cost: undefined,
      mark: '',
      signal: undefined,
      deadlineAt: clock.monotonic() + loaded.wire.timeouts.totalMs,
      priority: 'interactive',
      noWait: false,
      progress: undefined,
      onSending: undefined,
      dry: undefined,
      used: { attempts: 0, calls: 0, credits: 0, estimated: false, lastStatus: undefined },
    }
    try {
      const reply = await createContext(wire, clock, session).send(type.test)
      const known = type.identify?.(reply)
      return { state: 'connected', stateReason: null, stateAt: clock.now(), ...(known ? { accountId: known.accountId, accountName: known.accountName } : {}) }
    } finally {
      accounts.forget(row.tenant, row.id)
    }
  }

  const makeDefault = async (row: Connection) => {
    for (const other of await store.connections.list(row.tenant, { integration: row.integration })) {
      if (other.isDefault && other.id !== row.id) await change(other, { isDefault: false })
    }
    await change(row, { isDefault: true })
  }

  const refuseTakenName = async (tenant: string, integration: string, name: string, id: string) => {
    const same = (await store.connections.list(tenant, { integration })).find((other) => other.name === name && other.id !== id)
    if (same) throw failField('name', `Another ${integration} account is already named "${name}". Choose another name.`, 'conflict')
  }

  const verbs: Connections = {
    async list(caller, filter) {
      const rows = await store.connections.list(caller.tenant, filter)
      return rows.filter((row) => !caller.connections || caller.connections.includes(row.id)).map(viewConnection)
    },
    async get(caller, id) {
      return viewConnection(await mustGet(caller, id))
    },
    async create(caller, given) {
      const loaded = registry.integration(given.integration)
      const type = typeOf(loaded, given.type)
      const inOwnVault = ownVault && given.externalId !== undefined && given.secrets === undefined
      const secrets = inOwnVault ? {} : parseSecrets(type, given.secrets)
      const id = `con_${randomUUIDv7()}`
      const now = clock.now()
      const row: Connection = {
        id,
        tenant: caller.tenant,
        integration: given.integration,
        type: given.type,
        name: given.name ?? '',
        state: 'unverified',
        stateReason: null,
        stateAt: now,
        accountId: null,
        accountName: null,
        secrets: vault.seal({ tenant: caller.tenant, owner: id }, secrets),
        hints: lastFour(secrets),
        policy: given.policy ?? null,
        externalId: given.externalId ?? null,
        labels: given.labels ?? {},
        isDefault: false,
        createdAt: now,
        updatedAt: now,
        lastUsedAt: null,
      }
      try {
        Object.assign(row, await prove(row))
      } catch (thrown) {
        // Wrong credentials are refused at once. A provider that is away is no proof against them.
        if (!isFailure(thrown) || !['unreachable', 'provider_failed', 'rate_limited', 'unavailable', 'bad_reply'].includes(thrown.code)) throw thrown
        row.stateReason = `Not tested yet: ${thrown.message}`
      }
      row.name = row.name || row.accountName || loaded.integration.title
      if (given.name === undefined) row.name = await freeName(caller.tenant, given.integration, row.name)
      await refuseTakenName(caller.tenant, given.integration, row.name, id)
      await store.connections.add(row)
      accounts.forget(caller.tenant, id)
      if (given.isDefault) await makeDefault(row)
      log('info', 'connection.created', { connection: id, integration: row.integration, state: row.state })
      return verbs.get({ tenant: caller.tenant }, id)
    },
    async patch(caller, id, changes) {
      const row = await mustGet(caller, id)
      const loaded = registry.integration(row.integration)
      if (changes.name !== undefined) await refuseTakenName(row.tenant, row.integration, changes.name, id)
      const next: Partial<Connection> = {}
      if (changes.name !== undefined) next.name = changes.name
      if (changes.policy !== undefined) next.policy = changes.policy
      if (changes.labels !== undefined) next.labels = changes.labels
      if (changes.externalId !== undefined) next.externalId = changes.externalId
      if (changes.disabled === true) Object.assign(next, { state: 'disabled', stateReason: 'It was disabled by hand', stateAt: clock.now() })
      if (changes.disabled === false && row.state === 'disabled') Object.assign(next, { state: 'unverified', stateReason: null, stateAt: clock.now() })
      if (changes.secrets !== undefined) {
        const secrets = parseSecrets(typeOf(loaded, row.type), changes.secrets)
        const sealed = vault.seal({ tenant: row.tenant, owner: id }, secrets)
        const proof = await prove({ ...row, secrets: sealed })
        if (row.accountId !== null && proof.accountId && proof.accountId !== row.accountId) {
          throw failField('secrets', `These secrets belong to another account (${proof.accountName}), not to "${row.accountName}". Connect it as a new account.`, 'conflict')
        }
        Object.assign(next, { secrets: sealed, hints: lastFour(secrets), ...proof })
      }
      await change(row, next)
      if (changes.isDefault) await makeDefault({ ...row, ...next })
      return verbs.get(caller, id)
    },
    async remove(caller, id) {
      const row = await mustGet(caller, id)
      await store.connections.remove(caller.tenant, id)
      accounts.forget(row.tenant, id)
      forgetOptions(row.tenant)
      log('info', 'connection.removed', { connection: id, integration: row.integration })
    },
    async test(caller, id) {
      const row = await mustGet(caller, id)
      try {
        await change(row, await prove(row))
      } catch (thrown) {
        if (!isFailure(thrown) || thrown.code !== 'not_connected') throw thrown
        await change(row, { state: 'needs_reconnect', stateReason: thrown.message, stateAt: clock.now() })
      }
      return verbs.get(caller, id)
    },
  }

  const freeName = async (tenant: string, integration: string, wanted: string) => {
    const names = new Set((await store.connections.list(tenant, { integration })).map((row) => row.name))
    if (!names.has(wanted)) return wanted
    let n = 2
    while (names.has(`${wanted} ${n}`)) n += 1
    return `${wanted} ${n}`
  }

  const note = (session: Session, changes: Partial<Connection>) => {
    const { connection } = session.account
    // Further calls in flight on this account would write the same again.
    Object.assign(connection, changes)
    store.connections.patch(connection.tenant, connection.id, changes).catch((error: unknown) => log('error', 'connection.not_updated', { connection: connection.id, error: String(error) }))
  }

  const health: Health = {
    worked(session) {
      const { connection } = session.account
      const now = clock.now()
      if (session.used.calls === 0) return
      if (connection.state === 'unverified') note(session, { state: 'connected', stateReason: null, stateAt: now, lastUsedAt: now })
      else if (now - (connection.lastUsedAt ?? 0) > 60_000) note(session, { lastUsedAt: now })
    },
    refused(session, failure: Failure) {
      const { connection } = session.account
      // Only the provider's own word counts: a refusal of ours (state, policy) carries no provider status.
      if (failure.code !== 'not_connected' || failure.details.providerStatus === undefined || connection.state === 'needs_reconnect') return
      log('warn', 'connection.needs_reconnect', { connection: connection.id, integration: connection.integration })
      note(session, { state: 'needs_reconnect', stateReason: failure.message, stateAt: clock.now() })
    },
  }
  return { ...verbs, health }
}

