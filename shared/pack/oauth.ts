import { failField } from '#kit'
import type { Tenants } from '../runtime/admin/tokens.ts'
import type { Budgets } from '../runtime/credits/budgets.ts'
import type { Grants } from '../runtime/oauth/grants.ts'
import type { KnownClient } from '../runtime/oauth/settings.ts'
import type { PackOptions } from '../pack-types.ts'
import type { Foundation } from './foundation.ts'
import type { createGuard } from '../runtime/guard.ts'
import { verbRules } from './verb-rules.ts'

type Parts = {
  foundation: Pick<Foundation, 'store' | 'registry' | 'clock' | 'audit' | 'log' | 'limits' | 'unauthenticated'>
  budgets: Pick<Budgets, 'create'>
  options: Pick<PackOptions, 'oauthServer' | 'oauthClients' | 'jwt' | 'publicUrl'>
}

/** Loads once; after a failure the next use tries again. */
const loadedOnce = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  let loading: Promise<T> | undefined
  return () =>
    (loading ??= load().catch((thrown: unknown) => {
      loading = undefined
      throw thrown
    }))
}

/** Where the operator has said nothing, people may let clients in at public servers whose data is new. */
const isOn = async ({ oauthServer = 'off', jwt, publicUrl }: Parts['options'], { store }: Pick<Foundation, 'store'>) =>
  oauthServer === 'on' ||
  (oauthServer === 'default' && jwt === undefined && publicUrl !== undefined && (await store.oauthByDefault.get()))

/**
 * Adds the tenant "default" where the data are new, which is noted before: a start that is cut off in between is made up
 * for by the next one.
 */
export const ensureDefaultTenant = async (store: Foundation['store'], tenants: Pick<Tenants, 'ensure'>) => {
  if (!(await store.tenants.get('default'))) await store.oauthByDefault.set()
  await tenants.ensure('default', 'Default')
}

/** @throws Failure `invalid_input` for clients of the operator that are not usable */
const readKnown = async (clients: PackOptions['oauthClients']): Promise<KnownClient[]> => {
  if (clients === undefined) return []
  const { knownClients } = await import('../runtime/oauth/settings.ts')
  const { requireRedirectUri } = await import('../runtime/oauth/redirects.ts')
  const parsed = knownClients().safeParse(clients)
  const [issue] = parsed.error?.issues ?? []
  if (!parsed.success)
    throw failField('oauthClients', `oauthClients: ${issue?.path.join('.') || 'it'} is not usable: ${issue?.message}.`)
  for (const uri of parsed.data.flatMap(({ redirect_uris }) => redirect_uris))
    try {
      requireRedirectUri(uri)
    } catch (thrown) {
      throw failField('oauthClients', `oauthClients: ${(thrown as Error).message}`)
    }
  return parsed.data
}

/**
 * Sign-in of clients by people, and what they let in. Its code is loaded with the first request for it, so that a server
 * without such clients neither starts later nor holds more memory.
 */
export const openOAuth = async ({ foundation, budgets, options }: Parts) => {
  const { store, registry, clock, audit, log } = foundation
  const known = await readKnown(options.oauthClients)
  const limitCredits = (tenant: string, subject: string, credits: number) =>
    budgets.create({ tenant }, { scope: 'token', subject, credits, period: 'month' })
  const grants = loadedOnce(async () =>
    (await import('../runtime/oauth/grants.ts')).createGrants({ store, registry, clock, audit, log, limitCredits }),
  )
  const load = loadedOnce(async () => {
    const { createOAuth } = await import('../runtime/oauth/oauth.ts')
    const end = async (tenant: string, id: string) => (await grants()).end(tenant, id)
    return createOAuth({ ...foundation, known, limitCredits, end })
  })
  const verbs: Grants = {
    list: async (...call) => (await grants()).verbs.list(...call),
    get: async (...call) => (await grants()).verbs.get(...call),
    patch: async (...call) => (await grants()).verbs.patch(...call),
    remove: async (...call) => (await grants()).verbs.remove(...call),
  }
  const endSignedBy = async (tenant: string, token: string) => (await grants()).endSignedBy(tenant, token)
  return { oauth: (await isOn(options, foundation)) ? { load } : undefined, verbs, endSignedBy }
}

/** Where programs get their tokens, and what people let them do, as callers reach it. */
export const guardGrants = (
  guard: ReturnType<typeof createGuard>,
  { oauth, verbs }: Awaited<ReturnType<typeof openOAuth>>,
  issuer: string | undefined,
) => ({ grants: guard('grants', verbs, verbRules.grants), oauth, issuer })
