import { describeDefect, isFailure, nextTurn } from '#kit'
import { createScrubber } from '../../wire/guard/scrub.ts'
import type { Scrubber } from '../../wire/guard/scrub.ts'
import type { Privacy } from '../privacy/guard.ts'
import type { Clock, Log, Run, Store, StoredContents, Vault } from '../ports/index.ts'
import type { RunDetail } from '../../api/resources/run.ts'

/** What went into a run, and what came out of one that succeeded. Absent: not known, or not to be stored. */
export type RunContent = { input?: unknown; output?: unknown }
type Stored = RunContent & { inputTooLarge?: true; outputTooLarge?: true }

export type RunContents = {
  /**
   * Stores what a run that has ended took and returned, unless it names somebody who is suppressed. It happens in a
   * later turn of the event loop. `secrets`: those of the account, which are replaced wherever they occur.
   */
  store(run: Pick<Run, 'tenant' | 'id'>, content: RunContent, secrets: Record<string, string> | undefined): void
  /** Null: not stored, no longer stored, or about somebody who was suppressed meanwhile. */
  get(tenant: string, runId: string): Promise<RunDetail['contents']>
  /** Resolves when everything is written that was to be stored so far. */
  settled(): Promise<void>
}

/** The most that input and output may each take, as JSON. */
export const maxContentBytes = 64 * 1024

export const contentsOwner = (id: string) => `run_contents:${id}`

/** False when a value certainly takes more than that as JSON. It does not look at more of a large value than it must. */
const mayFit = (value: unknown, bytes: number): boolean => {
  let left = bytes
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && left >= 0) {
    const item = waiting.pop()
    left -= typeof item === 'string' ? item.length + 2 : 1
    if (typeof item !== 'object' || item === null) continue
    if (Array.isArray(item)) {
      if (item.length > left) return false
      waiting.push(...(item as unknown[]))
      continue
    }
    for (const [name, part] of Object.entries(item)) {
      left -= name.length + 3
      waiting.push(part)
    }
  }
  return left >= 0
}

const isTooLarge = (value: unknown): boolean =>
  value !== undefined &&
  (!mayFit(value, maxContentBytes) || Buffer.byteLength(JSON.stringify(value) ?? '') > maxContentBytes)

const withinSize = ({ input, output }: RunContent): Stored => ({
  ...(input === undefined ? {} : isTooLarge(input) ? { inputTooLarge: true } : { input }),
  ...(output === undefined ? {} : isTooLarge(output) ? { outputTooLarge: true } : { output }),
})

type RunContentsDependencies = {
  store: Pick<Store, 'runContents'>
  vault: Pick<Vault, 'seal' | 'open' | 'sealedUnder'>
  privacy: Pick<Privacy, 'refusals' | 'suppressed'>
  clock: Pick<Clock, 'now'>
  log: Log
  /** How long they are stored, in ms. */
  keptMs: number
}

export const createRunContents = ({
  store,
  vault,
  privacy,
  clock,
  log,
  keptMs,
}: RunContentsDependencies): RunContents => {
  const pending = new Set<Promise<void>>()
  const scrubbers = new WeakMap<object, Scrubber>()
  const scrubberOf = (secrets: Record<string, string> | undefined): Scrubber => {
    if (secrets === undefined) return createScrubber([])
    let scrubber = scrubbers.get(secrets)
    if (!scrubber) {
      scrubber = createScrubber(Object.getOwnPropertyNames(secrets).map((name) => secrets[name]!))
      scrubbers.set(secrets, scrubber)
    }
    return scrubber
  }

  /** A digest in the input that cannot be compared with the suppression list might be of somebody on it. */
  const namesSuppressed = async (tenant: string, { input, output }: RunContent): Promise<boolean> =>
    (await privacy.refusals(tenant, [input]))[0] !== undefined || (await privacy.suppressed(tenant, [output]))[0]!

  const write = async ({ tenant, id }: Pick<Run, 'tenant' | 'id'>, content: RunContent, scrubber: Scrubber) => {
    await nextTurn()
    const stored = withinSize(content)
    if (await namesSuppressed(tenant, stored)) return
    const now = clock.now()
    const secrets = vault.seal(
      { tenant, owner: contentsOwner(id) },
      { content: JSON.stringify(scrubber.value(stored)) },
    )
    await store.runContents.put({
      tenant,
      id,
      sealedUnder: vault.sealedUnder(secrets),
      storedAt: now,
      expiresAt: now + keptMs,
      secrets,
    })
  }

  /** Undefined where its master key is not here, or the row is damaged. */
  const opened = ({ tenant, id, secrets }: StoredContents): Stored | undefined => {
    try {
      return JSON.parse(vault.open({ tenant, owner: contentsOwner(id) }, secrets)['content'] ?? '') as Stored
    } catch (thrown) {
      if (!isFailure(thrown)) throw thrown
      return undefined
    }
  }

  return {
    store(run, content, secrets) {
      if (content.input === undefined && content.output === undefined) return
      const writing = write(run, content, scrubberOf(secrets))
        .catch((error: unknown) => log('warn', 'run.contents_not_stored', { runId: run.id, ...describeDefect(error) }))
        .finally(() => pending.delete(writing))
      pending.add(writing)
    },
    async get(tenant, id) {
      const row = await store.runContents.get(tenant, id)
      if (!row || row.expiresAt <= clock.now()) return null
      const stored = opened(row)
      if (!stored || (await namesSuppressed(tenant, stored))) return null
      return { ...stored, until: new Date(row.expiresAt).toISOString() }
    },
    settled: async () => void (await Promise.all(pending)),
  }
}
