import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { fail, z } from '#kit'
import type { Caller } from '../../../runtime/ports/index.ts'
import type { FileContent } from '../../../runtime/files/files.ts'
import { fileBody } from '../../../api/resources/file.ts'
import type { Pack } from '../../../pack.ts'
import { omitUndefined } from '../filter.ts'
import { signalClientAbort } from '../client-abort.ts'
import { readUpload } from '../upload.ts'
import type { Uploaded } from '../upload.ts'
import type { fileOperations } from '../../../api/operations/files.ts'
import type { Handlers } from '../operations.ts'
import type { HttpDependencies } from '../parts.ts'

const openXml = 'application/vnd.openxmlformats-officedocument.'

/**
 * Types in which no browser finds anything to run. Only these are sent under their own name, because no list of script
 * types is complete.
 */
const passive = new Set([
  ...['plain', 'csv', 'tab-separated-values', 'markdown', 'calendar', 'vcard'].map((name) => `text/${name}`),
  ...['json', 'x-ndjson', 'yaml', 'toml', 'sql', 'rtf'].map((name) => `application/${name}`),
  ...['zip', 'gzip', 'x-7z-compressed', 'epub+zip', 'x-ole-storage'].map((name) => `application/${name}`),
  ...['msword', 'vnd.ms-excel', 'vnd.ms-powerpoint', 'vnd.ms-outlook'].map((name) => `application/${name}`),
  ...['wordprocessingml.document', 'spreadsheetml.sheet', 'presentationml.presentation'].map((name) => openXml + name),
  ...['text', 'spreadsheet', 'presentation'].map((name) => `application/vnd.oasis.opendocument.${name}`),
  ...['png', 'jpeg', 'gif', 'webp', 'tiff', 'bmp', 'heic', 'heif', 'avif'].map((name) => `image/${name}`),
  ...['mpeg', 'ogg', 'wav', 'mp4', 'webm', 'flac'].map((name) => `audio/${name}`),
  ...['mp4', 'webm', 'ogg', 'quicktime', 'x-matroska', '3gpp'].map((name) => `video/${name}`),
])

/** Keeps characters that every header and file system reads alike; the full name is sent beside it (RFC 6266). */
const asciiName = (name: string) => name.replace(/[^\w .()-]/g, '_')

const encodedName = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

/** Sends a file as an attachment, under a type that no browser renders, and in a sandbox in case one does. */
const sendContent = (reply: FastifyReply, { name, mediaType, size, sha256, read }: FileContent) =>
  reply
    .headers({
      'content-length': size,
      'content-disposition': `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${encodedName(name)}`,
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
    })
    .type(passive.has(mediaType) ? mediaType : 'application/octet-stream')
    .send(Readable.from(read(), { objectMode: false }))

const store = (
  pack: Pack,
  caller: Caller,
  uploaded: Uploaded,
  common: { expiresInHours?: number; person?: string; idempotencyKey?: string },
  signal: AbortSignal,
) => {
  if ('file' in uploaded) return pack.files.create(caller, { ...uploaded.file, ...common })
  const body = fileBody().safeParse(uploaded.json)
  if (!body.success)
    throw Object.assign(new Error('invalid'), {
      validation: body.error.issues.map(asValidation),
      validationContext: 'body',
    })
  const { url, name, base64, mediaType, ...fields } = body.data
  const options = { ...common, ...omitUndefined(fields) }
  if (url !== undefined) return pack.files.createFrom(caller, { ...options, url, name, signal })
  if (name === undefined || base64 === undefined)
    throw fail('invalid_input', 'The body names no content. Give "name" and "base64", or "url".')
  return pack.files.create(caller, { ...options, name, mediaType, base64 })
}

const asValidation = ({ path, code, message, ...details }: z.core.$ZodIssue) => ({
  instancePath: path.map((part) => `/${String(part)}`).join(''),
  keyword: code,
  message,
  params: details as Record<string, unknown>,
})

export const fileHandlers = ({ pack }: HttpDependencies): Handlers<typeof fileOperations> => ({
  createFile: async (request, reply) => {
    const payload = (request.body as Readable | undefined) ?? Readable.from([])
    try {
      const uploaded = await readUpload(request, payload)
      const common = { ...request.query, idempotencyKey: request.headers['idempotency-key'] } as {
        expiresInHours?: number
        person?: string
        idempotencyKey?: string
      }
      const made = await store(pack, request.caller, uploaded, common, signalClientAbort(reply))
      return reply.code(201).header('location', `/v1/files/${made.id}`).send(made)
    } finally {
      // Reads and discards the remainder of a refused upload.
      payload.resume()
    }
  },
  listFiles: ({ caller, query: { limit, cursor, person } }) =>
    pack.files.list(
      caller,
      { limit, ...(cursor === undefined ? {} : { cursor }) },
      person === undefined ? {} : { person },
    ),
  downloadFile: async ({ caller, params: { id } }, reply) => sendContent(reply, await pack.files.open(caller, id)),
  getFile: ({ caller, params: { id } }) => pack.files.get(caller, id),
  deleteFile: async ({ caller, params: { id } }, reply) => {
    await pack.files.remove(caller, id)
    return reply.code(204).send(null)
  },
})
