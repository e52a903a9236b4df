import { LRUCache } from 'lru-cache'
import { asText, fail, failField, isCancelled, nearestName, valueAt } from '#kit'
import type { FieldWire, FieldWireSpec, Json, Lookup, Scalar } from '#kit'
import { createSharedWork, waitForShared } from '../shared-work.ts'
import type { FieldsAt } from './endpoint-request.ts'
import type { Gate } from '../gate/pass.ts'
import { ProviderValue, sentFields } from './field-values.ts'
import type { SentField, Values } from './field-values.ts'
import type { Session } from '../session/session.ts'

export type Choices = NonNullable<FieldWireSpec['choices']>
export type Resolve = NonNullable<FieldWireSpec['resolve']>
/** A value in one of the provider's lists. */
export type Choice = { value: Scalar; label: string }

/**
 * The values, with those resolved that only the provider knows; or the field whose value the provider does not know.
 */
export type ResolvedValues = { values: Values } | { missed: string; reason: string; unsure?: true | undefined }

/**
 * Where values come from that are not cached, under `key`. A dry run only shows the request, and returns undefined.
 */
export type ValueSource = {
  session: Session
  /** The answer of an endpoint that has a list. */
  requestList(key: string, endpoint: string): Promise<unknown>
  requestValue(key: string, resolve: Resolve, value: unknown): Promise<Resolved | undefined>
}

const maxCached = 8_000_000
const dayMs = 86_400_000
/** Long enough for the pages of a search: otherwise each page would pay for the same value again. */
const resolvedMs = 600_000

/** The result of resolving a value: the provider's value, no match, or a match without that value. */
export type Resolved = { value: Json } | { none: true; unsure?: true | undefined } | { lacking: true }
type CachedAnswer = { choices: Choice[] } | Resolved

/** Values being resolved: each is paid for, so runs that need the same one wait for it. */
const valuesUnderWay = new WeakMap<Gate, ReturnType<typeof createSharedWork<Resolved>>>()
const caches = new WeakMap<Gate, LRUCache<string, CachedAnswer>>()

const cacheOf = ({ gate, clock }: Session) => {
  let cache = caches.get(gate)
  if (!cache) {
    const now = () => clock.monotonic()
    const sizeCalculation = (entry: CachedAnswer, key: string) => key.length + JSON.stringify(entry).length
    caches.set(
      gate,
      (cache = new LRUCache({ maxSize: maxCached, sizeCalculation, ttl: dayMs, ttlResolution: 0, perf: { now } })),
    )
  }
  return cache
}

/** The cache key of a value, by connection and profile. */
const keyOf = ({ loaded: { loaded }, opened: { connection } }: Session, ...what: unknown[]) =>
  JSON.stringify([connection.tenant, connection.id, connection.updatedAt, loaded.setting, loaded.wire.profile, ...what])

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value)

/** The provider's list for a field; undefined in a dry run that would have to request it. */
export const readChoices = async (
  source: ValueSource,
  { endpoint, list, value, label, cacheMs }: Choices,
): Promise<Choice[] | undefined> => {
  const { session } = source
  const { loaded } = session.loaded
  const cache = cacheOf(session)
  const key = keyOf(session, 'choices', endpoint, list, value, label)
  const cachedEntry = cache.get(key)
  if (cachedEntry && 'choices' in cachedEntry) return cachedEntry.choices
  const answer = await source.requestList(key, endpoint)
  if (answer === undefined) return undefined
  const items = valueAt(answer, list)
  if (!Array.isArray(items))
    throw fail(
      'bad_reply',
      `The provider answered with no list where "choices.list" of a field expects one, at "${loaded.setting}.endpoints.${endpoint}".`,
    )
  const choices = items.flatMap((item): Choice[] => {
    const [at, title] = [valueAt(item, value), valueAt(item, label)]
    return isScalar(at) ? [{ value: at, label: isScalar(title) ? String(title) : String(at) }] : []
  })
  cache.set(key, { choices }, { ttl: cacheMs ?? dayMs })
  return choices
}

const say = ({ value, label }: Choice) => (label === String(value) ? label : `${label} (${value})`)

const chooseOne = (ours: string, input: unknown, choices: Choice[]): Scalar => {
  const text = asText(input).toLowerCase()
  const labelled = (label: string) => choices.find((choice) => choice.label.toLowerCase() === label)
  const hit = choices.find(({ value }) => String(value).toLowerCase() === text) ?? labelled(text)
  if (hit) return hit.value
  const typo = nearestName(
    text,
    choices.map(({ label }) => label.toLowerCase()),
  )
  const alike = choices.filter(({ label }) => label.toLowerCase().includes(text) || text.includes(label.toLowerCase()))
  const near = [...new Set([...(typo === undefined ? [] : [labelled(typo)!]), ...alike])].slice(0, 8)
  const remedy =
    near.length > 0
      ? `Near to it: ${near.map(say).join(', ')}.`
      : `It takes one of ${choices.length}, such as ${choices.slice(0, 5).map(say).join(', ')}.`
  throw failField(
    ours,
    `"${asText(input).slice(0, 60)}" is not a value of "${ours}" at this provider. ${remedy} The field's options list all of them.`,
  )
}

