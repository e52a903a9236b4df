import { LRUCache } from 'lru-cache'
import type { Token } from '../ports/index.ts'

/** Bounded by size, since a bound by number takes the room for all entries at once. */
const bounded = { maxSize: 10_000, sizeCalculation: () => 1 }

/**
 * Tokens by their hash, so that not every request reads the store. Only those in force: one that was revoked may be put
 * in force again.
 */
export const createTokenCache = (read: (hash: string) => Promise<Token | undefined>) => {
  const tokensByHash = new LRUCache<string, Token>(bounded)
  /** A token that was being read when one was changed may be the former one. */
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
    /** To be called after the commit that changed a token. */
    forget(tenant: string, id: string) {
      changes += 1
      for (const [hash, token] of tokensByHash.entries())
        if (token.tenant === tenant && token.id === id) tokensByHash.delete(hash)
    },
  }
}
