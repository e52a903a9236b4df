import { resolve } from 'node:path'
import type { Command } from 'commander'
import { fail } from '#kit'
import type { FileView } from '../../runtime/files/files.ts'
import type { Client } from './client.ts'
import { over, printList, readPaging, shortTime } from './subscriptions.ts'
import { typed } from './terminal.ts'
import type { Terminal } from './terminal.ts'

type Line = { program: Command; terminal: Terminal; cwd: string; finish(code: number): void; client(): Promise<Client> }

const asJson = ['--json', 'print JSON, failures as JSON on standard error'] as const

const listFiles = (client: Client, terminal: Terminal, { limit, cursor, json }: { limit: string; cursor?: string; json?: boolean }) =>
  over(client, async () => {
    const listed = await client.files.list(readPaging({ limit, ...(cursor === undefined ? {} : { cursor }) }))
    const row = ({ id, name, mediaType, size, expiresAt }: FileView) => [id, name, mediaType, String(size), shortTime(expiresAt)]
    printList(terminal, listed, json, ['file', 'name', 'type', 'bytes', 'expires'], row, `No files. Store one with: ${typed(terminal, 'files add <path>')}`)
  })

const readHours = (text: string | undefined) => {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= 720) return Number(text)
  throw fail('invalid_input', `--hours is not usable: "${text}". Give whole hours from 1 to 720.`)
}

/** `toolyard files`: content that steps take and give. */
export const addFiles = ({ program, terminal, cwd, finish, client }: Line) => {
  const files = program
    .command('files')
    .description('list stored files')
    .option('-n, --limit <n>', 'maximum number of rows, 1 to 200', '20')
    .option('--cursor <cursor>', 'continue after the previous page')
    .option(...asJson)
    .action(async (options: { limit: string; cursor?: string; json?: boolean }) => finish(await listFiles(await client(), terminal, options)))
  files
    .command('add')
    .description('store a file; prints its id, for an input like {"file":{"file":"<id>"}}')
    .argument('<path>')
    .option('--hours <n>', 'how long it is stored, 1 to 720; 168 by default')
    .option(...asJson)
    .action(async (path: string, { hours }: { hours?: string }, command: Command) => {
      const opened = await client()
      const code = await over(opened, async () => {
        const made = await opened.files.add(resolve(cwd, path), readHours(hours))
        terminal.out(command.optsWithGlobals<{ json?: boolean }>().json ? `${JSON.stringify(made)}\n` : `${made.id}\n`)
      })
      finish(code)
    })
  files
    .command('save')
    .description('write the content of a file to a new file here')
    .argument('<file>', 'id of the file')
    .argument('<path>', 'must not exist')
    .option(...asJson)
    .action(async (id: string, path: string, _: object, command: Command) => {
      const opened = await client()
      const code = await over(opened, async () => {
        const { bytes } = await opened.files.save(id, resolve(cwd, path))
        if (command.optsWithGlobals<{ json?: boolean }>().json) terminal.out(`${JSON.stringify({ file: id, path: resolve(cwd, path), bytes })}\n`)
      })
      finish(code)
    })
  files
    .command('remove')
    .description('delete a file; what was sent to a provider stays there')
    .argument('<file>', 'id of the file')
    .option(...asJson)
    .action(async (id: string, _: object, command: Command) => {
      const opened = await client()
      const code = await over(opened, async () => {
        await opened.files.remove(id)
        if (command.optsWithGlobals<{ json?: boolean }>().json) terminal.out(`${JSON.stringify({ file: id, removed: true })}\n`)
      })
      finish(code)
    })
}
