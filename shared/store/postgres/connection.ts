import { Pool } from 'pg'
import type { PoolClient, QueryConfig } from 'pg'
import { fail, isFailure, isUnavailable } from '#kit'
import type { Failure } from '#kit'
import type { Log } from '../../runtime/ports/index.ts'
import type { StatementResult } from '../sqlite.ts'
import { driverOptions } from './address.ts'
import { resultOf, sendEach, sendTransaction, types } from './batch.ts'
import { ResettableClient } from './client.ts'
import { createLanes } from './lanes.ts'
import type { Held } from './lanes.ts'
import type { Query } from './text.ts'

/** Schema of our tables; pg-boss has its own. */
export const schema = 'toolyard'
export const jobsSchema = 'toolyard_jobs'

export type PostgresOptions = {
  /** `postgres://user:password@host:port/database` */
  url: string
  log: Log
  /** Maximum number of connections this process opens, not counting that of the notifications. */
  connections?: number
  /** Name of this process in the rows that it creates or claims. */
  node?: string
  limits?: Partial<Limits>
}

/**
 * How long this side waits, in ms: for a connection, for the answers to a batch of queries, and for those to a script,
 * which may change a schema. The path to the database can fail silently.
 */
export type Limits = { connectMs: number; answerMs: number; scriptMs: number }
export const defaultLimits: Limits = { connectMs: 5_000, answerMs: 15_000, scriptMs: 75_000 }

export const lockTimeout = '10s'
/**
 * `lock_timeout`: longer than any write of ours takes, and shorter than this side waits, which then knows that nothing
 * was written. `idle_in_transaction_session_timeout`, `tcp_…`: the transaction and the connection of a process that is
 * gone are ended. `synchronous_commit`: what is acknowledged is on the server's disk, whatever its default is.
 */
const settings = `set search_path to ${schema}; set standard_conforming_strings to on; set client_min_messages to warning; set timezone to 'UTC';
  set statement_timeout to '60s'; set lock_timeout to '${lockTimeout}'; set idle_in_transaction_session_timeout to '20s';
  set tcp_keepalives_idle to 10; set tcp_keepalives_interval to 5; set tcp_keepalives_count to 4; set tcp_user_timeout to '30s';
  set synchronous_commit to on`

/** A query and an answer as the driver has them. In words of our own: these types are part of the package's, which has no driver. */
export type DriverQuery = { text: string; name?: string; values?: unknown[]; types?: unknown }
export type DriverAnswer = { rows: unknown[]; rowCount: number | null; fields: unknown[] }

/** One connection. */
export type Connection = {
  /**
   * Sends all queries before the first answer and returns the result of each. Fails with the first failure, or when
   * answers are overdue: then nobody knows whether the queries were carried out.
   */
  send(queries: Query[], withinMs?: number): Promise<StatementResult[]>
  /** The same for a transaction, from `begin` to `commit`. */
  transact(queries: Query[]): Promise<StatementResult[]>
  /** Runs a text of one or several statements without values; returns the result of each. */
  script(text: string, withinMs?: number): Promise<StatementResult[]>
  /** Sends one query; returns what the driver does. */
  ask(query: DriverQuery, withinMs?: number): Promise<DriverAnswer | DriverAnswer[]>
}
export type Connections = Pick<Connection, 'send' | 'script'> & {
  /**
   * On connections that others use at the same time, whose answers come first: for what may wait, such as reads. No
   * query may leave a transaction open. What says that this process is alive, or holds a lease, must not wait here.
   */
  shared: Pick<Connection, 'send' | 'ask'>
  /** For work that must stay on one connection, which is nobody else's meanwhile. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  /** How many connections are in use and idle, and how many callers wait for one or for the answers of others. */
  pool(): { busy: number; idle: number; waiting: number }
  close(): Promise<void>
}

const defaultConnections = 7

