import { fail } from '#kit'

const maxHeadBytes = 16 * 1024
const headEnd = '\r\n\r\n'

const broken = (why: string) =>
  fail(
    'invalid_input',
    `The multipart body ${why}. Send exactly one part with a file, like "curl -F file=@report.pdf", or send the file as it is with the header File-Name.`,
  )

const boundaryOf = (contentType: string): string => {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? token
  if (boundary === undefined) throw broken('has no boundary in its Content-Type')
  return boundary
}

/** Reads a stream in pieces, up to a mark. */
const createReader = (source: AsyncIterator<Uint8Array>) => {
  // The first delimiter may have no line break before it, so one is supplied.
  let held: Buffer<ArrayBufferLike> = Buffer.from('\r\n')
  const more = async () => {
    const { value, done } = await source.next()
    if (done === true) throw broken('ends before its last boundary')
    held =
      held.length === 0 ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : Buffer.concat([held, value])
  }
  return {
    async exactly(bytes: number): Promise<string> {
      while (held.length < bytes) await more()
      const text = held.toString('latin1', 0, bytes)
      held = held.subarray(bytes)
      return text
    },
    async before(mark: string, maxBytes: number): Promise<string> {
      let at: number
      while ((at = held.indexOf(mark)) === -1) {
        if (held.length > maxBytes) throw broken('has a part whose head is too long')
        await more()
      }
      const text = held.toString('utf8', 0, at)
      held = held.subarray(at + mark.length)
      return text
    },
    async *until(mark: Buffer): AsyncGenerator<Uint8Array> {
      for (;;) {
        const at = held.indexOf(mark)
        if (at !== -1) {
          if (at > 0) yield held.subarray(0, at)
          held = held.subarray(at + mark.length)
          return
        }
        // The mark may have begun in the last bytes.
        const sure = held.length - mark.length + 1
        if (sure > 0) {
          yield held.subarray(0, sure)
          held = held.subarray(sure)
        }
        await more()
      }
    },
  }
}

export type FormFile = {
  /** The name as it was sent; it may be a path. */
  name: string
  mediaType: string | undefined
  content: AsyncIterable<Uint8Array>
}

/**
 * The one file of a multipart body (RFC 7578), streamed.
 * @throws Failure `invalid_input`, also while the content is read
 */
export const readFormFile = async (contentType: string, body: AsyncIterable<Uint8Array>): Promise<FormFile> => {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  const reader = createReader(body[Symbol.asyncIterator]())
  if ((await reader.before(delimiter.toString(), maxHeadBytes)).trim() !== '')
    throw broken('does not begin with its boundary')
  if ((await reader.exactly(2)) !== '\r\n') throw broken('has no part')
  const head = await reader.before(headEnd, maxHeadBytes)
  const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'im').exec(head)?.[1]?.trim()
  const disposition = field('content-disposition') ?? ''
  const name = /^form-data\s*;.*;\s*filename\s*=\s*"([^"]*)"/i.exec(disposition)?.[1]
  if (name === undefined) throw broken('begins with a part that is no file')
  const content = async function* () {
    yield* reader.until(delimiter)
    if ((await reader.exactly(2)) !== '--') throw broken('has more than one part')
  }
  // Undoes the escaping that browsers apply.
  return {
    name: name.replace(/%22/g, '"').replace(/%0D|%0A/g, '\n'),
    mediaType: field('content-type'),
    content: content(),
  }
}
