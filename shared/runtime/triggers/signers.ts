import type { WebhookSignature } from '#kit'
import type { SigningApp } from '../apps.ts'
import type { Clock, Hook } from '../ports.ts'
import type { Loaded } from '../registry.ts'
import type { AccountBook } from './account-book.ts'
import type { TriggerParts } from './parts.ts'

/** App secrets are read again after this, should another process have changed them. */
const keptMs = 30_000

/** What signs deliveries for accounts connected in this way: the key that names our app to them, and its secrets, current first. */
export const signerOf = (app: SigningApp, signature: WebhookSignature, accountType: string): SigningApp['app'] => app[signature.secrets?.[accountType] ?? 'app']

/** Finds the secrets that sign deliveries to a hook. */
export const createSigners = ({ apps, clock, accounts }: Pick<TriggerParts, 'apps'> & { clock: Clock; accounts: AccountBook }) => {
  const kept = new Map<string, { app: SigningApp | undefined; until: number }>()
  const nameOf = (tenant: string, integration: string) => `${tenant}\n${integration}`

  const secretsFrom = (app: SigningApp | undefined, signature: WebhookSignature | undefined, type: string | undefined) =>
    app && signature && type !== undefined ? signerOf(app, signature, type).secrets : []

  const read = async ({ tenant, integration, connection }: Hook, { wire }: Loaded): Promise<string[]> => {
    const app = await apps.open(tenant, integration)
    kept.set(nameOf(tenant, integration), { app, until: clock.monotonic() + keptMs })
    if (accounts.type(tenant, connection) === undefined) await accounts.refresh(tenant, connection)
    return secretsFrom(app, wire.signature, accounts.type(tenant, connection))
  }

  return {
    secretsOf(hook: Hook, loaded: Loaded): string[] | Promise<string[]> {
      const known = kept.get(nameOf(hook.tenant, hook.integration))
      const type = accounts.type(hook.tenant, hook.connection)
      return known && type !== undefined && known.until > clock.monotonic() ? secretsFrom(known.app, loaded.wire.signature, type) : read(hook, loaded)
    },
    /** Of one tenant, or of all where the operator's own app was changed. */
    forget(tenant: string, integration: string) {
      if (tenant === '') kept.clear()
      else kept.delete(nameOf(tenant, integration))
    },
  }
}
