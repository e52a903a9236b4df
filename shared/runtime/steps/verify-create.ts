import { asText, fail, fillPath, isFailure, valueAt } from '#kit'
import type { CreateProbe, Failure, Json } from '#kit'
import { bodyOf, takeChecked } from '../gate/gate.ts'
import { openSession } from '../session/session.ts'
import type { OutgoingRequest } from '../gate/pass.ts'
import type { Session } from '../session/session.ts'

/** Verifying must not make a failed run much longer. */
const verifyMs = 5_000
/** The provider's clock is not ours. */
const marginMs = 60_000
const maxNamed = 3

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

/**
 * Names and values of a path that fits a template such as `/issues/{number}/comments`. What cannot be read as text
 * cannot be verified.
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

/** The id an item has, as text; ids of any type and length are ids. */
const idOf = (item: unknown): string | undefined => {
  const id = valueAt(item, 'id')
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}

/** Unix ms from the first eight hexadecimal digits of an id; undefined where it does not begin with a time. */
const timeOfId = (id: string): number | undefined =>
  /^[0-9a-f]{8}/i.test(id) ? Number.parseInt(id.slice(0, 8), 16) * 1000 : undefined

/**
 * When an item was made, in Unix ms; undefined where it should say and does not. Without a rule, older ones cannot be
 * recognised.
 */
const createdAt = ({ createdAt: path, idHoldsTime }: CreateProbe, item: unknown, id: string): number | undefined => {
  if (path === undefined) return idHoldsTime ? timeOfId(id) : Number.POSITIVE_INFINITY
  const at = Date.parse(asText(valueAt(item, path)))
  return Number.isNaN(at) ? undefined : at
}

/** Ids of what is just like what was to be created. `isWhole`: nothing like it can have been missed. */
type Found = { ids: string[]; isWhole: boolean }

const findAlike = (
  probe: CreateProbe,
  values: Record<string, string | number>,
  listed: unknown,
  since: number,
): Found => {
  const items: unknown = valueAt(listed, probe.list)
  if (!Array.isArray(items)) return { ids: [], isWhole: false }
  const limit = probe.pageSize ?? probe.find.query?.['limit']
  const ids: string[] = []
  // A list as long as it may be has more behind it.
  let isWhole = typeof limit !== 'number' || items.length < limit
  for (const item of items) {
    if (!Object.entries(probe.same).every(([at, field]) => asText(valueAt(item, at)) === asText(values[field])))
      continue
    const id = idOf(item)
    const at = id === undefined ? undefined : createdAt(probe, item, id)
    // Like it, but it may be older.
    if (id === undefined || at === undefined) isWhole = false
    else if (at >= since) ids.push(id)
  }
  return { ids, isWhole }
}

const sentence = ({ ids, isWhole }: Found) => {
  if (ids.length === 0) {
    return isWhole
      ? 'Checking afterwards found nothing like it, so it was probably not done; check again before you repeat it.'
      : 'Whether it was done could not be checked. Look at the provider before you repeat it.'
  }
  const named = ids.slice(0, maxNamed).join(', ')
  return ids.length === 1
    ? `Checking afterwards found one just like it, made since then: ${named}. It was most likely done; do not repeat it.`
    : `Checking afterwards found ${ids.length} just like it, made since then: ${named}${ids.length > maxNamed ? ' and more' : ''}. It was most likely done; do not repeat it.`
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
    // A copy takes its name from elsewhere: what it would look like is not known here.
    if (needed.every((name) => values[name] !== undefined)) return { probe, values }
  }
  return undefined
}

/**
 * After a create whose outcome is unknown: looks for what it would have made and says what it found. It only reads.
 * The outcome stays unknown: somebody else may have made the same.
 */
export const verifyCreate = async (session: Session, startedAt: number, failure: Failure): Promise<Failure> => {
  const { gate, clock, lastWrite, signal, loaded, opened, correlationId, priority, noWait, audit, policy } = session
  const fitting = lastWrite?.isCreate && !signal?.aborted ? probeFor(session, lastWrite.request) : undefined
  if (!fitting) return failure
  const { probe, values } = fitting
  // A session of its own: the attempts of the run say how often the write was sent.
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
    const body = await takeChecked(
      reading,
      { method: 'GET', path: fillPath(probe.find.path, values), query: probe.find.query },
      bodyOf,
    )
    const lookalikes = findAlike(probe, values, body, startedAt - marginMs)
    // The provider confirmed it; that it cannot be seen yet does not contradict that.
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
