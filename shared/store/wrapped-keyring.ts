import { randomBytes } from 'node:crypto'
import { fail } from '#kit'
import type { Keyring, MasterKey, Store } from '../runtime/ports/index.ts'
import { keyIdOf } from './envelope.ts'
import { requireNothingSealed } from './key-check.ts'

/** A platform's own key management. What `wrap` gives is kept beside the data; the key itself never is. */
export type Wrapping = { wrap(key: Buffer): Promise<string>; unwrap(wrapped: string): Promise<Buffer> }
type Kept = { id: string; wrapped: string }

/**
 * Master keys that lie in the store, each wrapped by the platform. The first one is made here.
 * @throws Failure `unavailable` when the platform cannot unwrap one, or gives another key than was wrapped, or when they are gone while
 * something is sealed
 */
export const wrappedKeyring = async (store: Pick<Store, 'keyring' | 'sealed'>, wrapping: Wrapping, lost?: readonly string[]): Promise<Keyring> => {
  const save = async (keys: MasterKey[]) => {
    const kept: Kept[] = await Promise.all(keys.map(async ({ id, key }) => ({ id, wrapped: await wrapping.wrap(key) })))
    await store.keyring.put(JSON.stringify(kept))
  }
  const text = await store.keyring.get()
  if (text !== undefined) return { keys: await Promise.all((JSON.parse(text) as Kept[]).map((kept) => unwrap(wrapping, kept))), save, inBackups: true }
  await requireNothingSealed(store, lost)
  const key = randomBytes(32)
  const keys = [{ id: keyIdOf(key), key }]
  await save(keys)
  return { keys, save, inBackups: true }
}

const unwrap = async (wrapping: Wrapping, { id, wrapped }: Kept): Promise<MasterKey> => {
  const key = await wrapping.unwrap(wrapped).catch((cause: unknown) => {
    throw fail('unavailable', `The platform could not unwrap the master key "${id}", so no secret can be read.`, { cause })
  })
  if (keyIdOf(key) !== id) throw fail('unavailable', `The platform unwrapped another key than the master key "${id}". Nothing is read or written with it.`)
  return { id, key }
}
