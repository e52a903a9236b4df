import { createReadStream } from 'node:fs'
import { link, open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fail } from '#kit'
import type { Clock, Log } from '../../runtime/ports/index.ts'
import type { KnownKeys } from '../key-check.ts'
import type { Transferred } from './format.ts'
import { createCollector } from './memory.ts'

export type { Transferred } from './format.ts'

/** Where the rows are: a data directory, or the database that several servers share. */
export type TransferPlace = { directory: string } | { url: string }
type Options = { place: TransferPlace; file: string; clock: Pick<Clock, 'now'>; log: Log }

const charactersPerWrite = 2 ** 18

const loadSqlite = () => import('./sqlite.ts')
const loadPostgres = () => import('./postgres.ts')

/**
 * Writes every row into a new file (mode 600), in constant memory. Its secrets stay sealed, and it does not contain the
 * master key.
 * @throws Failure `conflict` if the file exists; see also `exportDirectory`, `exportPostgres`
 */
export const exportStore = async ({ place, file, clock, log }: Options): Promise<Transferred & { bytes: number }> => {
  const part = `${file}.part`
  const refused = (error: NodeJS.ErrnoException) =>
    fail('unavailable', `The export cannot be written to ${dirname(file)} (${error.code}).`, { cause: error })
  const out = await open(part, 'w', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw refused(error)
  })
  const collect = createCollector()
  let waiting: string[] = []
  let length = 0
  const flush = async (): Promise<void> => {
    const text = waiting.join('')
    waiting = []
    length = 0
    await out.writeFile(text).catch((error: NodeJS.ErrnoException) => {
      throw refused(error)
    })
    collect(text.length)
  }
  const write = async (line: string): Promise<void> => {
    waiting.push(line)
    length += line.length
    if (length > charactersPerWrite) await flush()
  }
  try {
    await out.chmod(0o600)
    const done =
      'url' in place
        ? await (await loadPostgres()).exportPostgres({ ...place, log }, write)
        : await (await loadSqlite()).exportDirectory({ ...place, clock, log }, write)
    await flush()
    await out.sync()
    await link(part, file).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST'
        ? fail('conflict', `${file} exists already; choose another name for the export.`)
        : error
    })
    return { ...done, bytes: (await stat(file)).size }
  } finally {
    await out.close()
    await rm(part, { force: true })
  }
}

/** Splits at line feeds only: other line separators may be part of a text. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const collect = createCollector()
  input.setEncoding('utf8')
  let remainder = ''
  for await (const chunk of input as AsyncIterable<string>) {
    collect(chunk.length)
    const parts = chunk.split('\n')
    parts[0] = remainder + parts[0]!
    remainder = parts.pop()!
    yield* parts
  }
  if (remainder !== '') yield remainder
}

/**
 * Reads an export into an empty directory or database, in constant memory: all of it or nothing.
 * @throws Failure `not_found` if the file does not exist; see also `importDirectory`, `importPostgres`
 */
export const importStore = async ({
  place,
  file,
  clock,
  log,
  keys,
  lost,
}: Options & KnownKeys): Promise<Transferred> => {
  const input = createReadStream(file)
  await once(input, 'open').catch((error: NodeJS.ErrnoException) => {
    throw fail('not_found', `There is no export at ${file} (${error.code}).`, { cause: error })
  })
  try {
    const lines = linesOf(input)
    return 'url' in place
      ? await (await loadPostgres()).importPostgres({ ...place, log, keys, lost }, lines)
      : await (await loadSqlite()).importDirectory({ ...place, clock, keys, lost }, lines)
  } finally {
    input.destroy()
  }
}

/** Upgrades a shared database, even if older servers cannot work with it afterwards. */
export const migrateDatabase = async ({
  url,
  log,
}: {
  url: string
  log: Log
}): Promise<{ applied: number[]; schema: number }> => {
  const [{ openConnections }, { migratePostgres }] = await Promise.all([
    import('../postgres/connection.ts'),
    import('../postgres/schema.ts'),
  ])
  const connections = openConnections({ url, log, connections: 1 })
  try {
    return await migratePostgres(connections, log, { all: true })
  } finally {
    await connections.close()
  }
}
