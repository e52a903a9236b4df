import { fail } from '#kit'
import { hashRequest } from '../idempotency.ts'
import type { Registry } from '../catalogue/registry.ts'
import { createChunkSealer, newFileKey, openChunk } from '../files/cipher.ts'
import type { Caller, Clock, Store, StoredSample, Vault } from '../ports/index.ts'
import type { StepSample as SampleView } from '../../api/resources/step-sample.ts'

export type { SampleView }

export type StepName = { integration: string; step: string }
/** An input of a step and its output, saved so that a builder can continue without another run. */
export type Sample = { input: Record<string, unknown>; output: unknown }

export type Samples = {
  /**
   * Undefined when none is saved. @throws Failure `not_found` for an unknown step, `not_allowed` for a token bound to
   * other steps
   */
  get(caller: Caller, name: StepName): Promise<SampleView | undefined>
  /** Replaces the saved sample. @throws Failure `not_found`, `not_allowed`, `too_large` */
  put(caller: Caller, name: StepName, sample: Sample): Promise<SampleView>
  /** False when none was saved. @throws Failure `not_found` for an unknown step, `not_allowed` */
  remove(caller: Caller, name: StepName): Promise<boolean>
}

export const maxSampleBytes = 256 * 1024

/**
 * A token bound to connections has samples of its own, and so has a person: neither sees data of other accounts.
 */
const idOf = ({ connections, person }: Caller, { integration, step }: StepName) =>
  [
    `${integration}/${step}`,
    ...(connections?.toSorted() ?? []),
    ...(person === undefined ? [] : [hashRequest([{ person }])]),
  ].join(' ')
const ownerOf = (id: string) => `sample:${id}`
const placeOf = (tenant: string, id: string) => ({ tenant, id: ownerOf(id), number: 0 })

const viewOf = (sample: Sample, { savedAt, expiresAt }: Pick<StoredSample, 'savedAt' | 'expiresAt'>): SampleView => ({
  ...sample,
  savedAt: new Date(savedAt).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
})

type SamplesDependencies = {
  registry: Registry
  store: Pick<Store, 'samples'>
  vault: Pick<Vault, 'seal' | 'open'>
  clock: Clock
  ageMs: number
}

export const createSamples = ({ registry, store, vault, clock, ageMs }: SamplesDependencies): Samples => {
  /** The id of the sample that a caller reads and writes. */
  const locate = (caller: Caller, name: StepName) => {
    registry.step(name.integration, name.step)
    return idOf(caller, name)
  }
  const read = ({ tenant, id, secrets, content }: StoredSample): Sample => {
    const { key } = vault.open({ tenant, owner: ownerOf(id) }, secrets)
    try {
      return JSON.parse(openChunk(Buffer.from(key!, 'base64'), placeOf(tenant, id), content).toString()) as Sample
    } catch (cause) {
      throw fail('unavailable', 'The stored sample of this step is damaged. Save it again, or restore a backup.', {
        cause,
        retryable: false,
      })
    }
  }

  return {
    async get(caller, name) {
      const stored = await store.samples.get(caller.tenant, locate(caller, name))
      return stored && stored.expiresAt > clock.now() ? viewOf(read(stored), stored) : undefined
    },
    async put(caller, name, { input, output }) {
      const { tenant } = caller
      const id = locate(caller, name)
      const plain = Buffer.from(JSON.stringify({ input, output }))
      if (plain.length > maxSampleBytes)
        throw fail(
          'too_large',
          `Input and output take ${Math.ceil(plain.length / 1024)} kB as JSON; a sample can have ${maxSampleBytes / 1024} kB. Save a smaller one.`,
        )
      const key = newFileKey()
      const now = clock.now()
      const stored: StoredSample = {
        tenant,
        id,
        secrets: vault.seal({ tenant, owner: ownerOf(id) }, { key: key.toString('base64') }),
        content: createChunkSealer(key, plain.length)(placeOf(tenant, id), plain),
        savedAt: now,
        expiresAt: now + ageMs,
      }
      await store.samples.put(stored)
      return viewOf({ input, output }, stored)
    },
    remove: async (caller, name) => store.samples.remove(caller.tenant, locate(caller, name)),
  }
}
