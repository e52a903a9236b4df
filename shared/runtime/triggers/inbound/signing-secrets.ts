import type { SigningSecret, WebhookSignature } from '#kit'
import type { SigningApp } from '../../connections/apps.ts'
import type { Clock, Hook } from '../../ports/index.ts'
import type { LoadedIntegration } from '../../catalogue/registry.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import type { TriggerParts } from '../parts.ts'
import { noConnection } from '../sync/hook-cache.ts'
import type { HookSecrets } from '../sync/hook-secrets.ts'

/** How long an app's secrets are cached: another process may change them. */
const keptMs = 30_000

/**
 * Which secret of the app signs for connections of this type, where hooks have no secrets of their own. This is also the
 * property of a `SigningApp` that holds the key of the app in deliveries and its secrets, current first.
 */
export const signingSecretOf = ({ secret, secrets }: WebhookSignature, type: string): SigningSecret =>
  secrets?.[type] ?? (secret === 'client' ? 'client' : 'app')

/** Whether each hook has a secret of its own, made by us or by the provider. */
export const isOfHook = ({ secret }: WebhookSignature): boolean => secret === 'hook' || secret === 'provider'

/** Whether deliveries are verified with a secret of ours. */
export const hasSecret = (signature: WebhookSignature): boolean =>
  signature.proof !== 'fetched' && (signature.proof !== 'jwt' || signature.jwt.keys === undefined)

type SignersDependencies = Pick<TriggerParts, 'apps'> & {
  clock: Clock
  connections: ConnectionCache
  hookSecrets: Pick<HookSecrets, 'valid'>
}

export type Signers = ReturnType<typeof createSigners>

/** Finds the secrets that sign deliveries to a hook. */
export const createSigners = ({ apps, clock, connections, hookSecrets }: SignersDependencies) => {
  const kept = new Map<string, { app: SigningApp | undefined; until: number }>()
  let changes = 0
  /** The hook of a whole app has no connection, so no connection type. */
  const typeOf = (tenant: string, connection: string) =>
    connection === noConnection ? '' : connections.get(tenant, connection)?.type
  const nameOf = (tenant: string, integration: string) => `${tenant}\n${integration}`

  const keep = (name: string, app: SigningApp | undefined) => {
    const now = clock.monotonic()
    kept.delete(name)
    // Oldest first: secrets of tenants that get no deliveries do not stay in memory.
    for (const [oldest, { until }] of kept) {
      if (until > now) break
      kept.delete(oldest)
    }
    kept.set(name, { app, until: now + keptMs })
  }

  const openApp = async (tenant: string, integration: string): Promise<SigningApp | undefined> => {
    const before = changes
    const app = await apps.open(tenant, integration)
    // When an app was changed meanwhile, the secret just read may be the former one.
    if (changes === before) keep(nameOf(tenant, integration), app)
    return app
  }

  const read = async ({ tenant, integration, connection }: Hook, signature: WebhookSignature): Promise<string[]> => {
    const app = await openApp(tenant, integration)
    if (typeOf(tenant, connection) === undefined) await connections.refresh(tenant, connection)
    const type = typeOf(tenant, connection)
    return app && type !== undefined ? app[signingSecretOf(signature, type)].secrets : []
  }

  return {
    secretsOf(hook: Hook, loaded: LoadedIntegration): string[] | Promise<string[]> {
      const { signature } = loaded.wire
      if (signature === undefined) return []
      // Most name no secret, and their deliveries need no further call.
      if (signature.secret !== undefined && isOfHook(signature)) return hookSecrets.valid(hook)
      const cachedApp = kept.get(nameOf(hook.tenant, hook.integration))
      const type = typeOf(hook.tenant, hook.connection)
      if (!cachedApp || type === undefined || cachedApp.until <= clock.monotonic()) return read(hook, signature)
      return cachedApp.app ? cachedApp.app[signingSecretOf(signature, type)].secrets : []
    },
    /** The tenant whose app signs for this tenant, '' for the operator's app; undefined while there is none. */
    async ownerOf(tenant: string, integration: string): Promise<string | undefined> {
      const cachedApp = kept.get(nameOf(tenant, integration))
      return (cachedApp && cachedApp.until > clock.monotonic() ? cachedApp.app : await openApp(tenant, integration))
        ?.owner
    },
    /** Forgets the secrets of one tenant, or of all when the operator's own app was changed. */
    forget(tenant: string, integration: string) {
      changes += 1
      if (tenant === '') kept.clear()
      else kept.delete(nameOf(tenant, integration))
    },
  }
}
