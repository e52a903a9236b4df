import type { Event, Json } from '#kit'
import type { Clock, Log, Store } from '../ports.ts'
import { createRecent } from './recent.ts'

/** A write of one of our runs, as it was sent and answered. */
export type Wrote = {
  tenant: string
  connection: string
  runId: string
  step: string
  startId: string | null
  path: string
  body: Json | undefined
  reply: unknown
}
export type Cause = { causedByUs: Event['causedByUs']; runId: string | null }

/** How far apart our write and the provider's time of its event may lie: their clock is not ours. */
const windowMs = 2 * 60_000
/** A start this recent on the same card is taken as the cause of a write that does not say which start it belongs to. */
const chainMs = 10 * 60_000
const kept = 20_000

const looksLikeId = (text: string) => /^[A-Za-z0-9_-]{6,64}$/.test(text) && !/^[a-z]+$/.test(text)

/** Ids a write names: in its path, in fields named id or idSomething, and the id it was answered with. */
export const objectsOf = ({ path, body, reply }: Pick<Wrote, 'path' | 'body' | 'reply'>): string[] => {
  const named = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : []
  const inBody = named.flatMap(([name, value]) => (/^id([A-Z]|$)/.test(name) && typeof value === 'string' ? [value] : []))
  const answered = typeof reply === 'object' && reply !== null ? (reply as { id?: unknown }).id : undefined
  const all = [...(typeof answered === 'string' ? [answered] : []), ...path.split('/'), ...inBody]
  return [...new Set(all.filter(looksLikeId))]
}

/** What the event is about in particular: a whole board is touched by everybody. */
const particularOf = ({ objects, board, organization, card, list }: Event): string[] => {
  const wide = new Set([board?.id, organization?.id, ...(card ? [list?.id] : [])])
  return objects.filter((object) => !wide.has(object))
}

export type OwnEvents = ReturnType<typeof createOwnEvents>

/**
 * Tells events that our own runs caused from everybody else's. A delivery carries the mark of the write that caused it; a listed event does not,
 * so it is compared with what our runs wrote at that time.
 */
export const createOwnEvents = ({ store, clock, log, instance }: { store: Store; clock: Clock; log: Log; instance: string }) => {
  const prefix = `toolyard-${instance}`
  const runs = createRecent<{ tenant: string; startId: string | null }>(kept)
  /** `tenant object` → the last write to it, whichever account made it. */
  const recent = createRecent<Pick<Wrote, 'connection' | 'runId'> & { at: number }>(kept)
  /** `tenant connection` → id of our app there, learnt from deliveries that carried our mark. */
  const apps = createRecent<string>(kept)
  const chains = createRecent<{ depth: number; at: number }>(kept)
  const name = (...parts: string[]) => parts.join('\n')
  let isNeeded = () => true

  const isForeignApp = (tenant: string, connection: string, event: Event) => {
    const ours = apps.get(name(tenant, connection))
    return event.app === undefined || (ours !== undefined && ours !== event.app)
  }

  const startOf = async (tenant: string, runId: string): Promise<string | null> => {
    const known = runs.get(runId)
    if (known) return known.tenant === tenant ? known.startId : null
    return (await store.runs.get(tenant, runId))?.startId ?? null
  }

  return {
    /** Sent with every write, and given back with what it causes. */
    markOf: (runId: string) => `${prefix}.${runId}`,

    /** Writes are only kept while somebody may be told of what they cause; otherwise each run would leave rows that nobody reads. */
    onlyWhile(needed: () => boolean) {
      isNeeded = needed
    },

    isNeeded: () => isNeeded(),

    /** Called before a run can write: its event may come back before the run has ended. */
    began(tenant: string, runId: string, startId: string | null) {
      if (isNeeded()) runs.set(runId, { tenant, startId })
    },

    wrote({ tenant, connection, runId, step, startId, ...sent }: Wrote) {
      if (!isNeeded()) return
      const at = clock.now()
      const objects = objectsOf(sent)
      for (const object of objects) recent.set(name(tenant, object), { connection, runId, at })
      const rows = objects.map((object) => ({ tenant, connection, object, runId, step, startId, at }))
      // The answer does not wait for it: without the row a recovered event is `unknown`, no worse.
      store.ownWrites.add(rows).catch((error: unknown) => log('error', 'own_write.not_recorded', { runId, error: String(error) }))
    },

    /** Of a delivery, by the mark it carries. A person at the same account leaves no mark. */
    ofDelivery(tenant: string, connection: string, event: Event, mark: string | undefined): Cause {
      if (mark === prefix || mark?.startsWith(`${prefix}.`)) {
        if (event.app !== undefined) apps.set(name(tenant, connection), event.app)
        return { causedByUs: true, runId: mark.slice(prefix.length + 1) || null }
      }
      if (event.app === undefined) return { causedByUs: false, runId: null }
      // The mark only comes back to hooks of the app that wrote. We may have written with another app's key.
      for (const object of particularOf(event)) {
        const write = recent.get(name(tenant, object))
        if (write && write.connection !== connection && Math.abs(Date.parse(event.at) - write.at) <= windowMs) return { causedByUs: true, runId: write.runId }
      }
      return { causedByUs: false, runId: null }
    },

    /** Of a listed event. `account` is the member id of the connection. */
    async ofListed(tenant: string, connection: string, event: Event, account: string | null): Promise<Cause> {
      if (isForeignApp(tenant, connection, event)) return { causedByUs: false, runId: null }
      if (account !== null && event.actor !== undefined && event.actor.id !== account) return { causedByUs: false, runId: null }
      const at = Date.parse(event.at)
      const objects = particularOf(event)
      const writes = await store.ownWrites.find(tenant, connection, objects, at - windowMs, at + windowMs)
      const [nearest] = writes.sort((a, b) => objects.indexOf(a.object) - objects.indexOf(b.object) || Math.abs(a.at - at) - Math.abs(b.at - at))
      return nearest ? { causedByUs: true, runId: nearest.runId } : { causedByUs: 'unknown', runId: null }
    },

    /** A start that may lead to writes on this card. */
    noteStart(tenant: string, card: string | null, depth: number) {
      if (card !== null) chains.set(name(tenant, card), { depth, at: clock.monotonic() })
    },

    /** How many of our starts led to this event: one more than the start that the run belongs to. */
    async depthOf(tenant: string, { causedByUs, runId }: Cause, card: string | null): Promise<number> {
      if (causedByUs !== true) return 0
      const startId = runId === null ? null : await startOf(tenant, runId)
      const start = startId === null ? undefined : await store.starts.get(tenant, startId)
      if (start) return start.depth + 1
      const chain = card === null ? undefined : chains.get(name(tenant, card))
      return chain && clock.monotonic() - chain.at <= chainMs ? chain.depth + 1 : 0
    },
  }
}
