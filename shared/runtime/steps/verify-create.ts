import { asText, fail, fillPath, isFailure, setAt, valueAt } from '#kit'
import type { CreateProbe, Failure, JsonTree, Scalar } from '#kit'
import { bodyOf, takeReply } from '../gate/gate.ts'
import { openSession } from '../session/session.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { Session } from '../session/session.ts'

/** Timeout in ms, since verifying must not make a failed run much longer. */
const verifyMs = 5_000
/** Allows for the difference between the provider's clock and ours. */
const marginMs = 60_000
const maxListedIds = 3

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/**
 * Names and values of a path that matches a template such as `/issues/{number}/comments`. A part that cannot be decoded
 * leaves its name without a value.
 */
const partsOf = (template: string, path: string): Record<string, string> | undefined => {
  const [templateParts, pathParts] = [template.split('/'), path.split('/')]
  if (templateParts.length !== pathParts.length) return undefined
  const parts: Record<string, string> = {}
  for (const [at, part] of templateParts.entries()) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    const value = name === undefined ? undefined : decoded(pathParts[at]!)
    if (name !== undefined && value !== undefined) parts[name] = value
    else if (part !== pathParts[at]) return undefined
  }
  return parts
}

/** The value that a create gave for a name: a part of its path, or a field of its body or query. */
type ValueOf = (name: string) => string | number | undefined

const valuesOf =
  ({ body, query }: OutgoingRequest, parts: Record<string, string>): ValueOf =>
  (name) => {
    const value = [valueAt(parts, name), valueAt(body, name), valueAt(query, name)].find((item) => item !== undefined)
    return typeof value === 'string' || typeof value === 'number' ? value : undefined
  }

