import { access, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fail } from '#kit'
import { checkBackup, findKeyring, restoreBackup } from '../../pack.ts'
import type { BackupReport } from '../../pack.ts'
import type { Client } from './client.ts'
import { directoryOf } from '../../settings.ts'
import type { Configuration } from '../../settings.ts'
import { table } from './table.ts'
import type { Terminal } from './terminal.ts'

/** Tables whose row counts are shown, with what their rows are. */
const shownTables: Record<string, string> = {
  tenants: 'tenants',
  connections: 'connections',
  subscriptions: 'subscriptions',
  events: 'events',
  starts: 'agent starts',
  runs: 'step runs',
}

export const shownRows = (rows: Record<string, number>, width: number) =>
  table(
    ['contents', 'rows'],
    Object.entries(shownTables).flatMap(([name, word]) => (rows[name] === undefined ? [] : [[word, String(rows[name])]])),
    width,
    '  ',
  )

const sayKeys = ({ keys }: BackupReport) => {
  const ids = Object.keys(keys)
  return ids.length === 0 ? 'It contains no sealed secrets.' : `Its secrets need the master ${ids.length === 1 ? 'key' : 'keys'} ${ids.join(', ')}.`
}

type Backup = { file: string; json?: boolean }

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

/** Checked before anything is copied; a mistyped folder is not created. */
export const requireTarget = async (file: string) => {
  const folder = dirname(file)
  const at = await stat(folder).catch(() => undefined)
  if (!at?.isDirectory()) throw fail('invalid_input', `The folder ${folder} does not exist. Create it (mkdir -p ${folder}), or choose another file.`)
  if (await exists(file)) throw fail('conflict', `${file} already exists; choose another name.`)
}

/** `toolyard backup <file>`: the data of the running server, or of the data directory when none runs; verified once it is on disk. */
export const backup = async (client: Client, terminal: Terminal, cwd: string, { file: given, json }: Backup): Promise<number> => {
  const file = resolve(cwd, given)
  try {
    await requireTarget(file)
    const { bytes } = await client.operator.backup(file)
    const report = await checkBackup(file)
    if (json) terminal.out(`${JSON.stringify({ file, bytes, ...report })}\n`)
    else
      terminal.out(
        `${file}: ${bytes} bytes, verified.\n${shownRows(report.rows, terminal.width)}\n${sayKeys(report)} The backup does not contain the master key: keep a copy of it elsewhere.\n`,
      )
    return 0
  } finally {
    await client.close()
  }
}

/** `toolyard restore <file>`: puts a backup into an empty data directory, provided the keys it needs are available. */
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
  else terminal.out(`Restored into ${directory}.\n${shownRows(report.rows, terminal.width)}\n`)
  if (!hasKey) terminal.err(`There is no master key here, and the backup does not need one; the next start creates ${keyFile}.\n`)
  return 0
}
