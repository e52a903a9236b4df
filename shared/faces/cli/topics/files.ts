import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { fail } from '#kit'
import type { Call } from '../call.ts'
import { command, paging, text } from '../declare.ts'
import { personFilter, personOption } from '../person-options.ts'
import { shortTime } from '../table.ts'

const readHours = (hours: string | undefined) => {
  if (hours === undefined) return undefined
  if (/^[1-9]\d{0,2}$/.test(hours) && Number(hours) <= 720) return Number(hours)
  throw fail('invalid_input', `--hours is not usable: "${hours}". Give whole hours from 1 to 720.`)
}

/**
 * Stores a file. With a `key` that was used before, returns the file that was stored then. `hours`: how long it is
 * stored; `person`: whom it is for.
 */
export const storeFile = async (
  call: Call,
  path: string,
  { hours, key, person }: { hours?: number | undefined; key?: string | undefined; person?: string | undefined } = {},
) => {
  const at = await stat(path).catch(() => undefined)
  if (!at?.isFile()) throw fail('invalid_input', `There is no file ${path}. Give the path of a file.`)
  const headers = {
    'file-name': encodeURIComponent(basename(path)),
    'content-type': 'application/octet-stream',
    'idempotency-key': key,
  }
  return call('files.createFile', { expiresInHours: hours, person }, { headers, body: await openAsBlob(path) })
}

export const fileCommands = [
  command(
    {
      usage: 'files',
      about: 'list stored files',
      options: { person: personFilter, ...paging() },
    },
    async ({ call, list, typed }, filter) =>
      list(await call('files.listFiles', filter), `No files. Store one with: ${typed('files add <path>')}`, (file) => ({
        file: file.id,
        name: file.name,
        type: file.mediaType,
        bytes: String(file.size),
        expires: shortTime(file.expiresAt),
      })),
  ),
  command(
    {
      usage: 'files add <path>',
      about: 'store a file; prints its id, for an input like {"file":{"file":"<id>"}}',
      options: { hours: text('<n>', 'how long it is stored, 1 to 720; 168 by default'), person: personOption },
    },
    async ({ call, say, parts }, { path, hours, person }) => {
      const file = await storeFile(call, resolve(parts.cwd, path), { hours: readHours(hours), person })
      say(file, file.id)
    },
  ),
  command(
    {
      usage: 'files save <file> <path>',
      about: 'write the content of a file to a new file here',
      arguments: { file: 'id of the file', path: 'must not exist' },
    },
    async ({ client, say, parts }, { file, path }) => {
      const target = resolve(parts.cwd, path)
      const { bytes } = await (await client()).save('files.downloadFile', { id: file }, target)
      say({ file, path: target, bytes }, () => {})
    },
  ),
  command(
    {
      usage: 'files remove <file>',
      about: 'delete a file; what was sent to a provider stays there',
      arguments: { file: 'id of the file' },
    },
    async ({ call, say }, { file }) => {
      await call('files.deleteFile', { id: file })
      say({ file, removed: true }, () => {})
    },
  ),
]
