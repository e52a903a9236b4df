import { LRUCache } from 'lru-cache'
import { fail } from '#kit'
import type { ProviderRequest, ScopeRules } from '#kit'
import type { Reply } from '../../wire/types.ts'
import type { LoadedIntegration } from '../catalogue/registry.ts'

/** How long a container found for a request is remembered: the object may be moved to another container. */
const validMs = 60_000
const maxRemembered = 5_000

export type Ask = (request: ProviderRequest) => Promise<unknown>
type ScopedRequest = Parameters<ScopeRules['of']>[0]

/** The words for containers, and the policy field that names them, in messages about a limited connection. */
const wordsOf = ({ integration: { scopes, aliases } }: LoadedIntegration) => ({
  kind: scopes?.kind ?? 'container',
  field: `policy.${aliases?.scopes ?? 'scopes'}`,
})

const refuse = (loaded: LoadedIntegration, why: (kind: string) => string) => {
  const { kind, field } = wordsOf(loaded)
  return fail(
    'not_allowed',
    `This connection is limited by "${field}", and ${why(kind)} Nothing was sent. Ask whoever manages the connection to allow this ${kind}.`,
  )
}
const reachesAnother = (kind: string) => `this request reaches another ${kind}.`
const isUnknown = (kind: string) => `which ${kind} this request reaches is unknown.`

/**
 * Limits a connection to the containers that its policy names. Containers in the request itself are compared directly;
 * those reached through another record are looked up at the provider first and remembered for a minute. A request whose
 * container cannot be determined is refused.
 */
export const createScopeLimit = (allowed: string[], now: () => number) => {
  const idsByPath = new LRUCache<string, { ids: string[]; at: number }>({
    maxSize: maxRemembered,
    sizeCalculation: () => 1,
  })
  const isAllowed = (id: string) => allowed.includes(id)

  const idsBehind = async (rules: ScopeRules, request: ProviderRequest, ask: Ask): Promise<string[]> => {
    const cacheEntry = idsByPath.get(request.path)
    if (cacheEntry && now() - cacheEntry.at < validMs) return cacheEntry.ids
    const ids = rules.idsIn(await ask(request))
    idsByPath.set(request.path, { ids, at: now() })
    return ids
  }

  /** A container may have several ids, and only the provider knows which ones belong together. */
  const requireAllowed = async (loaded: LoadedIntegration, rules: ScopeRules, id: string, ask: Ask | undefined) => {
    if (isAllowed(id)) return
    const ids = ask ? await idsBehind(rules, rules.byId(id), ask) : []
    if (!ids.some(isAllowed)) throw refuse(loaded, reachesAnother)
  }

  return {
    /**
     * Without `ask` (a dry run), only the containers in the request itself are compared.
     * @throws Failure `not_allowed`
     */
    async check(loaded: LoadedIntegration, request: ScopedRequest, ask: Ask | undefined): Promise<void> {
      const { scopes: rules } = loaded.integration
      const touched = rules?.of(request) ?? 'unknown'
      if (touched === 'none' || touched === 'lists') return
      if (!rules || touched === 'unknown') throw refuse(loaded, isUnknown)
      for (const id of touched.containers) await requireAllowed(loaded, rules, id, ask)
      if (!ask) return
      for (const through of touched.through) {
        const [id] = await idsBehind(rules, through, ask)
        if (id === undefined) throw refuse(loaded, isUnknown)
        await requireAllowed(loaded, rules, id, ask)
      }
    },

    /**
     * A reply that lists containers, reduced to the allowed ones.
     * @throws Failure `not_allowed` for a reply that cannot be narrowed
     */
    narrow(loaded: LoadedIntegration, request: ScopedRequest, reply: Reply): Reply {
      const { scopes: rules } = loaded.integration
      if (!rules || rules.of(request) !== 'lists') return reply
      const { body, status } = reply
      if (Array.isArray(body)) return { ...reply, body: body.filter((row) => rules.idsIn(row).some(isAllowed)) }
      if (body === null || status >= 300) return reply
      const { kind, field } = wordsOf(loaded)
      throw fail(
        'not_allowed',
        `This connection is limited by "${field}", and the provider answered something other than a list of each ${kind}, so it is withheld.`,
      )
    },
  }
}
export type ScopeLimit = ReturnType<typeof createScopeLimit>
