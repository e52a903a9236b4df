import { LRUCache } from 'lru-cache'
import type { Caller, Clock } from '../ports/index.ts'

/** Far below the time that a link lives. */
const reusedMs = 2 * 60_000

type Link = { url: string; state: string }
type LinkOf<L> = (caller: Caller, integration: string) => Promise<L | undefined>

/**
 * The address where the person of a call connects an account. Calls that fail shortly after each other get the same,
 * because each link is stored. One that a browser has opened is that browser's, see `isUnopened`.
 */
export const createLinkFor = (
  linkOf: LinkOf<Link>,
  { clock, isUnopened }: { clock: Pick<Clock, 'monotonic'>; isUnopened(state: string): Promise<boolean> },
): LinkOf<string> => {
  const links = new LRUCache<string, { at: number; link: Promise<Link | undefined> }>({
    maxSize: 1_000,
    sizeCalculation: () => 1,
  })
  return async (caller, integration) => {
    const { tenant, person = null, token = null, connections = null, scopes = null } = caller
    const name = JSON.stringify([tenant, person, integration, token, connections, scopes])
    const former = links.get(name)
    if (former && clock.monotonic() - former.at < reusedMs) {
      const link = await former.link
      if (link && (await isUnopened(link.state))) return link.url
      // Another call of these may have made one meanwhile.
      const next = links.get(name)
      if (next && next !== former) return (await next.link)?.url
    }
    const entry = { at: clock.monotonic(), link: linkOf(caller, integration) }
    links.set(name, entry)
    const forget = () => links.peek(name) === entry && links.delete(name)
    entry.link.then((link) => link === undefined && forget(), forget)
    return (await entry.link)?.url
  }
}