const choose = async (source: ValueSource, { ours, spec, value }: SentField): Promise<ProviderValue> => {
  const choices = await readChoices(source, spec.choices!)
  if (!choices) return new ProviderValue(value as Json, spec, true)
  return new ProviderValue(
    Array.isArray(value) ? value.map((item) => chooseOne(ours, item, choices)) : chooseOne(ours, value, choices),
    spec,
  )
}

const placeOf = ({ endpoint, take }: Resolve) => `<${take} from ${endpoint}>`

/**
 * Looks up the record that has a value, once for all runs that need it, and caches the answer, whatever it is, since it
 * was paid for. `take`: where the value is in the record.
 */
export const requestOnce = async (
  session: Session,
  key: string,
  take: string,
  lookUp: () => Promise<Lookup>,
): Promise<Resolved> => {
  const underWay = valuesUnderWay.get(session.gate) ?? createSharedWork<Resolved>()
  valuesUnderWay.set(session.gate, underWay)
  const request = async (): Promise<Resolved> => {
    const result = await lookUp()
    const value = result.matched ? (valueAt(result.raw, take) as Json | undefined) : undefined
    const record: Resolved = value === undefined || value === null ? { lacking: true } : { value }
    const resolved: Resolved = result.matched ? record : { none: true, unsure: result.unsure }
    cacheOf(session).set(key, resolved, { ttl: resolvedMs })
    return resolved
  }
  for (;;) {
    const work = underWay.find(key)
    if (!work) return underWay.start(key, request)
    try {
      return await waitForShared(session.clock, work, { signal: session.signal })
    } catch (thrown) {
      // Another caller's cancellation is no reason for this one to fail.
      if (!isCancelled(thrown) || session.signal?.aborted) throw thrown
    }
  }
}

/**
 * The provider's value for one of ours. `none` when the provider does not know it; undefined in a dry run that would
 * have to request it.
 */
const resolveOne = async (
  source: ValueSource,
  ours: string,
  resolve: Resolve,
  value: unknown,
): Promise<Exclude<Resolved, { lacking: true }> | undefined> => {
  const { session } = source
  const { loaded } = session.loaded
  const { endpoint, field, take } = resolve
  const key = keyOf(session, 'resolve', endpoint, field, take, value)
  const cached = cacheOf(session).get(key) as Resolved | undefined
  const resolved = cached ?? (await source.requestValue(key, resolve, value))
  if (resolved && 'lacking' in resolved)
    throw fail(
      'bad_reply',
      `The provider answered with nothing at "${take}", where "resolve.take" of "${ours}" expects what it goes by. The operator checks it in "${loaded.setting}.endpoints".`,
    )
  return resolved
}

const resolve = async (
  source: ValueSource,
  { ours, spec, value }: SentField,
): Promise<ProviderValue | Extract<ResolvedValues, { missed: string }>> => {
  const values: Json[] = []
  for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
    const resolution = await resolveOne(source, ours, spec.resolve!, item)
    if (resolution === undefined) return new ProviderValue(placeOf(spec.resolve!), spec, true)
    if (!('value' in resolution)) {
      const reason = `The provider knows nothing by ${ours} "${asText(item).slice(0, 100)}" ("${spec.resolve!.endpoint}" has no match), and it goes by that here.`
      return { missed: ours, reason, unsure: resolution.unsure }
    }
    values.push(resolution.value)
  }
  return new ProviderValue(Array.isArray(value) ? values : values[0]!, spec)
}

const isOpen = (wire: FieldWire | undefined): boolean =>
  Array.isArray(wire)
    ? wire.some(isOpen)
    : typeof wire === 'object' && wire !== null && (wire.choices ?? wire.resolve) !== undefined

/**
 * Replaces values that only the provider knows: choices from its lists, and values that another endpoint resolves.
 * `check` throws when the rest of the request is wrong; it is called first, since resolving may cost credits.
 */
export const settleValues = async (
  source: ValueSource,
  { fields }: Pick<FieldsAt, 'fields'>,
  values: Values,
  check: (values: Values) => unknown,
): Promise<ResolvedValues> => {
  if (!Object.values(fields).some(isOpen)) return { values }
  const open = sentFields(fields, values).filter(({ spec, value }) => isOpen(spec) && !(value instanceof ProviderValue))
  if (open.length === 0) return { values }
  const marks = open.map(
    ({ ours, spec, value }) =>
      [ours, new ProviderValue(spec.resolve ? placeOf(spec.resolve) : (value as Json), spec, true)] as const,
  )
  check({ ...values, ...Object.fromEntries(marks) })
  const settled = { ...values }
  // Lists are free, so they come first.
  for (const field of open.filter(({ spec }) => spec.choices)) settled[field.ours] = await choose(source, field)
  for (const field of open.filter(({ spec }) => !spec.choices)) {
    const resolution = await resolve(source, field)
    if ('missed' in resolution) return resolution
    settled[field.ours] = resolution
  }
  return { values: settled }
}
