import { createHash } from 'node:crypto'
import { fail, isFailure, isOutcomeUnknown, needsReconnect } from '#kit'
import type { Failure } from '#kit'
import type { UnauthenticatedClient } from '../../wire/index.ts'
import type { Account } from '../../wire/types.ts'
import type { OpenConnection, Renewal, ResolveSecrets } from './open-connection.ts'
import type { Apps } from './apps.ts'
import { codeFacts } from '../catalogue/oauth-facts.ts'
import type { Leases } from '../leases.ts'
import type { Clock, Connection, Log, Store, Vault } from '../ports/index.ts'
import { shareCalls } from '../shared-work.ts'
import { typeOf } from '../catalogue/registry.ts'
import type { LoadedIntegration } from '../catalogue/registry.ts'
import { schemeOf } from '../catalogue/scheme.ts'
import type { ConnectionStates } from './states.ts'
import { lastFour } from './secrets.ts'

type RenewalsDependencies = {
  store: Pick<Store, 'connections' | 'cluster'>
  leases: Pick<Leases, 'hold'>
  vault: Vault
  apps: Pick<Apps, 'oauthApp'>
  unauthenticated: Pick<UnauthenticatedClient, 'oauth2'>
  resolveSecrets: ResolveSecrets | undefined
  states: ConnectionStates
  clock: Clock
  log: Log
}

/** A token this close to its expiry may expire on the way to the provider. */
const maxMarginMs = 120_000
/**
 * If a process sent a refresh token and died before storing the answer, other processes do not send that token for this
 * long.
 */
const sentMs = 10 * 60_000
/** Time before a refresh is retried that failed for a temporary reason while the old token still works. */
const retryDelayMs = 30_000

const lost = () =>
  fail(
    'not_connected',
    "The provider does not accept the account's credential any more. Reconnect the account, then run this again.",
    { providerStatus: 401 },
  )

const lostAnswer = () =>
  fail(
    'not_connected',
    'The answer to a renewal of this authorization was lost, and what it was renewed with works only once. Reconnect the account, then run this again.',
    { providerStatus: 401 },
  )

const underWay = () =>
  fail('unavailable', 'Another process is renewing the authorization of this account. Try again in a moment.')

const resolveAgain = async (opened: OpenConnection, resolve: ResolveSecrets) => {
  const { connection, account } = opened
  const secrets = await resolve(connection.tenant, connection.externalId!)
  const isSame =
    Object.keys(secrets).length === Object.keys(account.secrets).length &&
    Object.entries(secrets).every(([name, text]) => account.secrets[name] === text)
  if (isSame) throw lost()
  opened.account = { ...account, secrets }
}

/** Renews OAuth 2.0 credentials with their refresh token. */
const createTokenRefresh = (parts: RenewalsDependencies) => {
  const { store, leases, vault, apps, unauthenticated, clock, log } = parts

  const secretsOf = ({ tenant, id, secrets }: Connection) => vault.open({ tenant, owner: id }, secrets)

  const keep = async (connection: Connection, changes: Partial<Connection>) => {
    Object.assign(connection, changes)
    await store.connections.patch(connection.tenant, connection.id, changes).catch((error: unknown) => {
      log('error', 'connection.refresh_not_stored', {
        connection: connection.id,
        error: isFailure(error) ? error.code : 'unknown',
      })
    })
  }

  /**
   * Takes over a credential that another process renewed, or that the owner reconnected. Returns whether there was one.
   */
  const adopt = async (opened: OpenConnection, used: Account): Promise<boolean> => {
    const { tenant, id } = opened.connection
    const row = await store.connections.get(tenant, id)
    if (!row) throw lost()
    // A change reported by another process has already replaced the account.
    if (opened.account !== used) return true
    const secrets = secretsOf(row)
    if (secrets.token === opened.account.secrets.token && secrets.refreshToken === opened.account.secrets.refreshToken)
      return false
    opened.account = { ...opened.account, secrets }
    Object.assign(opened.connection, { secrets: row.secrets, hints: row.hints, expiresAt: row.expiresAt })
    opened.keyId = vault.sealedUnder(row.secrets)
    return true
  }

  /**
   * Only one process at a time renews a connection, and none sends a refresh token that another one has sent without
   * receiving an answer.
   */
  const refreshShared = (opened: OpenConnection, loaded: LoadedIntegration): Promise<number | undefined> => {
    const { connection, account: used } = opened
    const { tenant, id } = connection
    return leases.hold(`refresh ${tenant} ${id}`, async () => {
      if (await adopt(opened, used)) return undefined
      const token = createHash('sha256')
        .update(`${id} ${opened.account.secrets.refreshToken ?? ''}`)
        .digest('hex')
      const sent = await store.cluster!.lease(`refresh sent ${token}`, sentMs)
      if (!sent) throw underWay()
      try {
        const livesMs = await refresh(opened, loaded)
        await sent.release()
        return livesMs
      } catch (thrown) {
        if (!isOutcomeUnknown(thrown)) await sent.release()
        throw thrown
      }
    })
  }

  /**
   * Whether the row still has the refresh token that was sent. If so, the answer must be stored, whatever else has
   * changed in the row.
   */
  const isStillOurs = async ({ connection: { tenant, id } }: OpenConnection, refreshToken: string) => {
    const row = await store.connections.get(tenant, id)
    return row !== undefined && secretsOf(row).refreshToken === refreshToken
  }

  const refresh = async (opened: OpenConnection, loaded: LoadedIntegration): Promise<number | undefined> => {
    const { connection } = opened
    const facts = codeFacts(loaded, connection.type, opened.account.baseUrl)
    const app = await apps.oauthApp(connection.tenant, connection.integration, '2.0')
    const { refreshToken } = opened.account.secrets
    if (!facts || !app || refreshToken === undefined)
      throw fail(
        'not_connected',
        'The app this account was connected with is not set up any more. The operator sets it again, then the account is reconnected.',
        { providerStatus: 401 },
      )
    const tokens = await unauthenticated.oauth2.refresh(connection.integration, facts, app, refreshToken)
    const address = typeOf(loaded, connection.type).baseUrl?.from
    const secrets = {
      ...opened.account.secrets,
      // The address of the account stays the one that it was connected at.
      ...Object.fromEntries(Object.entries(tokens.secrets).filter(([name]) => name !== address)),
      token: tokens.accessToken,
      refreshToken: tokens.refreshToken ?? refreshToken,
    }
    // The connection was reconnected or removed meanwhile, so the new tokens are discarded.
    if (!opened.live && !(await isStillOurs(opened, refreshToken))) return undefined
    opened.account = { ...opened.account, secrets }
    const changes = {
      secrets: vault.seal({ tenant: connection.tenant, owner: connection.id }, secrets),
      hints: lastFour(secrets),
      expiresAt: tokens.expiresInMs === undefined ? null : clock.now() + tokens.expiresInMs,
    }
    opened.keyId = vault.keyId
    // The former refresh token is used up, so the new one must be stored before anything else happens.
    await keep(connection, changes)
    log('info', 'connection.refreshed', { connection: connection.id })
    return tokens.expiresInMs
  }

  /**
   * Drops a refresh token that may be used up, so that no process sends it again: reuse can end the whole
   * authorization.
   */
  const forgetRefreshToken = async ({ account, connection, live }: OpenConnection) => {
    log('warn', 'connection.refresh_answer_lost', { connection: connection.id })
    if (!live) return
    const { refreshToken: _, ...secrets } = account.secrets
    const changes = {
      secrets: vault.seal({ tenant: connection.tenant, owner: connection.id }, secrets),
      hints: lastFour(secrets),
    }
    await keep(connection, changes)
  }

  return { refresh: store.cluster ? refreshShared : refresh, forgetRefreshToken }
}

