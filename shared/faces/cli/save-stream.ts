import { randomBytes } from 'node:crypto'
import { link, open, unlink } from 'node:fs/promises'
import { fail, freeBytes } from '#kit'

/** One message for every way in which a connection can break. */
async function* explainBreak(body: AsyncIterable<Uint8Array>) {
  try {
    yield* body
  } catch (cause) {
    throw fail('unreachable', 'The server closed the connection. Nothing was saved; run the command again.', { cause })
  }
}

/**
 * Writes a response body to a file that gets its name only once it is complete and on disk. `expected`: its length in
 * bytes.
 * @throws Failure `conflict` when the file exists
 */
export const saveStream = async (
  body: AsyncIterable<Uint8Array>,
  file: string,
  expected: number,
): Promise<{ bytes: number }> => {
  const part = `${file}.${randomBytes(4).toString('hex')}.part`
  const handle = await open(part, 'wx', 0o600)
  try {
    let bytes = 0
    try {
      for await (const piece of explainBreak(body)) {
        // `write` might write only part of the piece.
        await handle.appendFile(piece)
        bytes += piece.byteLength
        freeBytes(piece)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (bytes !== expected)
      throw fail(
        'unreachable',
        `The server stopped after ${bytes} of ${expected} bytes. Nothing was saved; run the command again.`,
      )
    await link(part, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST'
        ? fail('conflict', `${file} already exists; choose another name.`)
        : fail('unavailable', `Cannot write to ${file} (${error.code}).`, { cause: error })
    })
    return { bytes }
  } finally {
    await unlink(part)
  }
}
