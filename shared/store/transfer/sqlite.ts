import { chmod, link, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '#kit'
import type { Clock, Log } from '../../runtime/ports/index.ts'
import { databaseFile, lockDirectory } from '../directory.ts'
import { ofExport, requireKnownKeys } from '../key-check.ts'
import type { KnownKeys } from '../key-check.ts'
import { markFor } from '../marker.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migrations.ts'
import { keysIn } from '../sealed-file.ts'
import { openDatabase, pragmas } from '../sqlite-store.ts'
import { openSqlite } from '../sqlite.ts'
import type { Param } from '../sqlite.ts'
import { exportLines, readExport } from './format.ts'
import type { Transferred } from './format.ts'
import { insertOf, schemaNumber, selectOf } from './tables.ts'
import type { TransferTable } from './tables.ts'

/** Rows per commit while filling a database. */
const rowsPerCommit = 5000

/**
 * Exports the rows of a data directory that no process uses; a database of an earlier version is upgraded first.
 * @throws Failure `unavailable` if a process uses the directory, `not_found` if it holds no database
 */
export const exportDirectory = async (
  options: { directory: string; clock: Pick<Clock, 'now'>; log: Log },
  write: (line: string) => Promise<void>,
): Promise<Transferred> => {
  const files = await readdir(options.directory).catch(() => [] as string[])
  if (!files.includes(databaseFile))
    throw fail('not_found', `There is no database in ${options.directory}, so there is nothing to export.`)
  const { db, lock } = await openDatabase({
    directory: options.directory,
    now: () => options.clock.now(),
    log: options.log,
  })
  try {
    const rows: Record<string, number> = {}
    for await (const line of exportLines((table) => db.each(selectOf(table)), rows)) await write(line)
    return { schema: schemaNumber, rows }
  } finally {
    db.close()
    lock.release()
  }
}

/**
 * Fills an empty data directory. If it throws, no database is left there.
 * @throws Failure `conflict` if the directory holds a database, `unavailable` if a process uses it or a key is missing,
 * `invalid_input` for an incomplete export
 */
export const importDirectory = async (
  options: { directory: string; clock: Pick<Clock, 'now'> } & KnownKeys,
  lines: AsyncIterable<string>,
): Promise<Transferred> => {
  const { directory } = options
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(directory, () => options.clock.now())
  const target = join(directory, databaseFile)
  const part = `${target}.import`
  try {
    if ((await readdir(directory)).includes(databaseFile))
      throw fail(
        'conflict',
        `${directory} holds a database already; import into an empty directory, or move that one away first.`,
      )
    await rm(part, { force: true })
    const done = await fill(part, lines, options)
    await chmod(part, 0o600)
    const handle = await open(part, 'r')
    await handle.sync().finally(() => handle.close())
    await markFor(directory, part)
    await link(part, target)
    return done
  } finally {
    await rm(part, { force: true })
    await rm(`${part}-journal`, { force: true })
    lock.release()
  }
}

const fill = async (part: string, lines: AsyncIterable<string>, knownKeys: KnownKeys): Promise<Transferred> => {
  const db = openSqlite(part)
  try {
    db.script(`${pragmas}; pragma journal_mode = delete; pragma synchronous = off`)
    migrate(db, migrations, () => {})
    let count = 0
    const inserts = new Map<TransferTable, string>()
    db.script('begin')
    const done = await readExport(lines, (table, values: Param[]) => {
      let sql = inserts.get(table)
      if (!sql) inserts.set(table, (sql = insertOf(table)))
      db.run(sql, values)
      if ((count += 1) % rowsPerCommit === 0) db.script('commit; begin')
    })
    db.script('commit')
    requireKnownKeys(Object.keys(await keysIn(db)), knownKeys, ofExport)
    return done
  } finally {
    db.close()
  }
}
