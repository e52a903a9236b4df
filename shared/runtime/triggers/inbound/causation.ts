import { LRUCache } from 'lru-cache'
import { describeDefect } from '#kit'
import type { Event, SentWrite, WebhookSource } from '#kit'
import type { Clock, Log, Store } from '../../ports/index.ts'
import { keysOf, writtenKeys } from './object-keys.ts'
import { createStartChains } from './start-chains.ts'

/** A write that one of our runs sent, with its reply. */
export type RunWrite = SentWrite & {
  tenant: string
  connection: string
  integration: string
  runId: string
  step: string
  startId: string | null
}
export type Cause = { causedByUs: Event['causedByUs']; runId: string | null }

/** How far our write and the provider's time of its event may differ: the two clocks are not the same. */
const windowMs = 2 * 60_000
/**
 * An event this young may arrive before the row of the write that caused it, when another process made that write. The
 * row is then looked up a second time, after `patienceMs`.
 */
const youngMs = 10_000
const patienceMs = 250
/**
 * An LRU cache with `max` allocates room for all entries at once, which takes 2 ms at start-up; with `maxSize` it
 * grows.
 */
const bounded = { maxSize: 20_000, sizeCalculation: () => 1 }

/** The properties of an event by which our own writes are recognised. */
export type CausedFact = Pick<Event, 'at' | 'objects'> & Partial<Pick<Event, 'app' | 'actor' | 'own'>>

export type Causation = ReturnType<typeof createCausation>

type CauseQuery = {
  tenant: string
  connection: string
  event: CausedFact
  /** Id of the connection's account at the provider. */ account: string | null
  /** Ids that we act under beside the account: what they do is our own. */
  ownIds?: readonly string[] | undefined
  /** Whether the tenant has other connections. */
  hasSiblings?: boolean | undefined
}
const no: Cause = { causedByUs: false, runId: null }
/** Ours by what the event says, whichever run it was. */
const ours: Cause = { causedByUs: true, runId: null }
const unknown: Cause = { causedByUs: 'unknown', runId: null }

/** Looks up the writes of our runs in the store. */
const findWrites = ({ store, clock }: { store: Pick<Store, 'ownWrites'>; clock: Pick<Clock, 'now' | 'sleep'> }) => {
  const written = async ({ tenant, connection, event }: CauseQuery): Promise<Cause> => {
    const at = Date.parse(event.at)
    const objects = keysOf(event.objects)
    const writes =
      objects.length === 0 ? [] : await store.ownWrites.find(tenant, connection, objects, at - windowMs, at + windowMs)
    const [nearest] = writes.sort(
      (a, b) => objects.indexOf(a.object) - objects.indexOf(b.object) || Math.abs(a.at - at) - Math.abs(b.at - at),
    )
    return nearest ? { causedByUs: true, runId: nearest.runId } : unknown
  }

  /** Looks for the cause among writes through the tenant's other connections, by any process. */
  const writtenBySiblings = async ({ tenant, connection, event }: CauseQuery): Promise<Cause> => {
    const at = Date.parse(event.at)
    const objects = keysOf(event.objects)
    const writes =
      objects.length === 0
        ? []
        : await store.ownWrites.findOfOthers(tenant, connection, objects, at - windowMs, at + windowMs)
    return writes[0] ? { causedByUs: true, runId: writes[0].runId } : no
  }

  /**
   * Looks for the cause among writes of any process. The row of a write is stored when its reply arrives, and a
   * delivery may come a moment earlier.
   */
  const writtenElsewhere = async (query: CauseQuery): Promise<Cause> => {
    const cause = await written(query)
    const isYoung = Math.abs(clock.now() - Date.parse(query.event.at)) <= youngMs
    if (cause.causedByUs === true || !isYoung || keysOf(query.event.objects).length === 0) return cause
    await clock.sleep(patienceMs)
    return written(query)
  }

  return { written, writtenElsewhere, writtenBySiblings }
}

type CausationDependencies = {
  store: Store
  clock: Clock
  log: Log
  instance: string
  sourceOf?: (integration: string) => Pick<WebhookSource, 'writtenObjects'> | undefined
}

type RecentWrite = Pick<RunWrite, 'connection' | 'runId'> & { at: number }
const name = (...parts: string[]) => parts.join('\n')

/** A recent write of ours to an object of the event, close to its time, as far as this process remembers. */
const findRecent = (
  recent: LRUCache<string, RecentWrite>,
  tenant: string,
  event: CauseQuery['event'],
  isOf: (connection: string) => boolean,
): Cause | undefined => {
  for (const object of keysOf(event.objects)) {
    const write = recent.get(name(tenant, object))
    if (write && isOf(write.connection) && Math.abs(Date.parse(event.at) - write.at) <= windowMs)
      return { causedByUs: true, runId: write.runId }
  }
  return undefined
}

/**
 * Distinguishes events that our own runs caused from all others. A delivery may carry the correlation id of the write
 * that caused it; a listed event does not, so it is compared with the writes of our runs at that time.
 */
