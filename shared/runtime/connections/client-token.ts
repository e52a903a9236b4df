import { fail, isFailure, isUnreachable, needsReconnect } from '#kit'
import type { Failure } from '#kit'
import type { UnauthenticatedClient } from '../../wire/index.ts'
import type { Account, OAuthApp } from '../../wire/types.ts'
import type { LoadedIntegration } from '../catalogue/registry.ts'
import type { Clock, Connection, Log } from '../ports/index.ts'
import { shareCalls } from '../shared-work.ts'
import type { Apps } from './apps.ts'
import { clientFacts } from '../catalogue/oauth-facts.ts'
import type { OpenConnection, Renewal, ResolveSecrets } from './open-connection.ts'

type ClientTokensDependencies = {
  apps: Pick<Apps, 'oauthApp'>
  unauthenticated: Pick<UnauthenticatedClient, 'oauth2'>
  resolveSecrets: ResolveSecrets | undefined
  clock: Clock
  log: Log
}

const maxMarginMs = 120_000
/** Time before a fetch is retried that failed for a temporary reason while the former token still works. */
const retryAfterMs = 30_000
/** Placeholder until a token is fetched, which happens before anything is sent. */
const unfetched = '(access token)'

/**
 * Access tokens of OAuth 2.0 client credentials: fetched before the first request, when they are about to expire, and
 * after the provider refused one. They are kept in memory only. Concurrent calls share one fetch. A fetch whose answer
 * was lost is repeated, since it uses nothing up.
 */
export const createClientTokens = ({ apps, unauthenticated, resolveSecrets, clock, log }: ClientTokensDependencies) => {
  const credentialsOf = async (
    connection: Connection,
    secrets: Record<string, string>,
  ): Promise<{ app: OAuthApp; owner: 'connection' | 'app' }> => {
    const { clientId, clientSecret } = secrets
    if (clientId !== undefined) return { app: { key: clientId, secret: clientSecret ?? '' }, owner: 'connection' }
    const app = await apps.oauthApp(connection.tenant, connection.integration, '2.0')
    if (app) return { app, owner: 'app' }
    throw fail(
      'not_connected',
      `The app that this connection gets its access with is not set up. The operator sets it: PUT /v1/apps/${connection.integration}.`,
    )
  }

  const fetchToken = async (
    { connection, account }: OpenConnection,
    loaded: LoadedIntegration,
    secrets: Record<string, string>,
  ) => {
    const facts = clientFacts(loaded, account.baseUrl)
    if (!facts)
      throw fail(
        'wire_unset',
        `The provider documents do not show its token address. The operator sets "wire.${connection.integration}.oauth.client.tokenUrl".`,
      )
    const { app, owner } = await credentialsOf(connection, secrets)
    const ask = () => unauthenticated.oauth2.clientToken(connection.integration, facts, app, owner)
    return ask().catch((thrown: unknown) => {
      if (!isUnreachable(thrown)) throw thrown
      return ask()
    })
  }

  /** `onRefused`: called when the provider no longer accepts the client. */
  return (
    opened: OpenConnection,
    loaded: LoadedIntegration,
    isExternal: boolean,
    onRefused: (failure: Failure) => void,
  ): Renewal => {
    const { connection } = opened
    const accountSecrets = opened.account.secrets
    opened.account = { ...opened.account, secrets: { ...accountSecrets, token: unfetched } }
    let isFetched = false
    let expiresAt = Infinity
    let marginMs = maxMarginMs
    let notBefore = 0

    const work = async () => {
      try {
        const secrets = isExternal ? await resolveSecrets!(connection.tenant, connection.externalId!) : accountSecrets
        const { accessToken, expiresInMs } = await fetchToken(opened, loaded, secrets)
        opened.account = { ...opened.account, secrets: { ...secrets, token: accessToken } }
        isFetched = true
        expiresAt = expiresInMs === undefined ? Infinity : clock.now() + expiresInMs
        marginMs = Math.min(maxMarginMs, (expiresInMs ?? Infinity) / 4)
      } catch (thrown) {
        if (needsReconnect(thrown)) onRefused(thrown)
        throw thrown
      }
    }
    const once = shareCalls(work)

    return {
      isStored: false,
      isDue: () => !isFetched || (expiresAt - marginMs <= clock.now() && clock.now() >= notBefore),
      async beforeUse() {
        try {
          await once()
        } catch (thrown) {
          if (!isFailure(thrown) || needsReconnect(thrown) || !isFetched || expiresAt <= clock.now()) throw thrown
          notBefore = clock.now() + retryAfterMs
          log('warn', 'connection.refresh_failed', { connection: connection.id, code: thrown.code })
        }
      },
      async afterRefusal(used: Account) {
        // Another call's fetch has already replaced the refused token.
        if (opened.account === used) await once()
      },
    }
  }
}
export type ClientTokens = ReturnType<typeof createClientTokens>
