import { asText, fail, fillPath, isFailure, valueAt } from '#kit'
import type { CreateProbe, Failure, Json } from '#kit'
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

const scalarsOf = (body: Json | undefined): Record<string, string | number> =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
    ? Object.fromEntries(
        Object.entries(body).filter(
          (entry): entry is [string, string | number] => typeof entry[1] === 'string' || typeof entry[1] === 'number',
        ),
      )
    : {}

/** The id of an item as text; ids may be strings of any length, or numbers. */
const idOf = (item: unknown): string | undefined => {
  const id = valueAt(item, 'id')
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/** Unix time in ms from the first eight hexadecimal digits of an id; undefined when it does not begin with them. */
const timeOfId = (id: string): number | undefined =>
  /^[0-9a-f]{8}/i.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1000 : undefined

/**
 * When an item was created, in Unix ms; undefined when it should say so and does not. Without a rule that says where
 * the time is, every item counts as new.
 */
const createdAt = ({ createdAt: path, idHoldsTime }: CreateProbe, item: unknown, id: string): number | undefined => {
  if (path === undefined) return idHoldsTime ? timeOfId(id) : Number.POSITIVE_INFINITY
  const at = Date.parse(asText(valueAt(item, path)))
  return Number.isNaN(at) ? undefined : at
}

/** Ids of items equal to the one that was to be created. `isWhole`: none can have been missed. */
type EqualItems = { ids: string[]; isWhole: boolean }

const findAlike = (
  probe: CreateProbe,
  values: Record<string, string | number>,
  listed: unknown,
  since: number,
): EqualItems => {
  const items: unknown = valueAt(listed, probe.list)
  if (!Array.isArray(items)) return { ids: [], isWhole: false }
  const limit = probe.pageSize ?? probe.find.query?.['limit']
  const ids: string[] = []
  // A full page may be followed by more.
  let isWhole = typeof limit !== 'number' || items.length < limit
  for (const item of items) {
    if (!Object.entries(probe.same).every(([at, field]) => asText(valueAt(item, at)) === asText(values[field])))
      continue
    const id = idOf(item)
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

const probeFor = (session: Session, { path, body }: OutgoingRequest) => {
  for (const probe of session.loaded.loaded.wire.probes ?? []) {
    const parts = partsOf(probe.after, path)
    if (!parts) continue
    const values = { ...scalarsOf(body), ...parts }
    const needed = [
      ...Object.values(probe.same),
      ...[...probe.find.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    ]
    // A copy takes its name from elsewhere, so what to look for is unknown.
    if (needed.every((name) => values[name] !== undefined)) return { probe, values }
  }
  return undefined
}

/**
 * After a create whose outcome is unknown: looks for what it would have made, and reports what was found. Only reads.
 * The outcome stays unknown, since somebody else may have made the same.
 */
export const verifyCreate = async (session: Session, startedAt: number, failure: Failure): Promise<Failure> => {
  const { gate, clock, lastWrite, signal, loaded, opened, correlationId, priority, noWait, audit, policy } = session
  const fitting = lastWrite?.isCreate && !signal?.aborted ? probeFor(session, lastWrite.request) : undefined
  if (!fitting) return failure
  const { probe, values } = fitting
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
    const body = await takeReply(
      reading,
      { method: 'GET', path: fillPath(probe.find.path, values), query: probe.find.query },
      bodyOf,
    )
    const lookalikes = findAlike(probe, values, body, startedAt - marginMs)
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
