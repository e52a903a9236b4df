import { Pool } from 'pg'
import type { PoolClient, QueryResult } from 'pg'
import { fail, isFailure } from '#kit'
import type { Failure } from '#kit'
import type { Log } from '../../runtime/ports/index.ts'
import type { Done, Row } from '../sqlite.ts'
import { readDatabaseUrl } from './address.ts'
import type { Query } from './text.ts'

/** Schema of our tables; pg-boss has one of its own. */
export const schema = 'toolyard'
export const jobsSchema = 'toolyard_jobs'

export type PostgresOptions = {
  /** `postgres://user:password@host:port/database` */
  url: string
  log: Log
  /** Connections that this process opens at most, those of the queue aside. */
  connections?: number
  /** Names this process in the rows that it begins or claims. */
  node?: string
}

/**
 * `lock_timeout`: longer than any write of ours takes. `idle_in_transaction_session_timeout`: a transaction of a process that is gone ends.
 * `synchronous_commit`: what is acknowledged is on the disk of the server, whatever its default is.
 */
const settings = `set search_path to ${schema}; set standard_conforming_strings to on; set client_min_messages to warning; set timezone to 'UTC';
  set statement_timeout to '60s'; set lock_timeout to '20s'; set idle_in_transaction_session_timeout to '20s';
  set synchronous_commit to on`

/** Numbers come as numbers: times in ms and counts are well below 2^53. Bytes come as such. */
const bytea = 17
const numbers = new Set([20, 21, 23, 26, 700, 701, 1700])
const types = {
  getTypeParser: (oid: number) => (text: string) => (numbers.has(oid) ? Number(text) : oid === bytea ? bytesOf(text) : text),
}
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), 'hex'))

/** One connection. */
export type Connection = {
  /** Sends all of them before the first answer; gives the result of each. Fails with the first that fails. */
  send(queries: Query[]): Promise<Done[]>
  /** Runs a text of one or several statements without values; gives the result of each. */
  script(text: string): Promise<Done[]>
}
export type Connections = Connection & {
  /** For what must stay on one connection. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export const openConnections = ({ url, log, connections = 10, node }: PostgresOptions): Connections => {
  const perConnection = node === undefined ? settings : `${settings}; set toolyard.node to '${node}'`
  const pool = new Pool({
    connectionString: readDatabaseUrl(url),
    max: connections,
    application_name: 'toolyard',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types: types as never,
    pipeline: true,
  })
  // An idle connection that ends is replaced when one is needed.
  // One that is in use fails its statements; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', (error) => log('warn', 'store.connection_lost', { reason: codeOf(error) ?? 'unknown' }))
  /** Those set up since the schema changed last; what others have prepared may be stale. */
  let isCurrent = new WeakSet<PoolClient>()
  const wasSet = new WeakSet<PoolClient>()
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect()
    if (isCurrent.has(client)) return client
    if (wasSet.has(client)) {
      client.release(true)
      return connect()
    }
    try {
      await client.query(perConnection)
      isCurrent.add(client)
      wasSet.add(client)
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }
  const use: Connections['use'] = async (work) => {
    let client: PoolClient
    try {
      client = await connect()
    } catch (error) {
      throw toFailure(error, 'before')
    }
    let isBroken = false
    const failed = (error: unknown) => {
      if (codeOf(error) === staleStatement) isCurrent = new WeakSet()
      isBroken ||= isLost(error) || codeOf(error) === staleStatement
      return toFailure(error, 'during')
    }
    try {
      return await work({
        async send(queries) {
          const results = await Promise.allSettled(queries.map((query) => client.query<Row>(query)))
          const wrong = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
          if (wrong) throw failed(wrong.reason)
          return (results as PromiseFulfilledResult<QueryResult>[]).map(({ value }) => resultOf(value))
        },
        async script(text) {
          try {
            const given: QueryResult | QueryResult[] = await client.query(text)
            return (Array.isArray(given) ? given : [given]).map(resultOf)
          } catch (error) {
            throw failed(error)
          }
        },
      })
    } finally {
      client.release(isBroken)
    }
  }
  return { send: (queries) => use(({ send }) => send(queries)), script: (text) => use(({ script }) => script(text)), use, close: () => pool.end() }
}

