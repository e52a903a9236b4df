import { describeDefect } from '#kit'
import type { Event } from '#kit'
import type { Connection, Hook, UnclaimedEvent, UnclaimedGroup } from '../../ports/index.ts'
import type { ConnectionCache } from '../connection-cache.ts'
import type { TriggerParts } from '../parts.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { isLive, noConnection } from '../sync/hook-cache.ts'
import type { HookCache } from '../sync/hook-cache.ts'
import type { AppRecipients } from './app-recipients.ts'
import type { KeepUnclaimed } from './keep-unclaimed.ts'
import { openUnclaimed } from './unclaimed.ts'
import type { UnclaimedContent } from './unclaimed.ts'

/** Takes in events delivered for one connection; `hook` is null when its tenant has no hook of its own. */
export type TakeDelivered = (
  ref: ConnectionRef,
  events: Event[],
  delivery: { hook: Hook['id'] | null; correlation: string | undefined },
) => Promise<void>

type AppEventsDependencies = Pick<TriggerParts, 'registry' | 'store' | 'vault' | 'log'> & {
  hooks: Pick<HookCache, 'find' | 'ofConnection'>
  connections: Pick<ConnectionCache, 'ofAccounts'>
  recipients: AppRecipients
  unclaimed: KeepUnclaimed
  take: TakeDelivered
  onDelivered(hook: Hook): void
}
type Recipient = { hook: Hook | undefined; correlation: string | undefined }

/** How many waiting events are read at once. */
const atOnce = 100

/** Whether an event names the account it is for. */
export const namesAccount = ({ account }: Event): boolean => account !== undefined && account !== ''

export type AppEvents = ReturnType<typeof createAppEvents>

/**
 * Events of a hook that serves a whole app. Each goes to the app's connections of its account. When there is none yet,
 * the event is stored for a while, since the connection may be about to be made.
 */
export const createAppEvents = (parts: AppEventsDependencies) => {
  const { registry, store, vault, log, hooks, connections, recipients, unclaimed, take, onDelivered } = parts

  const takeFor = async (
    { tenant, id, integration }: Connection,
    events: Event[],
    { hook, correlation }: Recipient,
  ) => {
    // The hook may belong to another tenant, and this one must not learn of it; its own hook is named instead.
    const isOwn = (other: Hook) => other.integration === integration && isLive(other)
    const own = hook?.tenant === tenant ? hook : hooks.ofConnection(tenant, noConnection).find(isOwn)
    await take({ tenant, connection: id, integration }, events, { hook: own?.id ?? null, correlation })
    if (own) onDelivered(own)
  }

  const claim = async (row: UnclaimedEvent, hook: Hook | undefined, served: Connection[]): Promise<void> => {
    const { event, correlation } = JSON.parse(openUnclaimed(vault, row)) as UnclaimedContent
    for (const connection of served) await takeFor(connection, [event], { hook, correlation })
    await store.unclaimed.remove(row)
  }

  /** Returns whether the event was taken in: a failure must not hold up the other events. */
  const tryClaim = async (row: UnclaimedEvent, hook: Hook | undefined, served: Connection[]): Promise<boolean> => {
    try {
      await claim(row, hook, served)
      return true
    } catch (thrown) {
      const { integration, event: eventId } = row
      log('warn', 'event.not_claimed_yet', { integration, eventId, ...describeDefect(thrown) })
      return false
    }
  }

  /** Takes in the events that wait for one account, once the app serves a connection of it. */
  const claimGroup = async (group: UnclaimedGroup, rows: Connection[]): Promise<void> => {
    const hook = await hooks.find(group.hook)
    const served = await recipients.served(rows, { owner: group.tenant, home: hook?.tenant })
    for (let more = served.length > 0; more;) {
      const waiting = await store.unclaimed.of(group, atOnce)
      more = waiting.length === atOnce
      for (const row of waiting) if (!(await tryClaim(row, hook, served))) more = false
    }
  }

  return {
    /** Resolves when every event is stored: with its connections, or as unclaimed. Each event must name its account. */
    async deliver(hook: Hook, events: Event[], correlation: string | undefined): Promise<void> {
      const address = await recipients.addressOf(hook)
      const byAccount = Map.groupBy(events, ({ account }) => account!)
      const rows = await connections.ofAccounts(hook.integration, [...byAccount.keys()])
      const served = await recipients.served(rows, address)
      const servedAccounts = new Set(served.map(({ accountId }) => accountId!))
      const otherEvents = events.filter(({ account }) => !servedAccounts.has(account!))
      await unclaimed.keep(hook, address.owner, otherEvents, correlation)
      for (const row of served) await takeFor(row, byAccount.get(row.accountId!)!, { hook, correlation })
      onDelivered(hook)
    },
    /** Drops events that have waited too long, and takes in those whose accounts are connected by now. */
    async tick(): Promise<void> {
      const waiting = await store.unclaimed.groups()
      if (waiting.length === 0) return
      await unclaimed.expire()
      const knownIntegrations = new Set(registry.all.map(({ integration }) => integration.id))
      const groups = waiting.filter(({ integration }) => knownIntegrations.has(integration))
      for (const [integration, mine] of Map.groupBy(groups, (group) => group.integration)) {
        const rows = await connections.ofAccounts(integration, [...new Set(mine.map(({ account }) => account))])
        const byAccount = Map.groupBy(rows, ({ accountId }) => accountId!)
        for (const group of mine) await claimGroup(group, byAccount.get(group.account) ?? [])
      }
    },
  }
}
