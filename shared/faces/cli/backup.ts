import { randomBytes } from 'node:crypto'
import { access, link, open, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fail } from '#kit'
import { checkBackup, findKeyring, restoreBackup } from '../../pack.ts'
import type { BackupReport } from '../../pack.ts'
import type { Client } from './client.ts'
import type { Configuration } from './configuration.ts'
import { directoryOf } from './find-client.ts'
import { table } from './table.ts'
import type { Terminal } from './terminal.ts'

/** Tables whose rows mean something to a person. */
const told: Record<string, string> = {
  tenants: 'tenants',
  connections: 'accounts',
  subscriptions: 'subscriptions',
  events: 'events',
  starts: 'agent starts',
  runs: 'step runs',
}

const sayReport = ({ rows }: BackupReport, width: number) =>
  table(
    ['holds', 'rows'],
    Object.entries(told).flatMap(([name, word]) => (rows[name] === undefined ? [] : [[word, String(rows[name])]])),
    width,
    '  ',
  )

const sayKeys = ({ keys }: BackupReport) => {
  const ids = Object.keys(keys)
  return ids.length === 0 ? 'Nothing in it is sealed.' : `To open its secrets it needs the master ${ids.length === 1 ? 'key' : 'keys'} ${ids.join(', ')}.`
}

type Backup = { file: string; json?: boolean }

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

/** Asked before anything is copied: a mistyped folder is not made. */
const requirePlace = async (file: string) => {
  const folder = dirname(file)
  const at = await stat(folder).catch(() => undefined)
  if (!at?.isDirectory()) throw fail('invalid_input', `There is no folder ${folder} for the backup. Make it first (mkdir -p ${folder}), or name another file.`)
  if (await exists(file)) throw fail('conflict', `${file} exists already; give the backup another name.`)
}

/** `toolyard backup <file>`: the data of the running server, or of the data directory where none runs, read back once it is on the disk. */
export const backup = async (client: Client, terminal: Terminal, cwd: string, { file: given, json }: Backup): Promise<number> => {
  const file = resolve(cwd, given)
  try {
    await requirePlace(file)
    const { bytes } = await client.operator.backup(file)
    const report = await checkBackup(file)
    if (json) terminal.out(`${JSON.stringify({ file, bytes, ...report })}\n`)
    else
      terminal.out(
        `${file}: ${bytes} bytes, read back and whole.\n${sayReport(report, terminal.width)}\n${sayKeys(report)} The master key is not in it: keep that too, apart from it.\n`,
      )
    return 0
  } finally {
    await client.close()
  }
}

/** `toolyard restore <file>`: puts a backup into a data directory that has no data yet, once the keys it needs are there. */
export const restore = async (
  configuration: Configuration,
  terminal: Terminal,
  cwd: string,
  { file: given, json, sandbox = false }: Backup & { sandbox?: boolean },
): Promise<number> => {
  const directory = directoryOf(configuration, sandbox)
  const { masterKey: env, previousMasterKeys: previous, lostMasterKeys: lost } = configuration
  const keyFile = join(directory, 'master.key')
  const keyring = await findKeyring({ env, previous, file: keyFile })
  const keys = keyring?.keys.map(({ id }) => id) ?? []
  const report = await restoreBackup({ file: resolve(cwd, given), directory, now: Date.now, keys, lost })
  const hasKey = keyring !== undefined
  if (json) terminal.out(`${JSON.stringify({ directory, hasKey, ...report })}\n`)
  else terminal.out(`Restored into ${directory}.\n${sayReport(report, terminal.width)}\n`)
  if (!hasKey) terminal.err(`There is no master key here, and nothing in the backup needs one; the next start makes ${keyFile}.\n`)
  return 0
}

/** A server that breaks off mid-way is said to have, whatever the words of the network are. */
async function* toldWhenCut(body: AsyncIterable<Uint8Array>) {
  try {
    yield* body
  } catch (cause) {
    throw fail('unreachable', 'The server broke off. Nothing was kept; take the backup again.', { cause })
  }
}

/** Writes what a server sends, under its name only when it is whole and on the disk. @throws Failure `conflict` when there is such a file */
export const saveStream = async (body: AsyncIterable<Uint8Array>, file: string, expected: number): Promise<{ bytes: number }> => {
  const part = `${file}.${randomBytes(4).toString('hex')}.part`
  const handle = await open(part, 'wx', 0o600)
  try {
    let bytes = 0
    try {
      for await (const piece of toldWhenCut(body)) {
        await handle.write(piece)
        bytes += piece.byteLength
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (bytes !== expected) throw fail('unreachable', `The server stopped after ${bytes} of ${expected} bytes. Nothing was kept; take the backup again.`)
    await link(part, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST'
        ? fail('conflict', `${file} exists already; give the backup another name.`)
        : fail('unavailable', `The backup cannot be written to ${file} (${error.code}).`, { cause: error })
    })
    return { bytes }
  } finally {
    await unlink(part)
  }
}
