import type { MatchIndex } from '../match-index.ts'

const maxOrigins = 10_000

/**
 * Names the agent of a subscription by its origin; a subscription unknown to this process counts as an agent of its
 * own.
 */
export const createAgentNames = (index: MatchIndex) => {
  /** Origins by URL, since every tick needs the origin of each queue. */
  const origins = new Map<string, string>()
  const originOf = (url: string): string => {
    let origin = origins.get(url)
    if (origin !== undefined) return origin
    origin = URL.canParse(url) ? new URL(url).origin : 'onStart'
    if (origins.size >= maxOrigins) origins.clear()
    origins.set(url, origin)
    return origin
  }
  return (tenant: string, subscription: string) => {
    const url = index.get(tenant, subscription)?.subscription.agent.url
    return url === undefined ? `subscription ${subscription}` : url === null ? 'onStart' : originOf(url)
  }
}