const openPool = ({ url, log, connections, node, limits: givenLimits }: PostgresOptions & { connections: number }) => {
  const limits = { ...defaultLimits, ...givenLimits }
  const perConnection = node === undefined ? settings : `${settings}; set toolyard.node to '${node}'`
  const pool = new Pool({
    ...driverOptions(url),
    Client: ResettableClient as unknown as new () => ResettableClient,
    max: connections,
    application_name: 'toolyard',
    connectionTimeoutMillis: limits.connectMs,
    idleTimeoutMillis: 60_000,
    types: types as never,
    pipeline: true,
  })
  // An idle connection that ends is replaced when one is needed.
  // One in use fails its statements; without a listener its error would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', (error) => log('warn', 'store.connection_lost', { reason: codeOf(error) ?? 'unknown' }))
  /**
   * Connections that may still be used. It is emptied when the schema changes, since their prepared statements may be
   * stale, and when one connection was silent, since the others may be silent too.
   */
  let isCurrent = new WeakSet<PoolClient>()
  const wasSet = new WeakSet<PoolClient>()

  const drop = (client: PoolClient) => {
    ;(client as PoolClient & ResettableClient).reset()
    client.release(true)
  }
  /** `answered`: how many answers have come on a connection that others use at the same time. */
  const within = async <T>(ms: number, client: PoolClient, answers: Promise<T>, answered = () => 0): Promise<T> => {
    const before = answered()
    let timer: NodeJS.Timeout | undefined
    let turn: NodeJS.Immediate | undefined
    const overdue = new Promise<never>((_, reject) => {
      const giveUp = () => {
        // Others get answers, so neither the connection nor the database is silent: only this caller has waited enough.
        if (answered() > before) return reject(coded(`others were answered first for ${ms / 1000} s`, queued))
        isCurrent = new WeakSet()
        log('warn', 'store.silent', { ms })
        ;(client as PoolClient & ResettableClient).reset()
        return reject(coded(`no answer within ${ms / 1000} s`, silence))
      }
      // If this process was suspended meanwhile, answers that have arrived are read first.
      timer = setTimeout(() => (turn = setImmediate(giveUp)), ms)
    })
    try {
      return await Promise.race([answers, overdue])
    } finally {
      clearTimeout(timer)
      clearImmediate(turn)
    }
  }

  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect()
    if (isCurrent.has(client)) return client
    if (wasSet.has(client)) {
      drop(client)
      return connect()
    }
    try {
      await within(limits.connectMs, client, client.query(perConnection))
      isCurrent.add(client)
      wasSet.add(client)
      return client
    } catch (error) {
      drop(client)
      throw error
    }
  }
  const take = async (): Promise<Held<Connection>> => {
    let client: PoolClient
    try {
      client = await connect()
    } catch (error) {
      throw toFailure(error, 'before')
    }
    let isBroken = false
    let answerCount = 0
    const failed = (error: unknown) => {
      const isStale = staleStatements.includes(codeOf(error) ?? '')
      if (isStale) isCurrent = new WeakSet()
      isBroken ||= isLost(error) || isStale
      return toFailure(error, 'during')
    }
    const answersWithin = async <T>(ms: number, answers: Promise<T>): Promise<T> => {
      const counted = answers.finally(() => (answerCount += 1))
      return within(ms, client, counted, () => answerCount).catch((error: unknown) => {
        throw failed(error)
      })
    }
    const ask: Connection['ask'] = (query, withinMs = limits.answerMs) =>
      answersWithin<DriverAnswer | DriverAnswer[]>(withinMs, client.query(query as QueryConfig))
    const results = async (ms: number, answers: Promise<StatementResult | StatementResult[]>[]) => {
      const settled = await answersWithin(ms, Promise.allSettled(answers))
      const wrong = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
      if (wrong) throw failed(wrong.reason)
      return (settled as PromiseFulfilledResult<StatementResult | StatementResult[]>[]).flatMap(({ value }) => value)
    }
    const connection: Connection = {
      ask,
      send: (queries, withinMs = limits.answerMs) => results(withinMs, sendEach(client, queries)),
      transact: (queries) => results(limits.answerMs, sendTransaction(client, queries)),
      script: async (text, withinMs = limits.scriptMs) => [await ask({ text }, withinMs)].flat().map(resultOf),
    }
    return {
      connection,
      isUsable: () => !isBroken && isCurrent.has(client),
      free: () => (isBroken ? drop(client) : client.release()),
    }
  }
  return { pool, take }
}

export const openConnections = (options: PostgresOptions): Connections => {
  const { connections = defaultConnections } = options
  const { pool, take } = openPool({ ...options, connections })
  const use: Connections['use'] = async (work) => {
    const { connection, free } = await take()
    try {
      return await work(connection)
    } finally {
      free()
    }
  }
  const { share, waiting } = createLanes(take, { usual: connections >> 1, most: connections - 2 })
  return {
    send: (queries, withinMs) => use(({ send }) => send(queries, withinMs)),
    script: (text, withinMs) => use(({ script }) => script(text, withinMs)),
    shared: {
      send: (queries, withinMs) => share(({ send }) => send(queries, withinMs)),
      ask: (query, withinMs) => share(({ ask }) => ask(query, withinMs)),
    },
    use,
    pool: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + waiting(),
    }),
    close: () => pool.end(),
  }
}

const codeOf = (error: unknown) => (error as { code?: string } | undefined)?.code
const coded = (message: string, code: string) => Object.assign(new Error(message), { code })
/** Our own codes: nothing came back in time, or only what others had sent before. */
const silence = 'SILENT'
const queued = 'QUEUED'
/**
 * Another connection prepares a statement anew. 0A000: the schema was upgraded, and it now returns other columns.
 * 26000: its preparation failed for whoever had sent it first.
 */
