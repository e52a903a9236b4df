import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fail, failField } from '#kit'
import { checkBackup, findKeyring, restoreBackup, systemClock } from '../../../pack.ts'
import type { BackupReport } from '../../../pack.ts'
import { exportStore, importStore, migrateDatabase } from '../../../pack-server.ts'
import { directoryOf, keySettings } from '../../../settings.ts'
import type { Configuration } from '../../../settings.ts'
import { command, flag } from '../declare.ts'
import { exists } from '../exists.ts'
import { table } from '../table.ts'

/** Tables whose row counts are shown, with a word for their rows. */
const shownTables: Record<string, string> = {
  tenants: 'tenants',
  connections: 'connections',
  subscriptions: 'subscriptions',
  events: 'events',
  starts: 'agent starts',
  runs: 'step runs',
}

const shownRows = (rows: Record<string, number>, width: number) =>
  table(
    ['contents', 'rows'],
    Object.entries(shownTables).flatMap(([name, word]) =>
      rows[name] === undefined ? [] : [[word, String(rows[name])]],
    ),
    width,
    '  ',
  )

const describeKeys = ({ keys }: BackupReport) => {
  const ids = Object.keys(keys)
  return ids.length === 0
    ? 'It contains no sealed secrets.'
    : `Its secrets need the master ${ids.length === 1 ? 'key' : 'keys'} ${ids.join(', ')}.`
}

/** Checked before anything is copied. A mistyped folder is an error, and is not created. */
const requireTarget = async (file: string) => {
  const folder = dirname(file)
  const at = await stat(folder).catch(() => undefined)
  if (!at?.isDirectory())
    throw fail(
      'invalid_input',
      `The folder ${folder} does not exist. Create it (mkdir -p ${folder}), or choose another file.`,
    )
  if (await exists(file)) throw fail('conflict', `${file} already exists; choose another name.`)
}

const silent = () => {}
const placeOf = (configuration: Configuration, sandbox: boolean) =>
  configuration.databaseUrl === undefined || sandbox
    ? { directory: directoryOf(configuration, sandbox) }
    : { url: configuration.databaseUrl }
const nameOf = (place: ReturnType<typeof placeOf>) =>
  'url' in place ? 'the database of DATABASE_URL' : place.directory

/** Finds the master keys of a directory, without creating one. */
const keysFor = async (configuration: Configuration, directory: string) => {
  const source = keySettings(configuration, directory)
  const keyring = await findKeyring(source)
  return {
    file: source.file,
    lost: configuration.lostMasterKeys,
    hasKey: keyring !== undefined,
    keys: keyring?.keys.map(({ id }) => id) ?? [],
  }
}

export const dataCommands = [
  command(
    {
      usage: 'backup <file>',
      about: 'copy all data to a new file, while the server keeps running; does not include the master key',
    },
    async ({ client, say, terminal, parts }, { file: path }) => {
      const file = resolve(parts.cwd, path)
      await requireTarget(file)
      const { bytes } = await (await client()).save('admin.backup', {}, file)
      const report = await checkBackup(file)
      const contents = `${shownRows(report.rows, terminal.width)}\n${describeKeys(report)} The backup does not contain the master key: keep a copy of it elsewhere.`
      say({ file, bytes, ...report }, `${file}: ${bytes} bytes, verified.\n${contents}`)
    },
  ),
  command(
    {
      usage: 'restore <file>',
      about: 'restore a backup into the data directory, which must be empty and not in use',
      options: { sandbox: flag('into the data directory of the sandbox') },
    },
    async ({ configuration, say, terminal, parts }, { file: path, sandbox = false }) => {
      const settings = configuration()
      const directory = directoryOf(settings, sandbox)
      const { file, hasKey, keys, lost } = await keysFor(settings, directory)
      const report = await restoreBackup({ file: resolve(parts.cwd, path), directory, now: Date.now, keys, lost })
      say({ directory, hasKey, ...report }, `Restored into ${directory}.\n${shownRows(report.rows, terminal.width)}`)
      if (!hasKey)
        terminal.err(`There is no master key here, and the backup does not need one; the next start creates ${file}.\n`)
    },
  ),
  command(
    {
      usage: 'export <file>',
      about: 'write every row of DATABASE_URL, or of the data directory while no server uses it, to a new file',
      options: { sandbox: flag('from the data directory of the sandbox') },
    },
    async ({ configuration, say, terminal, parts }, { file: path, sandbox = false }) => {
      const file = resolve(parts.cwd, path)
      await requireTarget(file)
      const place = placeOf(configuration(), sandbox)
      const done = await exportStore({ place, file, clock: systemClock, log: silent })
      const contents = `${shownRows(done.rows, terminal.width)}\nSecrets in it stay sealed; it does not contain the master key. "toolyard import" reads it.`
      say({ file, ...done }, `${file}: ${done.bytes} bytes, from ${nameOf(place)}.\n${contents}`)
    },
  ),
  command(
    {
      usage: 'import <file>',
      about: 'read an export into the database of DATABASE_URL, or into the data directory; either must be empty',
      options: { sandbox: flag('into the data directory of the sandbox') },
    },
    async ({ configuration, say, terminal, parts }, { file: path, sandbox = false }) => {
      const settings = configuration()
      const place = placeOf(settings, sandbox)
      const { keys, lost } = await keysFor(settings, directoryOf(settings, sandbox))
      const done = await importStore({
        place,
        file: resolve(parts.cwd, path),
        clock: systemClock,
        log: silent,
        keys,
        lost,
      })
      const contents = shownRows(done.rows, terminal.width)
      say(
        { to: 'url' in place ? 'DATABASE_URL' : place.directory, ...done },
        `Imported into ${nameOf(place)}.\n${contents}`,
      )
    },
  ),
  command(
    {
      usage: 'migrate',
      about: 'upgrade the database of DATABASE_URL, while no server of an earlier version uses it',
    },
    async ({ configuration, say }) => {
      const { databaseUrl: url } = configuration()
      if (url === undefined)
        throw failField(
          'DATABASE_URL',
          'DATABASE_URL is not set, so there is no database to upgrade. A data directory is upgraded when a server opens it.',
        )
      const done = await migrateDatabase({ url, log: silent })
      const { schema, applied } = done
      say(
        done,
        `The database has schema ${schema} ${applied.length === 0 ? 'already' : `now (migrations ${applied.join(', ')})`}.`,
      )
    },
  ),
]