/** The id of an item as text; ids may be strings of any length, or numbers. */
const idOf = (item: unknown, path = 'id'): string | undefined => {
  const id = valueAt(item, path)
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/** Unix time in ms from the first eight hexadecimal digits of an id; undefined when it does not begin with them. */
const timeOfId = (id: string): number | undefined =>
  /^[0-9a-f]{8}/i.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1000 : undefined

/**
 * When an item was created, in Unix ms; undefined when it should say so and does not. Without a rule that says where
 * the time is, every item counts as new.
 */
const createdAt = (probe: CreateProbe, item: unknown, id: string): number | undefined => {
  const { createdAt: path, timeAs = 'date', idHoldsTime } = probe
  if (path === undefined) return idHoldsTime ? timeOfId(id) : Number.POSITIVE_INFINITY
  const text = asText(valueAt(item, path))
  const at = timeAs === 'date' ? Date.parse(text) : Number(text || NaN) * (timeAs === 'epoch-s' ? 1000 : 1)
  return Number.isNaN(at) ? undefined : at
}

/** Ids of items equal to the one that was to be created. `isWhole`: none can have been missed. */
type EqualItems = { ids: string[]; isWhole: boolean }

const findAlike = (probe: CreateProbe, valueOf: ValueOf, listed: unknown, since: number): EqualItems => {
  const items: unknown = valueAt(listed, probe.list)
  if (!Array.isArray(items)) return { ids: [], isWhole: false }
  const limit = probe.pageSize ?? probe.find.query?.['limit']
  const ids: string[] = []
  // A full page may be followed by more.
  let isWhole = typeof limit !== 'number' || items.length < limit
  for (const item of items) {
    if (!Object.entries(probe.same).every(([at, field]) => asText(valueAt(item, at)) === asText(valueOf(field))))
      continue
    const id = idOf(item, probe.id)
    const at = id === undefined ? undefined : createdAt(probe, item, id)
    // The item is equal, but may be older.
    if (id === undefined || at === undefined) isWhole = false
    else if (at >= since) ids.push(id)
  }
  return { ids, isWhole }
}

const sentence = ({ ids, isWhole }: EqualItems) => {
  if (ids.length === 0) {
    return isWhole
      ? 'Checking afterwards found nothing like it, so it was probably not done; check again before you repeat it.'
      : 'Whether it was done could not be checked. Look at the provider before you repeat it.'
  }
  const named = ids.slice(0, maxListedIds).join(', ')
  return ids.length === 1
    ? `Checking afterwards found one just like it, made since then: ${named}. It was most likely done; do not repeat it.`
    : `Checking afterwards found ${ids.length} just like it, made since then: ${named}${ids.length > maxListedIds ? ' and more' : ''}. It was most likely done; do not repeat it.`
}

const namesInPath = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
/** The name that a parameter of a probe stands for, when it is `{name}` as a whole. */
const nameIn = (value: unknown) => (typeof value === 'string' ? /^\{([\w.]+)\}$/.exec(value)?.[1] : undefined)

const probeFor = (session: Session, request: OutgoingRequest) => {
  for (const probe of session.loaded.loaded.wire.probes ?? []) {
    const { path, query = {} } = probe.find
    const parts = partsOf(probe.after, request.path)
    const isMeant = Object.entries(probe.where ?? {}).every(([at, value]) => valueAt(request.body, at) === value)
    if (!parts || !isMeant) continue
    const valueOf = valuesOf(request, parts)
    const needed = [
      ...Object.values(probe.same),
      ...namesInPath(path),
      ...Object.values(query).flatMap((value) => nameIn(value) ?? []),
    ]
    // A copy takes its name from elsewhere, so what to look for is unknown.
    if (needed.every((name) => valueOf(name) !== undefined)) return { probe, valueOf }
  }
  return undefined
}

/** The request that lists candidates. */
const requestOf = ({ find }: CreateProbe, valueOf: ValueOf): OutgoingRequest => {
  const path = fillPath(find.path, Object.fromEntries(namesInPath(find.path).map((name) => [name, valueOf(name)!])))
  const query: Record<string, Scalar> = {}
  for (const [parameter, value] of Object.entries(find.query ?? {})) {
    const name = nameIn(value)
    query[parameter] = name === undefined ? value : valueOf(name)!
  }
  if (find.in !== 'body') return { method: 'GET', path, ...(find.query ? { query } : {}) }
  const body: JsonTree = {}
  for (const [at, value] of Object.entries(query)) setAt(body, at, value)
  return { method: 'POST', path, body }
}

/**
 * After a create whose outcome is unknown: looks for what it would have made, and reports what was found. Only reads.
 * The outcome stays unknown, since somebody else may have made the same.
 */
export const verifyCreate = async (session: Session, startedAt: number, failure: Failure): Promise<Failure> => {
  const { gate, clock, lastWrite, signal, loaded, opened, correlationId, priority, noWait, audit, policy } = session
  const fitting = lastWrite?.isCreate && !signal?.aborted ? probeFor(session, lastWrite.request) : undefined
  if (!fitting) return failure
  const { probe, valueOf } = fitting
  // A session of its own: the attempts counted in the run's session say how often the write was sent.
  const reading = openSession({
    gate,
    clock,
    guards: 'upkeep',
    loaded,
    opened,
    effect: 'read',
    deadlineAt: clock.monotonic() + verifyMs,
    correlationId,
    priority,
    noWait,
    audit,
    policy,
  })
  try {
    const body = await takeReply(reading, requestOf(probe, valueOf), bodyOf)
    const lookalikes = findAlike(probe, valueOf, body, startedAt - marginMs)
    // The provider confirmed the create; that the item cannot be seen yet does not contradict that.
    if (
      lookalikes.ids.length === 0 &&
      (failure.details.providerStatus ?? 0) < 300 &&
      failure.details.providerStatus !== undefined
    )
      return failure
    return fail('outcome_unknown', `${failure.message} ${sentence(lookalikes)}`, failure.details)
  } catch (thrown) {
    if (!isFailure(thrown)) throw thrown
    return fail(
      'outcome_unknown',
      `${failure.message} Checking afterwards failed, too (${thrown.code}).`,
      failure.details,
    )
  }
}