export const createCausation = ({ store, clock, log, instance, sourceOf = () => undefined }: CausationDependencies) => {
  const prefix = `toolyard-${instance}`
  const chains = createStartChains({ store, clock })
  /** `tenant object` → the last write to that object, through whichever connection. */
  const recent = new LRUCache<string, RecentWrite>(bounded)
  /** `tenant connection` → id of our app at the provider, learnt from deliveries that carried our correlation id. */
  const apps = new LRUCache<string, string>(bounded)
  let isNeeded = () => true

  const began = clock.monotonic()

  const { written, writtenElsewhere, writtenBySiblings } = findWrites({ store, clock })

  const remembered = ({ tenant, event }: CauseQuery, isOf: (connection: string) => boolean) =>
    findRecent(recent, tenant, event, isOf)

  /** An event of ours, with the run that wrote it where one is known. */
  const runOf = async (query: CauseQuery): Promise<Cause> => {
    const cause = await written(query)
    return cause.causedByUs === true ? cause : ours
  }

  /**
   * The cause where it needs no lookup of this connection's writes; undefined when only those can decide.
   * `isCorrelated`: the event carries a correlation id that is not ours.
   */
  const decideWithoutStore = (query: CauseQuery, isCorrelated = false): Cause | Promise<Cause> | undefined => {
    const { tenant, connection, event, account, ownIds } = query
    const { own = event.actor !== undefined && ownIds?.includes(event.actor.id) ? true : undefined } = event
    if (own === false || (own === undefined && (isCorrelated || event.app === null))) return no
    if (own) return remembered(query, () => true) ?? runOf(query)
    const ourApp = apps.get(name(tenant, connection))
    const isForeign = ourApp !== undefined && event.app !== undefined && event.app !== ourApp
    const isOther = account !== null && event.actor !== undefined && event.actor.id !== account
    // The write may still be ours: sent with another account, or with another app's key.
    if (isForeign || isOther)
      return (
        remembered(query, (other) => other !== connection) ??
        (store.cluster && query.hasSiblings ? writtenBySiblings(query) : no)
      )
    return undefined
  }

  return {
    /**
     * The correlation id that is sent with every write of a run; the provider returns it with the events that the write
     * causes.
     */
    correlationIdOf: (runId: string) => `${prefix}.${runId}`,

    /**
     * Records writes only while a subscription may receive their events; otherwise each run would leave rows that
     * nobody reads.
     */
    onlyWhile(needed: () => boolean) {
      isNeeded = needed
    },

    isNeeded: () => isNeeded(),

    /** Called before a run can write, since its event may arrive before the run has ended. */
    began(tenant: string, runId: string, startId: string | null) {
      if (isNeeded()) chains.began(tenant, runId, startId)
    },

    wrote({ tenant, connection, integration, runId, step, startId, ...sent }: RunWrite) {
      if (!isNeeded()) return
      const at = clock.now()
      const named = sourceOf(integration)?.writtenObjects?.(sent)
      const objects = named ? keysOf(named) : writtenKeys(sent)
      for (const object of objects) recent.set(name(tenant, object), { connection, runId, at })
      const rows = objects.map((object) => ({ tenant, connection, object, runId, step, startId, at }))
      // The reply does not wait for this: without the row, a recovered event is merely `unknown`.
      store.ownWrites
        .add(rows)
        .catch((error: unknown) => log('error', 'own_write.not_recorded', { runId, ...describeDefect(error) }))
    },

    /**
     * The cause of a delivered event. The correlation id decides where the provider returns one; otherwise the writes
     * of our runs do. A change made by a person names no app.
     */
    ofDelivery(query: CauseQuery, correlation: string | undefined): Cause | Promise<Cause> {
      const { tenant, connection, event } = query
      if (correlation === prefix || correlation?.startsWith(`${prefix}.`)) {
        if (typeof event.app === 'string') apps.set(name(tenant, connection), event.app)
        return { causedByUs: true, runId: correlation.slice(prefix.length + 1) || null }
      }
      const decided = decideWithoutStore(query, Boolean(correlation))
      if (decided) return decided
      // This app returns correlation ids, so a write through this connection would have carried ours. A write through
      // another connection, with another app's key, need not.
      const isCorrelated = event.app !== undefined && event.app === apps.get(name(tenant, connection))
      const own = remembered(query, (other) => !isCorrelated || other !== connection)
      if (own) return own
      if (isCorrelated) return no
      if (store.cluster) return writtenElsewhere(query)
      // After a start, this process does not remember the writes of the one before it, so the store is asked.
      return clock.monotonic() - began <= 2 * windowMs ? written(query) : unknown
    },

    /** The cause of an event that was listed or found by a poll. */
    ofListed: async (query: CauseQuery): Promise<Cause> =>
      decideWithoutStore(query) ?? remembered(query, () => true) ?? written(query),

    noteStart: chains.noteStart,

    /** How many of our starts led to this event: the depth of the start that the run belongs to, plus one. */
    depthOf: async (
      tenant: string,
      connection: string,
      { causedByUs, runId }: Cause,
      subject: string | null,
    ): Promise<number> => (causedByUs === true ? chains.depthOf(tenant, connection, runId, subject) : 0),
  }
}
