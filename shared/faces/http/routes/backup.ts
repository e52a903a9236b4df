import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from '#kit'
import { responses } from '../responses.ts'
import type { Routes } from '../parts.ts'

const { 200: _, ...failures } = responses({ description: '' })

/** Copies the whole database to a file while the server keeps running. Secrets in it are sealed; the master key is not included. */
export const backupRoutes: Routes = (app, { pack }) => {
  app.post(
    '/v1/admin/backup',
    {
      config: { access: ['admin'] },
      schema: {
        operationId: 'backup',
        tags: ['Admin'],
        summary: 'Back up all tenants while the server keeps running',
        description:
          'Streams a consistent copy of the database while the server keeps running. It contains the sealed secrets but not the master key. Needs the scope admin.',
        response: {
          200: {
            description: 'A SQLite file. Secrets in it are sealed; the master key is not included',
            content: { 'application/vnd.sqlite3': { schema: z.string() } },
          },
          ...failures,
        },
      },
    },
    async (request, reply) => {
      const folder = await mkdtemp(join(tmpdir(), 'toolyard-backup-'))
      const cleanUp = () => void rm(folder, { recursive: true, force: true }).catch(() => undefined)
      try {
        const file = join(folder, 'toolyard.db')
        const { bytes } = await pack.backup(request.caller, file)
        // The schema in the document is a string; what is sent is a stream.
        const content = createReadStream(file).once('close', cleanUp)
        return reply
          .headers({ 'content-length': bytes, 'content-disposition': 'attachment; filename="toolyard.db"' })
          .type('application/vnd.sqlite3')
          .send(content as never)
      } catch (error) {
        cleanUp()
        throw error
      }
    },
  )
}