/**
 * Renews the credential of an open connection without its owner: OAuth 2.0 by the refresh token, a platform's own vault
 * by reading it again. Undefined when only the owner can renew it. Concurrent calls share one renewal.
 */
export const createRenewals = (parts: RenewalsDependencies) => {
  const { states, clock, log } = parts
  const { refresh, forgetRefreshToken } = createTokenRefresh(parts)

  return (opened: OpenConnection, loaded: LoadedIntegration, isExternal: boolean): Renewal | undefined => {
    const { connection } = opened
    const scheme = schemeOf(typeOf(loaded, connection.type), connection)
    const canRefresh = scheme === 'oauth2-code' && opened.account.secrets.refreshToken !== undefined
    if (!canRefresh && !isExternal) return undefined
    let marginMs = maxMarginMs
    let notBefore = 0
    /** The failure that ended the authorization; another attempt would change nothing. */
    let ended: Failure | undefined
    /**
     * True when the answer to a refresh was lost: the access token is used until it expires, then a person has to
     * reconnect.
     */
    let isSpent = false
    const stillWorks = () => (connection.expiresAt ?? 0) > clock.now()
    const giveUp = (failure: Failure): never => {
      ended = failure
      if (opened.live) states.set(connection, 'needs_reconnect', failure.message)
      throw failure
    }

    const work = async () => {
      try {
        if (isExternal) return await resolveAgain(opened, parts.resolveSecrets!)
        const livesMs = await refresh(opened, loaded)
        if (livesMs !== undefined) marginMs = Math.min(maxMarginMs, livesMs / 4)
      } catch (thrown) {
        if (needsReconnect(thrown)) giveUp(thrown)
        if (isOutcomeUnknown(thrown)) {
          isSpent = true
          await forgetRefreshToken(opened)
        }
        throw thrown
      }
    }
    const shared = shareCalls(work)
    const once = async () => {
      if (ended) throw ended
      if (isSpent) giveUp(lostAnswer())
      await shared()
    }

    return {
      isStored: canRefresh,
      isDue: () =>
        !isExternal &&
        !(isSpent && stillWorks()) &&
        connection.expiresAt != null &&
        connection.expiresAt - marginMs <= clock.now() &&
        clock.now() >= notBefore,
      async beforeUse() {
        try {
          await once()
        } catch (thrown) {
          if (!isFailure(thrown) || needsReconnect(thrown)) throw thrown
          if (!stillWorks()) throw isSpent ? giveUp(lostAnswer()) : thrown
          notBefore = clock.now() + retryDelayMs
          log('warn', 'connection.refresh_failed', { connection: connection.id, code: thrown.code })
        }
      },
      async afterRefusal(used: Account) {
        // Another call's renewal has already replaced the refused credential.
        if (opened.account !== used) return
        try {
          await once()
        } catch (thrown) {
          // The access token was refused too, so no credential is left.
          if (isSpent && !ended) giveUp(lostAnswer())
          throw thrown
        }
      },
    }
  }
}
