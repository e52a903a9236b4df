import { fail } from '#kit'
import type { Keyring, MasterKey, Store } from '../runtime/ports/index.ts'
import { keyIdOf, newMasterKey } from './envelope.ts'
import { requireNothingSealed } from './key-check.ts'

/** A platform's own key management. The result of `wrap` is stored with the data; the key itself never is. */
export type Wrapping = { wrap(key: Buffer): Promise<string>; unwrap(wrapped: string): Promise<Buffer> }
type StoredKey = { id: string; wrapped: string }

/**
 * Master keys that are stored with the data, each wrapped by the platform. The first one is generated here.
 * @throws Failure `unavailable` if the platform cannot unwrap a key or returns a different one, or if the keys are
 * missing while sealed values exist
 */
export const wrappedKeyring = async (
  store: Pick<Store, 'keyring' | 'sealed'>,
  wrapping: Wrapping,
  lost?: readonly string[],
): Promise<Keyring> => {
  const wrapped = async (keys: MasterKey[]) =>
    JSON.stringify(
      await Promise.all(
        keys.map(async ({ id, key }): Promise<StoredKey> => ({ id, wrapped: await wrapping.wrap(key) })),
      ),
    )
  const save = async (keys: MasterKey[]) => store.keyring.put(await wrapped(keys))
  const first = async () => {
    await requireNothingSealed(store, lost)
    const key = newMasterKey()
    // Another process may be making one at the same time.
    return store.keyring.putFirst(await wrapped([{ id: keyIdOf(key), key }]))
  }
  const text = (await store.keyring.get()) ?? (await first())
  return {
    keys: await Promise.all((JSON.parse(text) as StoredKey[]).map((stored) => unwrap(wrapping, stored))),
    save,
    inBackups: true,
  }
}

const unwrap = async (wrapping: Wrapping, { id, wrapped }: StoredKey): Promise<MasterKey> => {
  const key = await wrapping.unwrap(wrapped).catch((cause: unknown) => {
    throw fail('unavailable', `The platform could not unwrap the master key "${id}", so no secret can be read.`, {
      cause,
    })
  })
  if (keyIdOf(key) !== id)
    throw fail(
      'unavailable',
      `The platform returned a different key for the master key "${id}". Nothing is read or written with it.`,
    )
  return { id, key }
}
