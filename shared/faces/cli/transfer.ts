import { join, resolve } from 'node:path'
import { failField } from '#kit'
import { findKeyring, systemClock } from '../../pack.ts'
import { exportStore, importStore, migrateDatabase } from '../../pack-server.ts'
import type { Transferred } from '../../pack-server.ts'
import { requireTarget, shownRows } from './backup.ts'
import { directoryOf } from '../../settings.ts'
import type { Configuration } from '../../settings.ts'
import type { Terminal } from './terminal.ts'

type Transfer = { file: string; json?: boolean; sandbox?: boolean }

const silent = () => {}
const placeOf = (configuration: Configuration, sandbox: boolean) =>
  configuration.databaseUrl === undefined || sandbox ? { directory: directoryOf(configuration, sandbox) } : { url: configuration.databaseUrl }
const nameOf = (place: ReturnType<typeof placeOf>) => ('url' in place ? 'the database of DATABASE_URL' : place.directory)
const contents = ({ rows }: Transferred, terminal: Terminal) => shownRows(rows, terminal.width)

/** `toolyard export <file>`: every row of the database of DATABASE_URL, or of a data directory without a server. */
export const exportData = async (
  configuration: Configuration,
  terminal: Terminal,
  cwd: string,
  { file: given, json, sandbox = false }: Transfer,
): Promise<number> => {
  const file = resolve(cwd, given)
  await requireTarget(file)
  const place = placeOf(configuration, sandbox)
  const done = await exportStore({ place, file, clock: systemClock, log: silent })
  if (json) terminal.out(`${JSON.stringify({ file, ...done })}\n`)
  else
    terminal.out(
      `${file}: ${done.bytes} bytes, from ${nameOf(place)}.\n${contents(done, terminal)}\nSecrets in it stay sealed; it does not contain the master key. "toolyard import" reads it.\n`,
    )
  return 0
}

/** `toolyard import <file>`: into the empty database of DATABASE_URL, or an empty data directory. */
export const importData = async (
  configuration: Configuration,
  terminal: Terminal,
  cwd: string,
  { file: given, json, sandbox = false }: Transfer,
): Promise<number> => {
  const place = placeOf(configuration, sandbox)
  const { masterKey: env, previousMasterKeys: previous, lostMasterKeys: lost } = configuration
  const keyring = await findKeyring({ env, previous, file: join(directoryOf(configuration, sandbox), 'master.key') })
  const keys = keyring?.keys.map(({ id }) => id) ?? []
  const done = await importStore({ place, file: resolve(cwd, given), clock: systemClock, log: silent, keys, lost })
  if (json) terminal.out(`${JSON.stringify({ to: 'url' in place ? 'DATABASE_URL' : place.directory, ...done })}\n`)
  else terminal.out(`Imported into ${nameOf(place)}.\n${contents(done, terminal)}\n`)
  return 0
}

/** `toolyard migrate`: upgrades the database of DATABASE_URL. A data directory is upgraded when a server opens it. */
export const migrate = async (configuration: Configuration, terminal: Terminal, { json }: { json?: boolean }): Promise<number> => {
  const { databaseUrl: url } = configuration
  if (url === undefined)
    throw failField('DATABASE_URL', 'DATABASE_URL is not set, so there is no database to upgrade. A data directory is upgraded when a server opens it.')
  const done = await migrateDatabase({ url, log: silent })
  if (json) terminal.out(`${JSON.stringify(done)}\n`)
  else
    terminal.out(
      done.applied.length === 0
        ? `The database has schema ${done.schema} already.\n`
        : `The database has schema ${done.schema} now (migrations ${done.applied.join(', ')}).\n`,
    )
  return 0
}
