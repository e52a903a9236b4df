import { LRUCache } from 'lru-cache'
import { describeDefect } from '#kit'
import type { Event, SentWrite, WebhookSource } from '#kit'
import type { Clock, Log, Store } from '../../ports/index.ts'
import { keysOf, writtenKeys } from './object-keys.ts'
import { createStartChains } from './start-chains.ts'

/** A write of one of our runs, as it was sent and answered. */
export type RunWrite = SentWrite & {
  tenant: string
  connection: string
  integration: string
  runId: string
  step: string
  startId: string | null
}
export type Cause = { causedByUs: Event['causedByUs']; runId: string | null }

/** How far apart our write and the provider's time of its event may lie: their clock is not ours. */
const windowMs = 2 * 60_000
/**
 * An event that young may come before the row of the write that caused it, where another process made that write: it is
 * looked for once more, after this time.
 */
const youngMs = 10_000
const patienceMs = 250
/** Bounded by size, since a bound by number takes the room for all entries at once: 2 ms of every start. */
const bounded = { maxSize: 20_000, sizeCalculation: () => 1 }

/** What is known of a fact by which our own are recognised. */
export type CausedFact = Pick<Event, 'at' | 'objects'> & Partial<Pick<Event, 'app' | 'actor'>>

export type Causation = ReturnType<typeof createCausation>

type Asked = {
  tenant: string
  connection: string
  event: CausedFact
  /** Id of the connection's account at the provider. */ account: string | null
  /** Whether the tenant has other connections. */
  hasSiblings?: boolean | undefined
}
const no: Cause = { causedByUs: false, runId: null }
const unknown: Cause = { causedByUs: 'unknown', runId: null }

/** Finds what our runs wrote, in the store. */
const findWrites = ({ store, clock }: { store: Pick<Store, 'ownWrites'>; clock: Pick<Clock, 'now' | 'sleep'> }) => {
  const written = async ({ tenant, connection, event }: Asked): Promise<Cause> => {
    const at = Date.parse(event.at)
    const objects = keysOf(event.objects)
    const writes =
      objects.length === 0 ? [] : await store.ownWrites.find(tenant, connection, objects, at - windowMs, at + windowMs)
    const [nearest] = writes.sort(
      (a, b) => objects.indexOf(a.object) - objects.indexOf(b.object) || Math.abs(a.at - at) - Math.abs(b.at - at),
    )
    return nearest ? { causedByUs: true, runId: nearest.runId } : unknown
  }

  /** What any process wrote through the tenant's other connections. */
  const writtenBySiblings = async ({ tenant, connection, event }: Asked): Promise<Cause> => {
    const at = Date.parse(event.at)
    const objects = keysOf(event.objects)
    const writes =
      objects.length === 0
        ? []
        : await store.ownWrites.findOfOthers(tenant, connection, objects, at - windowMs, at + windowMs)
    return writes[0] ? { causedByUs: true, runId: writes[0].runId } : no
  }

  /**
   * What any process wrote. The row of a write is stored when its answer comes, and a delivery may come a moment before
   * that.
   */
  const writtenElsewhere = async (query: Asked): Promise<Cause> => {
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

/** A write of ours to what the event is about, at its time, as far as this process remembers. */
const findRecent = (
  recent: LRUCache<string, RecentWrite>,
  tenant: string,
  event: Asked['event'],
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
 * Distinguishes events that our own runs caused from everybody else's. A delivery may carry the correlation id of the
 * write that caused it; a listed event does not, so it is compared with what our runs wrote at that time.
 */
export const createCausation = ({ store, clock, log, instance, sourceOf = () => undefined }: CausationDependencies) => {
  const prefix = `toolyard-${instance}`
  const chains = createStartChains({ store, clock })
  /** `tenant object` → the last write to it, whichever connection made it. */
  const recent = new LRUCache<string, RecentWrite>(bounded)
  /** `tenant connection` → id of our app there, learnt from deliveries that carried our correlation id. */
  const apps = new LRUCache<string, string>(bounded)
  let isNeeded = () => true

  const began = clock.monotonic()

  const { written, writtenElsewhere, writtenBySiblings } = findWrites({ store, clock })

  const remembered = ({ tenant, event }: Asked, isOf: (connection: string) => boolean) =>
    findRecent(recent, tenant, event, isOf)

  /** What is known without the store; undefined: only what our runs wrote can decide. */
  const decideWithoutStore = (query: Asked): Cause | Promise<Cause> | undefined => {
    const { tenant, connection, event, account } = query
    if (event.app === null) return no
    const ours = apps.get(name(tenant, connection))
    const isForeign = ours !== undefined && event.app !== undefined && event.app !== ours
    const isOther = account !== null && event.actor !== undefined && event.actor.id !== account
    // We may have written with another account, or with another app's key.
    if (isForeign || isOther)
      return (
        remembered(query, (other) => other !== connection) ??
        (store.cluster && query.hasSiblings ? writtenBySiblings(query) : no)
      )
    return undefined
  }

  return {
    /** Sent with every write, and given back with what it causes. */
    correlationIdOf: (runId: string) => `${prefix}.${runId}`,

    /**
     * Writes are only kept while a subscription may receive what they cause; otherwise each run would leave rows that
     * nobody reads.
     */
    onlyWhile(needed: () => boolean) {
      isNeeded = needed
    },

    isNeeded: () => isNeeded(),

    /** Called before a run can write: its event may come back before the run has ended. */
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
      // The answer does not wait for it: without the row a recovered event is `unknown`, no worse.
      store.ownWrites
        .add(rows)
        .catch((error: unknown) => log('error', 'own_write.not_recorded', { runId, ...describeDefect(error) }))
    },

    /**
     * Of a delivery. Its correlation id decides, where the provider gives one back; else what our runs wrote. A person
     * leaves no app.
     */
    ofDelivery(query: Asked, correlation: string | undefined): Cause | Promise<Cause> {
      const { tenant, connection, event } = query
      if (correlation === prefix || correlation?.startsWith(`${prefix}.`)) {
        if (typeof event.app === 'string') apps.set(name(tenant, connection), event.app)
        return { causedByUs: true, runId: correlation.slice(prefix.length + 1) || null }
      }
      if (correlation) return no
      const decided = decideWithoutStore(query)
      if (decided) return decided
      // Correlation ids come back here, so that one of ours would be there; they do not where another app's key was
      // used.
      const isCorrelated = event.app !== undefined && event.app === apps.get(name(tenant, connection))
      const own = remembered(query, (other) => !isCorrelated || other !== connection)
      if (own) return own
      if (isCorrelated) return no
      if (store.cluster) return writtenElsewhere(query)
      // What the process before this one wrote is not remembered.
      return clock.monotonic() - began <= 2 * windowMs ? written(query) : unknown
    },

    /** Of what was listed, or found by a poll. */
    ofListed: async (query: Asked): Promise<Cause> =>
      decideWithoutStore(query) ?? remembered(query, () => true) ?? written(query),

    noteStart: chains.noteStart,

    /** How many of our starts led to this event: one more than the start that the run belongs to. */
    depthOf: async (
      tenant: string,
      connection: string,
      { causedByUs, runId }: Cause,
      subject: string | null,
    ): Promise<number> => (causedByUs === true ? chains.depthOf(tenant, connection, runId, subject) : 0),
  }
}
