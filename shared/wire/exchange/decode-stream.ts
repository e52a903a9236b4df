import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { fail, isFailure } from '#kit'
import type { Sink } from '../types.ts'

const decoders = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

const refusing = (why: string): Sink => {
  const refuse = () => Promise.reject(fail('bad_reply', `The content cannot be read: ${why}. Nothing was stored.`))
  return { write: refuse, end: refuse }
}

/**
 * A sink that decompresses into `sink`, no faster than `sink` takes it, so a decompression bomb ends at the bound of
 * `sink`.
 */
export const decoding = (encoding: string | string[] | undefined, sink: Sink): Sink => {
  const coding = String(encoding ?? '')
    .trim()
    .toLowerCase()
  if (coding === '' || coding === 'identity') return sink
  const decoder = decoders.get(coding)?.()
  if (!decoder) return refusing('it is in a content encoding that was not asked for')
  let failure: unknown
  const unfolded = (async () => {
    for await (const bytes of decoder) await sink.write(bytes as Buffer)
  })()
  unfolded.catch((error: unknown) => {
    failure = isFailure(error)
      ? error
      : fail('bad_reply', 'The content cannot be read: its compressed form is damaged. Nothing was stored.', {
          cause: error,
        })
  })
  decoder.on('error', () => {})
  const requireFine = () => {
    if (failure !== undefined) throw failure
  }
  return {
    async write(bytes) {
      requireFine()
      const hasRoom = decoder.write(bytes)
      // Waits for room, or for an end that makes it pointless, whichever comes first.
      if (!hasRoom)
        await Promise.race([new Promise((resolve) => decoder.once('drain', resolve)), unfolded.catch(() => undefined)])
      requireFine()
    },
    async end() {
      decoder.end()
      await unfolded.catch(() => undefined)
      requireFine()
      await sink.end()
    },
  }
}
