import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { fail } from '#kit'

const ivBytes = 12
const tagBytes = 16
const keyBytes = 32

/** What a chunk belongs to. A chunk that was moved elsewhere does not open. */
export type ChunkPlace = { tenant: string; id: string; number: number }

const boundTo = ({ tenant, id, number }: ChunkPlace) => Buffer.from(JSON.stringify(['file', 'v1', tenant, id, number]))

/** A key for one file: once the key is removed, nobody can read the content, not even in copies. */
export const newFileKey = () => randomBytes(keyBytes)

/**
 * Seals chunks of at most `maxBytes` with AES-256-GCM as IV, ciphertext and tag. The returned bytes are valid only
 * until the next call: the buffer is reused.
 */
export const createChunkSealer = (key: Uint8Array, maxBytes: number) => {
  const sealed = Buffer.alloc(ivBytes + maxBytes + tagBytes)
  return (place: ChunkPlace, plain: Uint8Array): Buffer => {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(boundTo(place))
    sealed.set(iv)
    sealed.set(cipher.update(plain), ivBytes)
    cipher.final()
    sealed.set(cipher.getAuthTag(), ivBytes + plain.length)
    return sealed.subarray(0, ivBytes + plain.length + tagBytes)
  }
}

/** @throws Failure `unavailable` for a chunk that was changed, moved or cut */
export const openChunk = (key: Uint8Array, place: ChunkPlace, sealed: Uint8Array): Buffer => {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(boundTo(place))
      .setAuthTag(sealed.subarray(sealed.length - tagBytes))
    const plain = decipher.update(sealed.subarray(ivBytes, sealed.length - tagBytes))
    // Verifies the tag; in this mode it returns no bytes.
    decipher.final()
    return plain
  } catch (cause) {
    throw fail(
      'unavailable',
      'The stored content of this file is damaged. Upload the file again, or restore a backup.',
      { cause, retryable: false },
    )
  }
}
