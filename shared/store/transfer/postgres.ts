import { fail } from '#kit'
import type { Log } from '../../runtime/ports/index.ts'
import { ofExport, requireKnownKeys, sealedByKey } from '../key-check.ts'
import type { KnownKeys } from '../key-check.ts'
import type { Db } from '../commit.ts'
import { lockEveryone } from '../postgres/committer.ts'
import { openConnections } from '../postgres/connection.ts'
import type { Connection } from '../postgres/connection.ts'
import { migratePostgres } from '../postgres/schema.ts'
import { createTranslator } from '../postgres/text.ts'
import type { Query } from '../postgres/text.ts'
import { sealedIn } from '../sql/sealed.ts'
import type { Row } from '../sqlite.ts'
import { exportLines, readExport } from './format.ts'
import type { Transferred } from './format.ts'
import { insertOf, schemaNumber, selectOf, transferTables } from './tables.ts'
import type { TransferTable } from './tables.ts'

/** Rows of one fetch; fewer where a row may be a megabyte. */
const rowsPerFetch = 200
const largeRows = 8
const withLargeRows = [
  'events',
  'undecodable',
  'unclaimed_events',
  'file_chunks',
  'samples',
  'run_contents',
  'intents',
  'starts',
  'lookup_entries',
]
/** Limits of what is sent in one round trip. */
const bytesPerSend = 2 ** 19
const rowsPerSend = 500

const open = async <T>(url: string, log: Log, work: (connection: Connection) => Promise<T>): Promise<T> => {
  const connections = openConnections({ url, log, connections: 2 })
  try {
    await migratePostgres(connections, log)
    return await connections.use(work)
  } finally {
    await connections.close()
  }
}

async function* rowsOf({ script }: Connection, table: TransferTable): AsyncGenerator<Row> {
  const size = withLargeRows.includes(table.name) ? largeRows : rowsPerFetch
  await script(`declare transfer no scroll cursor for ${selectOf(table)}`)
  for (;;) {
    const [fetched] = await script(`fetch ${size} from transfer`)
    yield* fetched!.rows
    if (fetched!.rows.length < size) break
  }
  await script('close transfer')
}

/** Exports the rows of a database as of one moment; servers may go on working. */
export const exportPostgres = async (
  { url, log }: { url: string; log: Log },
  write: (line: string) => Promise<void>,
): Promise<Transferred> =>
  open(url, log, async (connection) => {
    // The consumer of the lines may be slow, so the transaction may be idle for long.
    await connection.script(
      'begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout to 0',
    )
    const rows: Record<string, number> = {}
    for await (const line of exportLines((table) => rowsOf(connection, table), rows)) await write(line)
    await connection.script('commit')
    return { schema: schemaNumber, rows }
  })

const requireEmpty = async ({ script }: Connection): Promise<void> => {
  for (const { name } of transferTables()) {
    const [result] = await script(`select 1 as found from ${name} limit 1`)
    if (result!.rows.length > 0)
      throw fail(
        'conflict',
        `The database of DATABASE_URL holds data already (in the table ${name}); import into an empty database.`,
      )
  }
}

/**
 * Ids of the master keys that anything in the database is sealed under, including what this connection has not
 * committed yet.
 */
const keysIn = async ({ send }: Connection, translate: ReturnType<typeof createTranslator>): Promise<string[]> => {
  const db: Db = {
    read: async (sql, params) => (await send([translate({ sql, params })]))[0]!.rows,
    write: () => Promise.reject(fail('internal', 'Sealed values are only read here.')),
  }
  return [...(await sealedByKey({ sealed: sealedIn(db) })).keys()]
}

/**
 * Fills an empty database, in one transaction. If it throws, nothing was written.
 * @throws Failure `conflict` if the database holds data, `unavailable` if a key is missing, `invalid_input` for an
 * incomplete export
 */
export const importPostgres = async (
  { url, log, ...knownKeys }: { url: string; log: Log } & KnownKeys,
  lines: AsyncIterable<string>,
): Promise<Transferred> =>
  open(url, log, async (connection) => {
    await connection.script(
      'begin; set local idle_in_transaction_session_timeout to 0; set local statement_timeout to 0',
    )
    // A server that starts meanwhile waits for this lock.
    await connection.send([lockEveryone])
    await requireEmpty(connection)
    const translate = createTranslator()
    let waiting: Query[] = []
    let bytes = 0
    const flush = async () => {
      const queries = waiting
      waiting = []
      bytes = 0
      if (queries.length > 0) await connection.send(queries)
    }
    try {
      const done = await readExport(lines, async (table, params) => {
        waiting.push(translate({ sql: insertOf(table), params }))
        for (const value of params)
          bytes += typeof value === 'object' || typeof value === 'string' ? (value?.length ?? 0) : 8
        if (bytes > bytesPerSend || waiting.length >= rowsPerSend) await flush()
      })
      await flush()
      requireKnownKeys(await keysIn(connection, translate), knownKeys, ofExport)
      await connection.script('commit')
      await connection.script('analyze')
      return done
    } catch (error) {
      await connection.script('rollback').catch(() => undefined)
      throw error
    }
  })
