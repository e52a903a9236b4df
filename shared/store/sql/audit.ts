import { fail } from '#kit'
import type { AuditEntry, AuditRow, AuditVerdict, Store } from '../../runtime/ports.ts'
import { breakAt, linkTo, noLink } from '../audit-chain.ts'
import type { Link } from '../audit-chain.ts'
import type { Db, Statement } from '../commit.ts'
import { alsoWhere, listed, table } from '../table.ts'

const audit = table<AuditRow>('audit', {
  tenant: 'plain',
  seq: 'plain',
  at: 'plain',
  actor: 'plain',
  startId: 'plain',
  runId: 'plain',
  integration: 'plain',
  connection: 'plain',
  method: 'plain',
  path: 'plain',
  outcome: 'plain',
  providerStatus: 'plain',
  decision: 'plain',
  keyId: 'plain',
  before: 'plain',
  hash: 'plain',
})

type Waiting = { entry: AuditEntry; resolve(): void; reject(failure: unknown): void }
/** `head` is forgotten after a failed write and read again. */
type Chain = { head: Link | undefined; waiting: Waiting[]; writing: Promise<void> | undefined }

const rowsPerWrite = 500

/** `settled` resolves when everything appended so far is durable or refused. */
export const auditIn = (db: Db): { audit: Store['audit']; settled(): Promise<void> } => {
  const chains = new Map<string, Chain>()

  const readEnds = async (tenant: string): Promise<{ anchor: Link; head: Link }> => {
    const [row] = await db.read('select * from audit_chains where tenant = ?', [tenant])
    if (!row) return { anchor: noLink, head: noLink }
    return {
      anchor: { seq: Number(row['anchor_seq']), hash: String(row['anchor_hash']) },
      head: { seq: Number(row['head_seq']), hash: String(row['head_hash']) },
    }
  }

  /** One write at a time per tenant: a row's hash needs the one before it to be settled. */
  const writeWaiting = async (tenant: string, chain: Chain): Promise<void> => {
    while (chain.waiting.length > 0) {
      const batch = chain.waiting.splice(0, rowsPerWrite)
      try {
        let link = chain.head ?? (await readEnds(tenant)).head
        const statements: Statement[] = []
        for (const { entry } of batch) {
          const row = linkTo(link, entry)
          statements.push(audit.insert(row))
          link = row
        }
        const head = { seq: link.seq, hash: link.hash }
        await db.write([...statements, putHead(tenant, head)])
        chain.head = head
        for (const { resolve } of batch) resolve()
      } catch (error) {
        chain.head = undefined
        for (const { reject } of batch) reject(error)
      }
    }
    chain.writing = undefined
  }

  const log: Store['audit'] = {
    append: (entry) =>
      new Promise((resolve, reject) => {
        let chain = chains.get(entry.tenant)
        if (!chain) chains.set(entry.tenant, (chain = { head: undefined, waiting: [], writing: undefined }))
        chain.waiting.push({ entry, resolve, reject })
        chain.writing ??= writeWaiting(entry.tenant, chain)
      }),
    list: async (tenant, page, filter = {}) => {
      const also = alsoWhere({ connection: filter.connection, outcome: filter.outcome, actor: filter.actor })
      const after = page.cursor === undefined ? undefined : Number(page.cursor)
      if (after !== undefined && !Number.isSafeInteger(after))
        throw fail('invalid_input', 'cursor is not one that this list gave out; leave it away to start at the newest.')
      const from = after === undefined ? '' : ' and seq < ?'
      const sql = `select * from audit where tenant = ?${also.sql}${from} order by seq desc limit ?`
      const rows = (await db.read(sql, [tenant, ...also.params, ...(after === undefined ? [] : [after]), page.limit + 1])).map(audit.fromRow)
      const { items, next } = listed(rows, page, (row) => ({ at: row.seq, id: 'seq' }))
      return next === undefined ? { items } : { items, next: String(items.at(-1)!.seq) }
    },
    verify: async (tenant): Promise<AuditVerdict> => {
      const { anchor, head } = await readEnds(tenant)
      let link = anchor
      for (;;) {
        const sql = 'select * from audit where tenant = ? and seq > ? and seq <= ? order by seq limit 1000'
        const rows = (await db.read(sql, [tenant, link.seq, head.seq])).map(audit.fromRow)
        for (const row of rows) {
          const reason = breakAt(link, row)
          if (reason) return { ok: false, seq: link.seq + 1, reason }
          link = row
        }
        if (rows.length === 0) break
      }
      if (link.seq !== head.seq || link.hash !== head.hash) return { ok: false, seq: link.seq + 1, reason: 'the newest rows are missing' }
      return { ok: true, rows: head.seq - anchor.seq }
    },
  }
  return { audit: log, settled: async () => void (await Promise.all([...chains.values()].flatMap(({ writing }) => writing ?? []))) }
}

const putHead = (tenant: string, head: Link): Statement => ({
  sql: `insert into audit_chains (tenant, anchor_seq, anchor_hash, head_seq, head_hash) values (?, 0, '', ?, ?)
    on conflict (tenant) do update set head_seq = excluded.head_seq, head_hash = excluded.head_hash`,
  params: [tenant, head.seq, head.hash],
})

/** Removes the tenant's rows older than `before`, and keeps the last one's number and hash as the new beginning of the chain. */
export const pruneAudit = async (db: Db, tenant: string, before: number, limit: number): Promise<number> => {
  const rows = await db.read('select seq, at, hash from audit where tenant = ? order by seq limit ?', [tenant, limit])
  const young = rows.findIndex((row) => Number(row['at']) >= before)
  const old = young === -1 ? rows : rows.slice(0, young)
  const last = old.at(-1)
  if (!last) return 0
  await db.write([
    { sql: 'delete from audit where tenant = ? and seq <= ?', params: [tenant, Number(last['seq'])] },
    { sql: 'update audit_chains set anchor_seq = ?, anchor_hash = ? where tenant = ?', params: [Number(last['seq']), String(last['hash']), tenant] },
  ])
  return old.length
}
