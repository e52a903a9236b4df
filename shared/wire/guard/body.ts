import { randomUUID } from 'node:crypto'
import { failField } from '#kit'
import type { BodyKind, FilePart, Json } from '#kit'
import type { OutgoingFile, OutgoingFiles, StreamedBody } from '../types.ts'

/** An encoded body. `contentType` undefined: JSON, whose headers are prepared once per account. */
export type EncodedBody = { content: string | Uint8Array | StreamedBody; contentType: string | undefined }

export const formType = 'application/x-www-form-urlencoded'

type Fields = { [name: string]: Json }

const fieldsOf = (kind: BodyKind, body: Json): Fields => {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw failField(
    'body',
    `The body is sent as ${kind}, so it must be an object of names and values. Put the value into a field.`,
  )
}

const isScalar = (value: Json): value is string | number | boolean => typeof value !== 'object'

const wellFormed = (text: string, pointer: string): string => {
  if (text.isWellFormed()) return text
  throw failField(pointer, 'A text in the body holds a broken Unicode character. Give it as plain text.')
}

/** A list repeats its name; null is sent as an empty value. */
const encodeForm = (fields: Fields): string => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== null && !isScalar(item)) {
        throw failField(
          `/body/${name}`,
          `"${name}" is sent in a form, which holds texts, numbers, booleans and lists of them. Give nested values under names of their own.`,
        )
      }
      form.append(wellFormed(name, '/body'), item === null ? '' : wellFormed(String(item), `/body/${name}`))
    }
  }
  return form.toString()
}

const mediaType = /^[\w.+-]{1,80}\/[\w.+-]{1,80}(;\s?[\w-]{1,40}=[\w.+-]{1,80})*$/

const isFile = (value: Json): value is FilePart =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  typeof value['filename'] === 'string' &&
  typeof value['contentType'] === 'string' &&
  typeof value['base64'] === 'string'

/** Quotes a name as browsers do in multipart bodies: nothing in it can end the quoted text or the line. */
const quoted = (name: string) => `"${name.replace(/\r\n|\r|\n/g, '%0D%0A').replaceAll('"', '%22')}"`

const fileBytes = ({ contentType, base64 }: FilePart, pointer: string): Buffer => {
  if (!mediaType.test(contentType))
    throw failField(`${pointer}/contentType`, 'This is not a media type. Give one like "image/png".')
  const bytes = Buffer.from(base64, 'base64')
  // The decoder skips what is not base64, so fewer bytes come out than the text has room for.
  if (bytes.length !== Buffer.byteLength(base64, 'base64'))
    throw failField(`${pointer}/base64`, 'This is not base64. Encode the bytes of the file.')
  return bytes
}

/** A stored file, named by its id. `filename` replaces its name. */
const isHandle = (value: Json): value is { file: string; filename?: string } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value['file'] === 'string'

const fileOf = (
  files: OutgoingFiles | undefined,
  { file: id, filename }: { file: string; filename?: string },
  pointer: string,
): OutgoingFile => {
  const file = files?.get(id)
  if (!file) throw failField(pointer, 'The body names a file that was not opened for it.')
  return filename === undefined ? file : { ...file, name: filename }
}

type Piece = Buffer | OutgoingFile

const encodePart = (name: string, value: Json, boundary: string, files: OutgoingFiles | undefined): Piece[] => {
  const pointer = `/body/${name}`
  const head = (attributes: string) =>
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name=${quoted(wellFormed(name, '/body'))}${attributes}\r\n\r\n`,
    )
  const end = Buffer.from('\r\n')
  const fileHead = (filename: string, contentType: string) => {
    // Some servers take a backslash before the closing quote as part of the name, and then read a field name out of the
    // file name.
    if (name.includes('\\'))
      throw failField('/body', 'The name of a file part holds a backslash. Give it another name.')
    return head(`; filename=${quoted(wellFormed(filename, pointer))}\r\ncontent-type: ${contentType}`)
  }
  if (isHandle(value)) {
    const file = fileOf(files, value, pointer)
    return [fileHead(file.name, file.mediaType), file, end]
  }
  if (isFile(value)) {
    const bytes = fileBytes(value, pointer)
    return [Buffer.concat([fileHead(value.filename, value.contentType), bytes, end])]
  }
  if (value !== null && !isScalar(value)) {
    throw failField(
      pointer,
      `"${name}" must be a text, a number, a boolean, a file ({ "filename", "contentType", "base64" }) or a list of them.`,
    )
  }
  return [Buffer.concat([head(''), Buffer.from(value === null ? '' : wellFormed(String(value), pointer)), end])]
}

const isBuffer = (piece: Piece): piece is Buffer => Buffer.isBuffer(piece)
const sum = (sizes: number[]) => sizes.reduce((total, size) => total + size, 0)

const streamed = (pieces: Piece[]): StreamedBody => ({
  length: sum(pieces.map((piece) => (isBuffer(piece) ? piece.length : piece.size))),
  literal: sum(pieces.filter(isBuffer).map(({ length }) => length)),
  async *open() {
    for (const piece of pieces) {
      if (isBuffer(piece)) yield piece
      else yield* piece.read()
    }
  },
})

const encodeMultipart = (fields: Fields, files: OutgoingFiles | undefined): EncodedBody => {
  // Random, so that no content can contain it on purpose.
  const boundary = `toolyard-${randomUUID()}`
  const parts = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((item) => encodePart(name, item, boundary, files)),
  )
  const pieces = [...parts, Buffer.from(`--${boundary}--\r\n`)]
  return {
    content: pieces.every(isBuffer) ? Buffer.concat(pieces) : streamed(pieces),
    contentType: `multipart/form-data; boundary=${boundary}`,
  }
}

const encodeText = (body: Json): EncodedBody => {
  if (typeof body !== 'string') throw failField('body', 'The body is sent as text, so it must be a text.')
  return { content: wellFormed(body, '/body'), contentType: 'text/plain; charset=utf-8' }
}

const encodeRaw = (body: Json, files: OutgoingFiles | undefined): EncodedBody => {
  if (isHandle(body)) {
    const file = fileOf(files, body, '/body')
    return { content: streamed([file]), contentType: file.mediaType }
  }
  if (isFile(body)) return { content: fileBytes(body, '/body'), contentType: body.contentType }
  throw failField('body', 'The body is sent as the bytes of a file, so it must be a file: "body: filePart(…)".')
}

const encodeByKind = (kind: Exclude<BodyKind, 'json'>, body: Json, files: OutgoingFiles | undefined): EncodedBody => {
  if (kind === 'form') return { content: encodeForm(fieldsOf(kind, body)), contentType: formType }
  if (kind === 'text') return encodeText(body)
  return kind === 'raw' ? encodeRaw(body, files) : encodeMultipart(fieldsOf(kind, body), files)
}

/**
 * The body in the form that the provider takes. `contentType` replaces its usual media type. Throws `invalid_input` for
 * values that this form cannot hold.
 */
export const encodeBody = (kind: BodyKind, body: Json, files?: OutgoingFiles, contentType?: string): EncodedBody => {
  const encoded =
    kind === 'json' ? { content: JSON.stringify(body), contentType: undefined } : encodeByKind(kind, body, files)
  if (contentType === undefined) return encoded
  if (kind === 'form' || kind === 'multipart' || !mediaType.test(contentType))
    throw failField(
      'contentType',
      'A media type is like "application/xml", and only a body sent as JSON, text or raw bytes may have another one.',
      'internal',
    )
  return { ...encoded, contentType }
}
