import type { Writable } from 'node:stream'
import { Query as PgQuery } from 'pg'
import type { PoolClient, QueryResult } from 'pg'
import type { StatementResult, Row } from '../sqlite.ts'
import type { Query } from './text.ts'

const bytea = 17
/** Numeric types are parsed to numbers: times in ms and counts are well below 2^53. Bytea is parsed to bytes. */
const numbers = new Set([20, 21, 23, 26, 700, 701, 1700])
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), 'hex'))
const textOf = (text: string): string => text
const parserOf = (oid: number) => (numbers.has(oid) ? Number : oid === bytea ? bytesOf : textOf)
/** How the driver parses values. */
export const types = { getTypeParser: parserOf }

/** A column of what a statement returns. */
type Column = { name: string; parse(text: string): Row[string] }

/** What a query of the driver does with the connection. */
type Wire = {
  stream: Writable
  bind(message: { statement: string; values: unknown[] }): void
  execute(message: object): void
  sync(): void
}
type WithWire = PoolClient & { connection: Wire }

/** Of each connection, the statements that it has prepared, by their names. */
const columnsByClient = new WeakMap<PoolClient, Map<string, Column[]>>()

const columnsOf = (client: PoolClient): Map<string, Column[]> => {
  let columns = columnsByClient.get(client)
  if (!columns) columnsByClient.set(client, (columns = new Map()))
  return columns
}

export const resultOf = ({ rows, rowCount, fields }: Pick<QueryResult, 'rows' | 'rowCount'> & { fields: unknown[] }) =>
  (fields.length > 0 ? { rows, changes: rows.length } : { rows: [], changes: rowCount ?? 0 }) as StatementResult

const sendAlone = async (client: PoolClient, query: Query): Promise<StatementResult> => {
  const answer = await client.query<Row>(query)
  const columns = columnsOf(client)
  if (query.name !== '' && !columns.has(query.name))
    columns.set(
      query.name,
      answer.fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) })),
    )
  return resultOf(answer)
}

const toBound = (value: unknown): string | Buffer | null => {
  if (value === null || value === undefined) return null
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : String(value)
}
/** Lists, objects and dates, for which the driver has forms of its own. */
const isStructured = (value: unknown) => typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

/** Of `UPDATE 3`, `INSERT 0 1` or `BEGIN`. */
const countOf = (text: string): number => Number(text.slice(text.lastIndexOf(' ') + 1)) || 0

type Statement = { name: string; values: (string | Buffer | null)[]; columns: Column[] }
type OnEnd = (error: unknown, results: StatementResult[]) => void

/**
 * Statements that the connection has prepared, sent with one Sync at their end: at each Sync the database writes to the
 * socket. Their rows are not described again. Nothing behind a statement that fails is carried out.
 */
class Batch extends PgQuery {
  readonly #statements: Statement[]
  readonly #results: StatementResult[] = []
  readonly #onEnd: OnEnd
  #rows: Row[] = []

  constructor(statements: Statement[], onEnd: OnEnd) {
    super({ text: '' })
    this.#statements = statements
    this.#onEnd = onEnd
  }
  override submit = (connection: unknown): null => {
    const wire = connection as Wire
    for (const { name, values } of this.#statements) {
      wire.bind({ statement: name, values })
      wire.execute({})
    }
    wire.sync()
    return null
  }
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Row = {}
    let at = 0
    for (const { name, parse } of this.#statements[this.#results.length]!.columns) {
      const text = fields[at]!
      row[name] = text === null ? null : parse(text)
      at += 1
    }
    this.#rows.push(row)
  }
  handleCommandComplete({ text }: { text: string }): void {
    const { columns } = this.#statements[this.#results.length]!
    this.#results.push(
      columns.length > 0 ? { rows: this.#rows, changes: this.#rows.length } : { rows: [], changes: countOf(text) },
    )
    this.#rows = []
  }
  handleReadyForQuery(): void {
    this.#onEnd(undefined, this.#results)
  }
  handleError(error: unknown): void {
    this.#onEnd(error, [])
  }
}

const sendBatch = (client: PoolClient, statements: Statement[]) =>
  new Promise<StatementResult[]>((resolve, reject) => {
    client.query(new Batch(statements, (error, results) => (error === undefined ? resolve(results) : reject(error))))
  })

/** In one write to the socket: each write costs both sides a system call, and wakes the database. */
const inOneWrite = <T>(client: PoolClient, send: () => T): T => {
  const { stream } = (client as WithWire).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

/** Sends queries, each of which fails alone. */
export const sendEach = (client: PoolClient, queries: Query[]): Promise<StatementResult>[] =>
  inOneWrite(client, () => queries.map((query) => sendAlone(client, query)))

/**
 * Sends a transaction, from `begin` to `commit`. The end is apart from the rest, because after a statement that fails it
 * rolls the others back.
 */
export const sendTransaction = (
  client: PoolClient,
  queries: Query[],
): Promise<StatementResult | StatementResult[]>[] => {
  const columnsByName = columnsOf(client)
  const statements: Statement[] = []
  for (const { name, values } of queries.slice(0, -1)) {
    const columns = columnsByName.get(name)
    if (!columns || values.some(isStructured)) return sendEach(client, queries)
    statements.push({ name, values: values.map(toBound), columns })
  }
  return inOneWrite(client, () => [sendBatch(client, statements), sendAlone(client, queries.at(-1)!)])
}
