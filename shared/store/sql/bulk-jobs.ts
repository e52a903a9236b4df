import type { BulkChunk, BulkJob, Store } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { listed, readCursor, table, wrote } from '../table.ts'

/** The column is `job_order`, because `order` is an SQL keyword. */
type Row = Omit<BulkJob, 'order'> & { jobOrder: BulkJob['order'] }
const jobs = table<Row>('bulk_jobs', {
  tenant: 'plain',
  id: 'plain',
  state: 'plain',
  jobOrder: 'json',
  caller: 'json',
  plan: 'json',
  maxCredits: 'plain',
  confirmed: 'bool',
  cancelling: 'bool',
  reason: 'json',
  result: 'plain',
  rowsPerSecond: 'plain',
  key: 'plain',
  requestHash: 'plain',
  secrets: 'json',
  createdAt: 'plain',
  startedAt: 'plain',
  endedAt: 'plain',
  expiresAt: 'plain',
})
const chunks = table<BulkChunk>('bulk_job_chunks', {
  tenant: 'plain',
  job: 'plain',
  number: 'plain',
  state: 'plain',
  attempt: 'plain',
  results: 'plain',
  matched: 'plain',
  noMatch: 'plain',
  skipped: 'plain',
  suppressed: 'plain',
  error: 'plain',
  credits: 'plain',
  estimatedCredits: 'plain',
})

const toRow = ({ order, ...job }: BulkJob): Row => ({ ...job, jobOrder: order })
const fromRow = (row: Parameters<typeof jobs.fromRow>[0]): BulkJob => {
  const { jobOrder, ...job } = jobs.fromRow(row)
  return { ...job, order: jobOrder }
}

const sums = ['matched', 'no_match', 'skipped', 'suppressed', 'error', 'credits', 'estimated_credits'].map(
  (column) => `coalesce(sum(${column}), 0) as ${column}`,
)

/** `assign` writes null as a value and leaves absent fields unchanged. */
const assigned = (changes: Partial<Row>) => jobs.assign(changes)

export const bulkJobsIn = (db: Db): Store['bulkJobs'] => ({
  add: async (job) => {
    const present = 'select * from bulk_jobs where tenant = ? and (id = ? or key = ?) order by created_at limit 1'
    const [, result] = await db.write(
      [
        { sql: `${jobs.insertSql} on conflict do nothing`, params: jobs.params(toRow(job)) },
        { sql: present, params: [job.tenant, job.id, job.key] },
      ],
      { admits: true },
    )
    return fromRow(result!.rows[0]!)
  },
  get: async (tenant, id) =>
    (await db.read('select * from bulk_jobs where tenant = ? and id = ?', [tenant, id])).map(fromRow)[0],
  byKey: async (tenant, key) =>
    (await db.read('select * from bulk_jobs where tenant = ? and key = ?', [tenant, key])).map(fromRow)[0],
  list: async (tenant, page) => {
    const after = readCursor(page.cursor)
    const from = after ? ' and (created_at, id) < (?, ?)' : ''
    const sql = `select * from bulk_jobs where tenant = ?${from} order by created_at desc, id desc limit ?`
    const rows = await db.read(sql, [tenant, ...(after ? [after.at, after.id] : []), page.limit + 1])
    return listed(rows.map(fromRow), page, ({ createdAt, id }) => ({ at: createdAt, id }))
  },
  patch: async (tenant, id, from, { order, ...changes }, fence) => {
    const { sql, params } = assigned({ ...changes, ...(order === undefined ? {} : { jobOrder: order }) })
    const text = `update bulk_jobs set ${sql} where tenant = ? and id = ? and state in (${from.map(() => '?').join(', ')})`
    return wrote(await db.write([{ sql: text, params: [...params, tenant, id, ...from] }], { fence }))
  },
  waiting: async () => {
    const sql = `select tenant, id from bulk_jobs /* every tenant: bulkJobs.waiting */ where state in ('preparing', 'running') order by created_at`
    return (await db.read(sql, [])).map((row) => ({ tenant: String(row['tenant']), id: String(row['id']) }))
  },
  counts: async (tenant, id) => {
    const [row] = await db.read(`select ${sums.join(', ')} from bulk_job_chunks where tenant = ? and job = ?`, [
      tenant,
      id,
    ])
    const of = (column: string) => Number(row![column])
    return {
      matched: of('matched'),
      noMatch: of('no_match'),
      skipped: of('skipped'),
      suppressed: of('suppressed'),
      error: of('error'),
      credits: of('credits'),
      estimatedCredits: of('estimated_credits'),
    }
  },
  chunk: async (tenant, id, number) =>
    (
      await db.read('select * from bulk_job_chunks where tenant = ? and job = ? and number = ?', [tenant, id, number])
    ).map(chunks.fromRow)[0],
  putChunk: async (chunk, fence) =>
    void (await db.write([chunks.upsert(chunk, ['tenant', 'job', 'number'])], { admits: true, fence })),
  remove: async (tenant, id) => {
    await db.write([
      { sql: 'delete from bulk_job_chunks where tenant = ? and job = ?', params: [tenant, id] },
      { sql: 'delete from bulk_jobs where tenant = ? and id = ?', params: [tenant, id] },
    ])
  },
  dropResults: async (tenant, id, from, before) => {
    const sql = 'update bulk_job_chunks set results = null where tenant = ? and job = ? and number >= ? and number < ?'
    await db.write([{ sql, params: [tenant, id, from, before] }])
  },
})
