import { ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/server'
import { fail, isAbsent, visible } from '#kit'
import type { SavedFile } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'

const prefix = 'toolyard://files/'
/** Maximum size of a file read as a resource: its content passes through the host, and usually through a model. */
const maxBytes = 1_000_000
const maxLinks = 20
const maxLevels = 4

/** Checks more than the names, because a provider's record may have fields of the same names. */
const isSaved = (value: object): value is SavedFile => {
  const { file, name, mediaType, size, sha256 } = value as Record<string, unknown>
  const isText = [name, mediaType, sha256].every((field) => typeof field === 'string')
  return typeof file === 'string' && /^fil_[\w-]{1,60}$/.test(file) && isText && Number.isSafeInteger(size)
}

const savedIn = (value: unknown, levels = maxLevels): SavedFile[] => {
  if (typeof value !== 'object' || value === null || levels === 0) return []
  if (isSaved(value)) return [value]
  return Object.values(value).flatMap((part) => savedIn(part, levels - 1))
}

/** Adds a link to each file that the step stored, which the host can read or pass on. */
export const withFileLinks = (result: CallToolResult, output: unknown): CallToolResult => {
  const links = savedIn(output)
    .slice(0, maxLinks)
    .map(({ file, name, mediaType, size }) => ({
      type: 'resource_link' as const,
      uri: prefix + file,
      name: visible(name),
      mimeType: visible(mediaType),
      size,
    }))
  return links.length === 0 ? result : { ...result, content: [...result.content, ...links] }
}

export const isFileUri = (uri: string) => uri.startsWith(prefix)

/** @throws Failure `too_large`, naming other ways to read the file */
export const readFile = async (pack: Pack, caller: Caller, uri: string): Promise<ReadResourceResult> => {
  const id = uri.slice(prefix.length)
  const file = await pack.files.open(caller, id).catch((thrown: unknown) => {
    if (isAbsent(thrown)) throw new ResourceNotFoundError(uri, thrown.message)
    throw thrown
  })
  if (file.size > maxBytes)
    throw fail(
      'too_large',
      `The file has ${file.size} bytes, and 1 MB can be read here. Give its id to a step, or download it with GET /v1/files/${id}.`,
    )
  const parts: Uint8Array[] = []
  for await (const part of file.read()) parts.push(part)
  return { contents: [{ uri, mimeType: file.mediaType, blob: Buffer.concat(parts).toString('base64') }] }
}
