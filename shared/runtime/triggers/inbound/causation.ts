import { describeDefect } from '#kit'
import type { Event, Ref, SentWrite, WebhookSource } from '#kit'
import type { Clock, Log, Start, Store } from '../../ports/index.ts'
import { createRecent } from '../recent.ts'

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
/** A start this recent about the same subject (or of the same connection, without one) is taken as the cause of a write that does not say which start it belongs to. */
const chainMs = 10 * 60_000
const kept = 20_000

/** Long enough and no mere number or word: no two things at a provider share such an id, whatever kind they are. */
const isUnique = (text: string) => /^[A-Za-z0-9_-]{6,64}$/.test(text) && !/^([a-z]+|\d+)$/.test(text)
const isWord = (text: string | undefined): text is string => text !== undefined && /^[A-Za-z][A-Za-z_-]+$/.test(text)
/** One word for `issues` in a path, `idIssue` in a body and `issue` in an event. */
const kindOf = (word: string) => word.toLowerCase().replace(/s$/, '')
const maxId = 300

/** How a thing is known: by its id where that is enough, else with its kind, and never by a part of either. */
const keyOf = (kind: string | undefined, id: unknown): string[] => {
  if (typeof id !== 'string' && typeof id !== 'number') return []
  const text = String(id)
  if (isUnique(text)) return [text]
  return isWord(kind) && text !== '' && text.length <= maxId ? [`${kindOf(kind)}:${text}`] : []
}
const keysOf = (objects: readonly Ref[]): string[] => [...new Set(objects.flatMap(({ kind, id }) => keyOf(kind, id)))]
const isShort = (text: string) => /^\d+$/.test(text) || (text.length > 0 && text.length < 6)

/** What a write names: in its path, in fields named id, idSomething or something_id, and by the id it was answered with. */
export const writtenKeys = ({ path, body, reply }: Pick<SentWrite, 'path' | 'body' | 'reply'>): string[] => {
  const segments = path.split('/')
  const collection = segments.findLast((segment) => isWord(segment) && !isUnique(segment))
  const inPath = segments.flatMap((segment, n) => (isUnique(segment) ? [segment] : isShort(segment) ? keyOf(segments[n - 1], segment) : []))
  const named = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.entries(body) : []
  const inBody = named.flatMap(([name, value]) => {
    const kind = /^id([A-Z]\w*)$/.exec(name)?.[1] ?? /^(\w+?)_?[iI]d$/.exec(name)?.[1] ?? (name === 'id' ? collection : undefined)
    return kind === undefined ? [] : keyOf(kind, value)
  })
  const answered = typeof reply === 'object' && reply !== null ? keyOf(collection, (reply as { id?: unknown }).id) : []
  return [...new Set([...answered, ...inPath, ...inBody])]
}

/** What is known of a fact by which our own are recognised. */
export type CausedFact = Pick<Event, 'at' | 'objects'> & Partial<Pick<Event, 'app' | 'actor'>>

export type Causation = ReturnType<typeof createCausation>

/**
 * Tells events that our own runs caused from everybody else's. A delivery carries the mark of the write that caused it; a listed event does not,
 * so it is compared with what our runs wrote at that time.
 */
