import { randomBytes } from 'node:crypto'
import { fail, Failure, isAbsent, isRejected } from '#kit'
import type { HookWanted, ProviderHook, WebhookSource } from '#kit'
import type { Hook } from '../../ports/index.ts'
import { readModel } from '../match-index.ts'
import type { MatchIndex } from '../match-index.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef, ProviderSessions } from '../provider-session.ts'
import { everyType, missingTypes, unionOfTypes } from './event-types.ts'
import type { HookCache } from './hook-cache.ts'
import { createHookRecords } from './hook-records.ts'
import type { HookSecrets } from './hook-secrets.ts'

type HookRegistrationDependencies = Pick<TriggerParts, 'registry' | 'publicUrl'> & {
  now(): number
  index: MatchIndex
  cache: HookCache
  secrets: HookSecrets
  sessions: ProviderSessions
}

const description = 'toolyard: starts agents'

const explain = (thrown: unknown, callbackUrl: string): unknown => {
  if (!isRejected(thrown)) return thrown
  return new Failure(
    'rejected',
    `The provider did not accept our address ${callbackUrl}: ${thrown.details.providerMessage ?? thrown.message}. It must answer there from the internet: the operator sets the public URL. Or ask for options.delivery "poll" where the trigger has it.`,
    thrown.details,
  )
}

export const hookRefOf = ({ tenant, connection, integration }: Hook): ConnectionRef => ({
  tenant,
  connection,
  integration,
})

const newRow = (
  { tenant, connection, integration }: ConnectionRef,
  model: string,
  prefix: string,
  at: number,
): Hook => {
  const id = randomBytes(24).toString('base64url')
  return {
    tenant,
    id,
    integration,
    connection,
    model,
    callbackUrl: prefix + id,
    providerId: null,
    state: 'wanted',
    stateReason: null,
    stateAt: at,
    failures: 0,
    lastDeliveryAt: null,
    suspectSince: null,
    refused: 0,
    refusedSince: null,
    refusedAt: null,
    refusedReason: null,
    secrets: {},
    types: [],
    createdAt: at,
    updatedAt: at,
  }
}

export type HookRegistration = ReturnType<typeof createHookRegistration>

/**
 * Single hooks at the provider: what each one should be, and the requests that make it so. Callers must serialise the
 * requests of one connection.
 */
export const createHookRegistration = ({
  registry,
  publicUrl,
  now,
  index,
  cache,
  secrets,
  sessions,
}: HookRegistrationDependencies) => {
  const sourceOf = (integration: string): WebhookSource => registry.integration(integration).integration.webhooks!
  const hasOwnSecret = (integration: string) => registry.integration(integration).wire.signature?.secret === 'hook'
  const prefixOf = (integration: string) => {
    const base = publicUrl()
    return base === undefined ? undefined : `${base}/hooks/${integration}/`
  }
  /** The address the hook should have; without a public address it keeps its own. */
  const addressOf = ({ integration, id, callbackUrl }: Hook) => {
    const prefix = prefixOf(integration)
    return prefix === undefined ? callbackUrl : prefix + id
  }
  /** A hook never loses types while it exists: a subscription that is being attached is not in the index yet. */
  const typesOf = ({ tenant, connection, model, types }: Hook, joining: readonly string[] = []) =>
    unionOfTypes(types, joining, ...index.watching(tenant, connection, model).map((active) => active.types))
  const wantedOf = (hook: Hook, joining: readonly string[]): HookWanted => {
    const secret = hasOwnSecret(hook.integration) ? secrets.wantedSecret(hook) : undefined
    return {
      model: readModel(hook.model),
      callbackUrl: hook.callbackUrl,
      description,
      types: typesOf(hook, joining),
      ...(secret === undefined ? {} : { secret }),
    }
  }

  /** Whether one hook serves a whole app. It is registered by hand, so nothing needs to be done at the provider. */
  const isOfApp = (integration: string) => sourceOf(integration).registration === 'app'

  /** The row of a new hook; nothing is stored. */
  const draft = (ref: ConnectionRef, model: string): Hook => {
    const prefix = prefixOf(ref.integration)
    if (prefix === undefined) throw fail('internal', 'A webhook needs a public address.')
    const row = newRow(ref, model, prefix, now())
    return hasOwnSecret(ref.integration) ? { ...row, secrets: secrets.first(row) } : row
  }

  const { recordWorking, prepared, succeeded } = createHookRecords({ now, cache, secrets, hasOwnSecret, addressOf })

  const register = async (storedHook: Hook, joining: readonly string[] = []): Promise<Hook> => {
    const hook = await prepared(storedHook)
    const wantedHook = wantedOf(hook, joining)
    try {
      const { value } = await sessions.use(hookRefOf(hook), 'create', (ctx) =>
        sourceOf(hook.integration).register!(ctx, wantedHook),
      )
      return await succeeded(hook, value.providerId, wantedHook)
    } catch (thrown) {
      throw explain(thrown, hook.callbackUrl)
    }
  }

  return {
    sourceOf,
    hasOwnSecret,
    isOfApp,
    prefixOf,
    addressOf,
    draft,
    recordWorking,
    register,
    async repair(storedHook: Hook, providerId: string, joining: readonly string[] = []): Promise<Hook> {
      const hook = await prepared(storedHook)
      const wantedHook = wantedOf(hook, joining)
      try {
        await sessions.use(hookRefOf(hook), 'update', (ctx) =>
          sourceOf(hook.integration).repair!(ctx, providerId, wantedHook),
        )
        return await succeeded(hook, providerId, wantedHook)
      } catch (thrown) {
        if (isAbsent(thrown)) return register(hook, joining)
        throw explain(thrown, hook.callbackUrl)
      }
    },
    /** Whether the provider has the hook as it should be. */
    isRight(hook: Hook, { active, callbackUrl, model, types }: ProviderHook): boolean {
      const isComplete = types === undefined || missingTypes(types, typesOf(hook)).length === 0
      const hasSecret = !hasOwnSecret(hook.integration) || secrets.wantedSecret(hook) !== undefined
      return (
        active && callbackUrl === addressOf(hook) && model.id === readModel(hook.model).id && isComplete && hasSecret
      )
    },
    /** The types to store for a hook: a provider that lists no types delivers every type. */
    notedTypes: (hook: Hook, { types }: ProviderHook): string[] => (types === undefined ? [everyType] : typesOf(hook)),
    list: async (ref: ConnectionRef, models: readonly string[]): Promise<ProviderHook[]> =>
      (await sessions.use(ref, 'read', (ctx) => sourceOf(ref.integration).list!(ctx, models.map(readModel)))).value,
    unregister: async (ref: ConnectionRef, hook: Pick<ProviderHook, 'providerId' | 'model'>): Promise<void> =>
      void (await sessions.use(ref, 'delete', (ctx) => sourceOf(ref.integration).unregister!(ctx, hook))),
  }
}
