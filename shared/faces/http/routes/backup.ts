import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from '#kit'
import { answers } from '../responses.ts'
import type { Routes } from '../parts.ts'

const { 200: _, ...failures } = answers({ description: '' })

/** The whole database as a file, while the server goes on. Secrets in it are sealed; the master key is not part of it. */
export const backupRoutes: Routes = (app, { pack }) => {
  app.post(
    '/v1/admin/backup',
    {
      config: { access: ['admin'] },
      schema: {
        operationId: 'backup',
        tags: ['Admin'],
        summary: 'A backup of all tenants, taken while the server goes on',
        description:
          'A consistent copy of the database, streamed while the server goes on. It holds sealed secrets but not the master key. Needs the scope admin.',
        response: {
          200: {
            description: 'One SQLite file. Secrets in it are sealed; the master key is not part of it',
            content: { 'application/vnd.sqlite3': { schema: z.string() } },
          },
          ...failures,
        },
      },
    },
    async (request, reply) => {
      const folder = await mkdtemp(join(tmpdir(), 'toolyard-backup-'))
      const forget = () => void rm(folder, { recursive: true, force: true }).catch(() => undefined)
      try {
        const file = join(folder, 'toolyard.db')
        const { bytes } = await pack.backup(request.caller, file)
        // Its type is that of the text in the document.
        const content = createReadStream(file).once('close', forget)
        return reply
          .headers({ 'content-length': bytes, 'content-disposition': 'attachment; filename="toolyard.db"' })
          .type('application/vnd.sqlite3')
          .send(content as never)
      } catch (error) {
        forget()
        throw error
      }
    },
  )
}
