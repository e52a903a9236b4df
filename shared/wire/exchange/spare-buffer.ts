/** Smaller bodies cost less than what it takes to reuse memory for them. */
const largeFrom = 512 * 1024
const grain = 1024 * 1024
/** A larger buffer is not kept. */
const maxKept = 4 * 1024 * 1024

/** A whole body, in memory that `giveBack` frees for the next one; nobody may read `bytes` after that. */
export type JoinedBody = { bytes: Buffer; giveBack?: () => void }

/**
 * Joins the chunks of bodies. The memory of a large body is used again for the next one: new memory for each makes the
 * engine collect the whole heap every few calls.
 */
export const createSpareBuffer = () => {
  let spare: Buffer | undefined
  return {
    join(chunks: Buffer[], size: number): JoinedBody {
      if (size < largeFrom || size > maxKept) return { bytes: Buffer.concat(chunks, size) }
      const memory =
        spare !== undefined && spare.length >= size ? spare : Buffer.allocUnsafeSlow(Math.ceil(size / grain) * grain)
      if (memory === spare) spare = undefined
      let at = 0
      for (const chunk of chunks) {
        memory.set(chunk, at)
        at += chunk.length
      }
      return { bytes: memory.subarray(0, size), giveBack: () => void (spare = memory) }
    },
  }
}
export type SpareBuffer = ReturnType<typeof createSpareBuffer>
