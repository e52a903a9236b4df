import type { ActiveSubscription } from '../match-index.ts'
import type { ConnectionRef } from '../provider-session.ts'
import { connectionRefOf } from '../subscriptions/registry.ts'

/** One resource of one connection, polled for all subscriptions that need it. */
export type Poll = {
  ref: ConnectionRef
  resource: string
  /** Set where the poll reads the history of a watched model. */
  model: string | undefined
  subscriptions: Set<string>
  dueAt: number
  /** Polled at once, even if another process polled it lately. */
  isHurried: boolean
  failures: number
  /** Polled since the process began, so its stored timers are known to be current. */
  isTried: boolean
}

const historyPrefix = 'history:'

export const connectionName = ({ tenant, connection }: Pick<ConnectionRef, 'tenant' | 'connection'>) =>
  `${tenant}\n${connection}`

/** Names of the resources to poll for a subscription. */
export const resourcesOf = ({ subscription, trigger, config, models }: ActiveSubscription): string[] => {
  if (subscription.delivery !== 'poll') return []
  return trigger.poll ? [...new Set(trigger.poll.resources(config))] : models.map((model) => historyPrefix + model)
}

export type PollSet = ReturnType<typeof createPollSet>

/** What is polled, for which subscriptions, and when next. */
export const createPollSet = (now: () => number) => {
  const polls = new Map<string, Poll>()
  const ofSubscription = new Map<string, string[]>()
  const nameOf = ({ tenant, connection }: ConnectionRef, resource: string) => `${tenant}\n${connection}\n${resource}`

  const drop = (tenant: string, id: string) => {
    for (const name of ofSubscription.get(`${tenant}\n${id}`) ?? []) {
      const poll = polls.get(name)
      poll?.subscriptions.delete(id)
      if (poll?.subscriptions.size === 0) polls.delete(name)
    }
    ofSubscription.delete(`${tenant}\n${id}`)
  }

  return {
    /**
     * Adds a subscription, or replaces its resources; new ones are polled soon. `isKnown`: it is not a new
     * subscription, so what another process polled meanwhile need not be polled again.
     */
    put(active: ActiveSubscription, isKnown = false) {
      const { tenant, id } = active.subscription
      const before = new Set(ofSubscription.get(`${tenant}\n${id}`))
      drop(tenant, id)
      const ref = connectionRefOf(active.subscription)
      const names = resourcesOf(active).map((resource) => {
        const name = nameOf(ref, resource)
        const model =
          resource.startsWith(historyPrefix) && !active.trigger.poll ? resource.slice(historyPrefix.length) : undefined
        const poll = polls.get(name) ?? {
          ref,
          resource,
          model,
          subscriptions: new Set<string>(),
          dueAt: now(),
          isHurried: false,
          failures: 0,
          isTried: false,
        }
        poll.subscriptions.add(id)
        if (!before.has(name)) {
          poll.dueAt = Math.min(poll.dueAt, now())
          poll.isHurried ||= !isKnown
        }
        polls.set(name, poll)
        return name
      })
      if (names.length > 0) ofSubscription.set(`${tenant}\n${id}`, names)
    },
    drop,
    find: (ref: ConnectionRef, resource: string): Poll | undefined => polls.get(nameOf(ref, resource)),
    /** Makes every poll of a connection due now, for example after it was reconnected. */
    hurry(tenant: string, connection: string) {
      for (const poll of polls.values()) {
        if (poll.ref.tenant !== tenant || poll.ref.connection !== connection) continue
        poll.dueAt = Math.min(poll.dueAt, now())
        poll.isHurried = true
      }
    },
    /** The polls of several connections, by `connectionName`, in one pass. */
    ofConnections: (names: ReadonlySet<string>): Poll[] =>
      [...polls.values()].filter(({ ref }) => names.has(connectionName(ref))),
    /** The polls that are due, earliest first. */
    due: (at: number): Poll[] =>
      [...polls.values()].filter(({ dueAt }) => dueAt <= at).sort((a, b) => a.dueAt - b.dueAt),
    size: () => polls.size,
  }
}
