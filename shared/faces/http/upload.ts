import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { fail, failField, inputLimits, jsonExcess, sayExcess } from '#kit'
import type { Operation } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import { readHeaderText } from './header-text.ts'
import { readFormFile } from './multipart.ts'

/** Fits a file of 1 MB as base64, and the fields around it. */
const maxJsonBytes = 1_500_000
const maxSilenceMs = 15_000

const uploads = new Set(
  Object.values<Operation>(operations).flatMap(({ upload, method, path }) => (upload ? [`${method} ${path}`] : [])),
)

export const isUpload = ({ method, url = '' }: IncomingMessage) => uploads.has(`${method} ${url.split('?')[0]}`)

export type UploadedFile = {
  name: string
  mediaType: string | undefined
  length: number | undefined
  content: AsyncIterable<Uint8Array>
}
export type Uploaded = { file: UploadedFile } | { json: unknown }

const stopped = () =>
  fail('cancelled', 'The connection was closed before all content had arrived. Nothing was stored; send it again.')

/**
 * Yields the incoming content, and fails when none arrives for `maxSilenceMs`. The stream is not destroyed when reading
 * ends early, so that a refusal reaches the sender.
 */
const patient = async function* (payload: Readable): AsyncGenerator<Uint8Array> {
  const pieces = payload.iterator({ destroyOnReturn: false })
  for (;;) {
    let timer: NodeJS.Timeout | undefined
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(fail('invalid_input', 'No content arrived for 15 s. Nothing was stored; send it again.')),
        maxSilenceMs,
      )
    })
    try {
      const next = (await Promise.race([
        pieces.next().catch(() => {
          throw stopped()
        }),
        silence,
      ])) as IteratorResult<Uint8Array>
      if (next.done === true) return
      yield next.value
    } finally {
      clearTimeout(timer)
    }
  }
}

const readJson = async (content: AsyncIterable<Uint8Array>): Promise<unknown> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const bytes of content) {
    size += bytes.length
    if (size > maxJsonBytes)
      throw fail(
        'too_large',
        'A JSON body may hold a file of 1 MB as base64. Send a larger one as it is, with the header File-Name, or as multipart/form-data.',
      )
    parts.push(bytes)
  }
  const body = Buffer.concat(parts)
  const excess = jsonExcess(body, inputLimits)
  if (excess) throw fail('invalid_input', `The request body holds ${sayExcess(excess, inputLimits)}.`)
  try {
    return JSON.parse(body.toString('utf8')) as unknown
  } catch {
    throw fail(
      'invalid_input',
      'The request body is not valid JSON. To store a JSON file as it is, send the header File-Name.',
    )
  }
}

const announcedLength = ({ headers }: FastifyRequest) =>
  headers['content-length'] === undefined ? undefined : Number(headers['content-length'])

/**
 * Reads the content of an upload: a raw file, a file in a form, or JSON.
 * @throws Failure `invalid_input`, `too_large`
 */
export const readUpload = async (request: FastifyRequest, payload: Readable): Promise<Uploaded> => {
  const { headers } = request
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    throw fail('invalid_input', 'The content is encoded (Content-Encoding). Send it as it is.')
  const type = headers['content-type']
  const [plain = ''] = (type ?? '').toLowerCase().split(';')
  const content = patient(payload)
  const named = headers['file-name']
  if (typeof named === 'string') {
    const name = readHeaderText('File-Name', named, 'r%C3%A9sum%C3%A9.pdf')
    return { file: { name, mediaType: type, length: announcedLength(request), content } }
  }
  if (plain.trim() === 'multipart/form-data') {
    return { file: { ...(await readFormFile(type!, content)), length: undefined } }
  }
  if (plain.trim() === 'application/json') return { json: await readJson(content) }
  throw failField(
    '/headers/file-name',
    'The file has no name. Send its content with the header File-Name, as multipart/form-data, or as JSON ({ "name", "base64" } or { "url" }).',
  )
}