export const createCausation = ({
  store,
  clock,
  log,
  instance,
  sourceOf = () => undefined,
}: {
  store: Store
  clock: Clock
  log: Log
  instance: string
  sourceOf?: (integration: string) => Pick<WebhookSource, 'writtenObjects'> | undefined
}) => {
  const prefix = `toolyard-${instance}`
  const runs = createRecent<{ tenant: string; startId: string | null }>(kept)
  /** `tenant object` → the last write to it, whichever account made it. */
  const recent = createRecent<Pick<RunWrite, 'connection' | 'runId'> & { at: number }>(kept)
  /** `tenant connection` → id of our app there, learnt from deliveries that carried our mark. */
  const apps = createRecent<string>(kept)
  const chains = createRecent<{ depth: number; at: number }>(kept)
  const name = (...parts: string[]) => parts.join('\n')
  let isNeeded = () => true

  const began = clock.monotonic()

  type Asked = { tenant: string; connection: string; event: CausedFact; /** Id of the connection's account at the provider. */ account: string | null }
  const no: Cause = { causedByUs: false, runId: null }
  const unknown: Cause = { causedByUs: 'unknown', runId: null }

  /** A write of ours to what the event is about, at its time, as far as this process remembers. */
  const remembered = ({ tenant, event }: Asked, isOf: (connection: string) => boolean): Cause | undefined => {
    for (const object of keysOf(event.objects)) {
      const write = recent.get(name(tenant, object))
      if (write && isOf(write.connection) && Math.abs(Date.parse(event.at) - write.at) <= windowMs) return { causedByUs: true, runId: write.runId }
    }
    return undefined
  }

  const written = async ({ tenant, connection, event }: Asked): Promise<Cause> => {
    const at = Date.parse(event.at)
    const objects = keysOf(event.objects)
    const writes = objects.length === 0 ? [] : await store.ownWrites.find(tenant, connection, objects, at - windowMs, at + windowMs)
    const [nearest] = writes.sort((a, b) => objects.indexOf(a.object) - objects.indexOf(b.object) || Math.abs(a.at - at) - Math.abs(b.at - at))
    return nearest ? { causedByUs: true, runId: nearest.runId } : unknown
  }

  /** What can be told without the store; undefined: only what our runs wrote can say. */
  const tell = (asked: Asked): Cause | undefined => {
    const { tenant, connection, event, account } = asked
    if (event.app === null) return no
    const ours = apps.get(name(tenant, connection))
    const isForeign = ours !== undefined && event.app !== undefined && event.app !== ours
    const isOther = account !== null && event.actor !== undefined && event.actor.id !== account
    // We may have written with another account, or with another app's key.
    if (isForeign || isOther) return remembered(asked, (other) => other !== connection) ?? no
    return undefined
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

    wrote({ tenant, connection, integration, runId, step, startId, ...sent }: RunWrite) {
      if (!isNeeded()) return
      const at = clock.now()
      const named = sourceOf(integration)?.writtenObjects?.(sent)
      const objects = named ? keysOf(named) : writtenKeys(sent)
      for (const object of objects) recent.set(name(tenant, object), { connection, runId, at })
      const rows = objects.map((object) => ({ tenant, connection, object, runId, step, startId, at }))
      // The answer does not wait for it: without the row a recovered event is `unknown`, no worse.
      store.ownWrites.add(rows).catch((error: unknown) => log('error', 'own_write.not_recorded', { runId, ...describeDefect(error) }))
    },

    /** Of a delivery. Its mark decides, where the provider gives one back; else what our runs wrote. A person leaves no app. */
    ofDelivery(asked: Asked, mark: string | undefined): Cause | Promise<Cause> {
      const { tenant, connection, event } = asked
      if (mark === prefix || mark?.startsWith(`${prefix}.`)) {
        if (typeof event.app === 'string') apps.set(name(tenant, connection), event.app)
        return { causedByUs: true, runId: mark.slice(prefix.length + 1) || null }
      }
      if (mark) return no
      const told = tell(asked)
      if (told) return told
      // Marks come back here, so that one of ours would be there; they do not where another app's key was used.
      const isMarked = event.app !== undefined && event.app === apps.get(name(tenant, connection))
      const own = remembered(asked, (other) => !isMarked || other !== connection)
      if (own) return own
      if (isMarked) return no
      // What the process before this one wrote is not remembered.
      return clock.monotonic() - began <= 2 * windowMs ? written(asked) : unknown
    },

    /** Of what was listed, or found by looking. */
    ofListed: async (asked: Asked): Promise<Cause> => tell(asked) ?? remembered(asked, () => true) ?? written(asked),

    /** A start that may lead to writes about this subject; without one, about anything of the connection. */
    noteStart({ tenant, connection, subject, depth }: Pick<Start, 'tenant' | 'connection' | 'subject' | 'depth'>) {
      chains.set(name(tenant, subject ?? connection), { depth, at: clock.monotonic() })
    },

    /** How many of our starts led to this event: one more than the start that the run belongs to. */
    async depthOf(tenant: string, connection: string, { causedByUs, runId }: Cause, subject: string | null): Promise<number> {
      if (causedByUs !== true) return 0
      const startId = runId === null ? null : await startOf(tenant, runId)
      const start = startId === null ? undefined : await store.starts.get(tenant, startId)
      if (start) return start.depth + 1
      const chain = chains.get(name(tenant, subject ?? connection))
      return chain && clock.monotonic() - chain.at <= chainMs ? chain.depth + 1 : 0
    },
  }
}
