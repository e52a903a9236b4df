import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { fail } from '#kit'
import type { FileView } from '../../runtime/files/files.ts'
import type { Listed } from '../../runtime/ports/index.ts'
import type { SaveAnswer } from './operator.ts'
import type { Ask } from './request.ts'
import { query } from './trigger-client.ts'
import type { Paging } from './trigger-client.ts'

/** As long as the server gives an upload. */
const timeout = 600_000

const requireFile = async (path: string) => {
  const at = await stat(path).catch(() => undefined)
  if (!at?.isFile()) throw fail('invalid_input', `There is no file ${path}. Give the path of a file.`)
}

/** The verbs about stored files. All throw Failure. */
export const fileVerbs = (ask: Ask, save: SaveAnswer) => {
  const at = (id: string) => `v1/files/${encodeURIComponent(id)}`
  return {
    list: (page: Paging): Promise<Listed<FileView>> => ask('v1/files', query({ ...page })),
    async add(path: string, hours: number | undefined, key?: string): Promise<FileView> {
      await requireFile(path)
      const headers = { 'file-name': encodeURIComponent(basename(path)), 'content-type': 'application/octet-stream', 'idempotency-key': key }
      return ask('v1/files', { method: 'post', body: await openAsBlob(path), headers, timeout, ...query({ expiresInHours: hours }) })
    },
    get: (id: string): Promise<FileView> => ask(`${at(id)}/metadata`),
    save: (id: string, path: string) => save(at(id), { timeout }, path),
    remove: (id: string): Promise<void> => ask(at(id), { method: 'delete' }),
  }
}
export type FileVerbs = ReturnType<typeof fileVerbs>