const resultOf = ({ rows, rowCount, fields }: QueryResult): Done =>
  fields.length > 0 ? { rows: rows as Row[], changes: rows.length } : { rows: [], changes: rowCount ?? 0 }

const codeOf = (error: unknown) => (error as { code?: string } | undefined)?.code
/** A prepared statement gives other columns since the schema was upgraded; another connection prepares it anew. */
const staleStatement = '0A000'

/** A code of the server has five characters. So has EPIPE, which is of the socket; no class of the server's codes begins with E. */
const isOfServer = (code: string) => /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code)

/** Without a code of the server the connection itself failed; 57P0x: the server is shutting down or starting. */
const isLost = (error: unknown) => !isOfServer(codeOf(error) ?? '') || /^(08|57P0)/.test(codeOf(error)!)

/** Codes after which the same statements may be tried again: nothing of them was written. */
export const isContention = (thrown: unknown): boolean =>
  isFailure(thrown) && ['40001', '40P01', '55P03', staleStatement].includes(codeOf((thrown as { cause?: unknown }).cause) ?? '')

/** Whether the connection failed, so that it is not known what was written. */
export const isConnectionFailure = (thrown: unknown): boolean =>
  isFailure(thrown) && thrown.code === 'unavailable' && isLost((thrown as { cause?: unknown }).cause)

const remedies: { [code: string]: string } = {
  '28P01': 'the password of DATABASE_URL is wrong',
  '28000': 'the user of DATABASE_URL may not connect',
  '3D000': 'the database of DATABASE_URL does not exist; create it',
  '42501': 'the user of DATABASE_URL lacks a permission; it needs to create schemas and tables in this database',
  '53300': 'the server has no connection left; raise its max_connections (each toolyard server takes up to 15)',
  '53100': 'the disk of the database is full; free some space',
  '25006': 'the database is read-only; give the address of the primary server',
  '57P01': 'the server is shutting down',
  '57P03': 'the server is starting; try again in a moment',
  '57014': 'a statement took too long',
  '55P03': 'a lock was not given in time',
}

/** What the database can never store: a text that is no UTF-8, or is too long for an index. */
const refusedTexts = ['22021', '54000']

/** Codes of what the fence and other guards of the schema raise. */
const guards: { [code: string]: [Failure['code'], string] } = {
  TY001: ['conflict', 'Another process has taken over this work.'],
  TY002: ['unavailable', 'A subscription was changed by another process, which this one does not know yet. Try again in a moment.'],
}

/** Whether a unit was refused because another process changed subscriptions that this one has not read yet. */
export const isBehind = (thrown: unknown): boolean => isFailure(thrown) && codeOf((thrown as { cause?: unknown }).cause) === 'TY002'

const toFailure = (error: unknown, when: 'before' | 'during'): Failure => {
  const code = codeOf(error) ?? ''
  const guard = guards[code]
  if (guard) return fail(...guard, { cause: error })
  if (code === '23505') return fail('conflict', 'A row with this id exists already.', { cause: error })
  if (refusedTexts.includes(code))
    return fail('invalid_input', 'A text of this is too long for the database, or has a character that it cannot store. Shorten it.', { cause: error })
  const remedy = remedies[code]
  if (remedy) return fail('unavailable', `The database cannot be used: ${remedy}.`, { cause: error })
  if (isLost(error))
    return fail(
      'unavailable',
      when === 'before'
        ? `The database of DATABASE_URL cannot be reached (${code || (error as Error).message}); check that it runs and that the address is right.`
        : 'The connection to the database was lost; try again in a moment.',
      { cause: error },
    )
  return fail('internal', 'A statement of the store failed.', { cause: error })
}
