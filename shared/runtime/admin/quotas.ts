import { fail, failField } from '#kit'
import type { Failure } from '#kit'
import type { Limits } from './limits.ts'
import type { Caller, Clock, Store } from '../ports/index.ts'

/** How much one tenant may store here, so that it fills neither the disk nor everybody's lists. */
export type Quotas = Pick<Limits, 'of'>

/** `limit`: its name in the tenant's policy, for the operator who is asked to raise it. */
export const overQuota = (max: number, what: string, limit: string): Failure =>
  fail(
    'not_allowed',
    `This tenant may have ${max} ${what} and has them. Remove one, or ask the operator to raise the limit "${limit}".`,
  )

const maxNameLength = 64
const maxValueLength = 256

/**
 * Checks the labels of a connection or subscription.
 * @throws Failure `invalid_input`
 */
export const checkLabels = (labels: Record<string, string> | undefined, max: number): void => {
  if (labels === undefined) return
  const entries = Object.entries(labels)
  if (entries.length > max) {
    throw failField(
      'labels',
      `There are ${entries.length} labels, and one resource may have ${max}. Give fewer, or ask the operator to raise the limit "labels".`,
    )
  }
  for (const [name, value] of entries) {
    if (name.length < 1 || name.length > maxNameLength)
      throw failField(
        'labels',
        `The name of a label has 1 to ${maxNameLength} characters; "${name.slice(0, maxNameLength)}" does not fit.`,
      )
    if (typeof value !== 'string' || value.length > maxValueLength)
      throw failField(`labels/${name}`, `The label "${name}" is not a text of at most ${maxValueLength} characters.`)
  }
}

type Labelled = { labels?: Record<string, string> | undefined }
type Verb<A extends unknown[], R> = (caller: Caller, ...parameters: A) => Promise<R>

/** Wraps a function that creates or changes something with labels, and enforces the tenant's limit on them. */
export const labelled =
  <A extends [...unknown[], Labelled], R>(quotas: Quotas, verb: Verb<A, R>): Verb<A, R> =>
  async (caller, ...parameters) => {
    checkLabels((parameters.at(-1) as Labelled | undefined)?.labels, quotas.of(caller.tenant).labels)
    return verb(caller, ...parameters)
  }

const megabyte = 2 ** 20
/** Outcomes of reads are removed down to this share of the quota, so that not every run has to remove some. */
const reducedShare = 0.9
/** The rows of a full tenant are counted again at most this often. */
const recountMs = 1_000

/**
 * Limits what is stored for a tenant's idempotency keys. Outcomes of reads make room, oldest first: a repeat reads
 * again. Those of writes and paid lookups are kept for as long as promised; when they alone fill the quota, new keys
 * are refused before anything is sent.
 */
export const createKeyedQuota = ({
  store,
  quotas,
  clock,
}: {
  store: Pick<Store, 'intents'>
  quotas: Quotas
  clock: Clock
}) => {
  /** Estimates: rows that expired since the last count are still included. */
  const countByTenant = new Map<string, { bytes: number; countedAt: number }>()
  const count = async (tenant: string) => {
    const counted = { bytes: await store.intents.bytes(tenant), countedAt: clock.monotonic() }
    countByTenant.set(tenant, counted)
    return counted
  }
  const maxBytesOf = (tenant: string) => quotas.of(tenant).keyedMegabytes * megabyte

  const makeRoom = async (tenant: string): Promise<boolean> => {
    const max = maxBytesOf(tenant)
    await store.intents.prune(clock.now(), tenant)
    let { bytes } = await count(tenant)
    while (bytes > max * reducedShare) {
      const removed = await store.intents.evict(tenant, bytes - max * reducedShare)
      if (removed === 0) break
      bytes -= removed
    }
    countByTenant.set(tenant, { bytes, countedAt: clock.monotonic() })
    return bytes < max
  }

  return {
    /** @throws Failure `rate_limited` when nothing more can be stored for the tenant */
    async admit(tenant: string): Promise<void> {
      const at = countByTenant.get(tenant) ?? (await count(tenant))
      if (at.bytes < maxBytesOf(tenant)) return
      if (clock.monotonic() - at.countedAt >= recountMs && (await makeRoom(tenant))) return
      throw fail(
        'rate_limited',
        `The outcomes of this tenant's keyed writes fill its ${quotas.of(tenant).keyedMegabytes} MB, and each is stored for 26 hours. Nothing was sent. Repeat later, or ask the operator to raise the limit "keyedMegabytes".`,
        { retryAfterMs: 60_000 },
      )
    },
    /** Counts a stored row of `bytes` bytes. */
    async stored(tenant: string, bytes: number): Promise<void> {
      const at = countByTenant.get(tenant) ?? (await count(tenant))
      at.bytes += bytes
      if (at.bytes > maxBytesOf(tenant)) await makeRoom(tenant)
    },
  }
}
export type KeyedQuota = ReturnType<typeof createKeyedQuota>