const staleStatements = ['0A000', '26000']

/**
 * The server's codes have five characters. So has EPIPE, which comes from the socket; no class of the server's codes
 * begins with E.
 */
const isOfServer = (code: string) => /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code)

/** Without a code of the server, the connection itself failed. 57P0x: the server is shutting down or starting. */
const isLost = (error: unknown) => !isOfServer(codeOf(error) ?? '') || /^(08|57P0)/.test(codeOf(error)!)

/** Whether the same statements may be tried again: nothing of them was written. */
export const isContention = (thrown: unknown): boolean =>
  isFailure(thrown) &&
  ['40001', '40P01', '55P03', ...staleStatements].includes(codeOf((thrown as { cause?: unknown }).cause) ?? '')

/** Whether the connection failed, so that it is not known what was written. */
export const isConnectionFailure = (thrown: unknown): boolean =>
  isUnavailable(thrown) && isLost((thrown as { cause?: unknown }).cause)

const causeOf = (thrown: unknown) => (isFailure(thrown) ? (codeOf((thrown as { cause?: unknown }).cause) ?? '') : '')
/** Whether the database has run out of disk space. */
export const needsSpace = (thrown: unknown): boolean => causeOf(thrown) === '53100'
/** Whether a commit was refused for a reason that would refuse every other one too. 58030: an error of the disk. */
export const isOutage = (thrown: unknown): boolean =>
  isConnectionFailure(thrown) || ['53100', '53200', '25006', '58030'].includes(causeOf(thrown))

const fromWrongAuthority =
  'nobody whom this server trusts has signed its certificate; give its authority as sslrootcert in DATABASE_URL'
const remedies: { [code: string]: string } = {
  DEPTH_ZERO_SELF_SIGNED_CERT: fromWrongAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: fromWrongAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: fromWrongAuthority,
  CERT_SIGNATURE_FAILURE: fromWrongAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: fromWrongAuthority,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name than the host of DATABASE_URL',
  '28P01': 'the password of DATABASE_URL is wrong',
  '28000': 'the user of DATABASE_URL may not connect',
  '3D000': 'the database of DATABASE_URL does not exist; create it',
  '42501': 'the user of DATABASE_URL lacks a permission; it needs to create schemas and tables in this database',
  '53300':
    'the server has no connection left; raise its max_connections (each toolyard server takes up to TOOLYARD_DATABASE_POOL + 1)',
  '53100': 'the disk of the database is full; free some space',
  '53200': 'the server has no memory left',
  '58030': 'the disk of the database reported an error; check the disk',
  '25006': 'the database is read-only; give the address of the primary server',
  '57P01': 'the server is shutting down',
  '57P03': 'the server is starting; try again in a moment',
  '57014': 'a statement took too long',
  '55P03': 'a lock was not given in time',
}

/** Text the database can never store: it is not valid UTF-8, or too long for an index. */
const refusedTexts = ['22021', '54000']

/** Codes that the fence and other guards of the schema raise. */
const guards: { [code: string]: [Failure['code'], string] } = {
  TY001: ['conflict', 'Another process has taken over this work.'],
  TY002: [
    'unavailable',
    'A subscription was changed by another process, which this one does not know yet. Try again in a moment.',
  ],
}

/** Whether a unit was refused because another process changed subscriptions that this one has not read yet. */
export const isBehind = (thrown: unknown): boolean =>
  isFailure(thrown) && codeOf((thrown as { cause?: unknown }).cause) === 'TY002'

const toFailure = (error: unknown, when: 'before' | 'during'): Failure => {
  const code = codeOf(error) ?? ''
  const guard = guards[code]
  if (guard) return fail(...guard, { cause: error })
  if (code === '23505') return fail('conflict', 'A row with this id exists already.', { cause: error })
  if (refusedTexts.includes(code))
    return fail(
      'invalid_input',
      'A text of this is too long for the database, or has a character that it cannot store. Shorten it.',
      { cause: error },
    )
  const remedy = remedies[code]
  if (remedy) return fail('unavailable', `The database cannot be used: ${remedy}.`, { cause: error })
  const isSilent = code === silence || code === queued
  const said = (error as Error).message
  if (isLost(error))
    return fail(
      'unavailable',
      when === 'before'
        ? `The database of DATABASE_URL cannot be reached (${isSilent ? said : code || said}); check that it runs and that the address is right.`
        : isSilent
          ? `The database does not answer (${said}); try again in a moment.`
          : 'The connection to the database was lost; try again in a moment.',
      { cause: error },
    )
  return fail('internal', 'A statement of the store failed.', { cause: error })
}
