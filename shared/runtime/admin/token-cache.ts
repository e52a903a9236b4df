import { LRUCache } from 'lru-cache'
import type { Token } from '../ports/index.ts'

/** Bounded by `maxSize`, because a cache bounded by `max` allocates room for all entries at once. */
const bounded = { maxSize: 10_000, sizeCalculation: () => 1 }

/**
 * Tokens by hash, so that not every request reads the store. Holds valid tokens only, because a revoked one may become
 * valid again.
 */
export const createTokenCache = (read: (hash: string) => Promise<Token | undefined>) => {
  const tokensByHash = new LRUCache<string, Token>(bounded)
  /** Number of changes so far: a token read while one was changed may be outdated and is not cached. */
  let changes = 0
  return {
    async byHash(hash: string): Promise<Token | undefined> {
      const cachedToken = tokensByHash.get(hash)
      if (cachedToken) return cachedToken
      const before = changes
      const token = await read(hash)
      if (token?.revokedAt === null && before === changes) tokensByHash.set(hash, token)
      return token
    },
    /** Call it after the commit that changed a token. */
    forget(tenant: string, id: string) {
      changes += 1
      for (const [hash, token] of tokensByHash.entries())
        if (token.tenant === tenant && token.id === id) tokensByHash.delete(hash)
    },
  }
}
