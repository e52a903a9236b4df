import { fail, isInvalidInput } from '#kit'
import type { AuditEntry, AuditRow, Signer, Store } from '../../runtime/ports/index.ts'
import { linkTo, noLink } from '../audit-chain.ts'
import type { Link } from '../audit-chain.ts'
import type { Db } from '../commit.ts'
import { alsoWhere, listed } from '../table.ts'
import { verifyChain } from './audit-check.ts'
import { audit, createSignatures, headOf, readEnds, writeRows } from './audit-ends.ts'
import type { Ends, Head, Signatures } from './audit-ends.ts'
import { newest } from './newest.ts'

/** An entry that waits to be written. Without an entry, only the ends are signed again. */
type QueuedEntry = { entry?: AuditEntry; resolve(): void; reject(failure: unknown): void }
/** `head` is dropped after a failed write and read again before the next one. */
type Chain = { head: Head | undefined; queue: QueuedEntry[]; writing: Promise<void> | undefined }
/** Signs the new start of a chain, provided that the former start was as this server left it. */
export type AnchorTo = (tenant: string, anchor: Link) => Promise<string | null>

const rowsPerWrite = 500

const listIn =
  (db: Db): Store['audit']['list'] =>
  async (tenant, page, filter = {}) => {
    const after = page.cursor === undefined ? undefined : Number(page.cursor)
    if (after !== undefined && !Number.isSafeInteger(after))
      throw fail('invalid_input', 'cursor is not one that this list returned; omit it to start at the newest.')
    const rows = await newest(db, {
      table: 'audit',
      keys: ['seq'],
      within: { sql: 'tenant = ?', params: [tenant] },
      filter: alsoWhere({ connection: filter.connection, outcome: filter.outcome, actor: filter.actor }),
      after: after === undefined ? undefined : [after],
      rows: page.limit + 1,
    })
    const { items, next } = listed(rows.map(audit.fromRow), page, (row) => ({ at: row.seq, id: 'seq' }))
    return next === undefined ? { items } : { items, next: String(items.at(-1)!.seq) }
  }

/** The rows of entries, each linked to the one before it. */
const linkRows = (before: Link, batch: QueuedEntry[]): AuditRow[] => {
  let link = before
  return batch.flatMap(({ entry }) => {
    if (!entry) return []
    const row = linkTo(link, entry)
    link = row
    return [row]
  })
}

/**
 * Where the chain continues. Changes from outside must not be signed as our own, so `brokenAt` is stored permanently.
 */
const openHead = async (db: Db, signatures: Signatures, tenant: string): Promise<Head> => {
  const ends = await readEnds(db, tenant)
  if (ends) {
    const head = headOf(ends)
    const isOurs = !signatures.areUsed() || head.brokenAt !== null || signatures.isHeadSigned(tenant, ends)
    return isOurs ? head : { ...head, brokenAt: head.link.seq + 1 }
  }
  const [last] = await db.read('select seq, hash from audit where tenant = ? order by seq desc limit 1', [tenant])
  if (!last) return { link: noLink, keyedFrom: signatures.areUsed() ? 1 : null, brokenAt: null }
  // Another process may have begun the chain between the two reads; it writes rows and ends together.
  if (await readEnds(db, tenant)) return openHead(db, signatures, tenant)
  const link = { seq: Number(last['seq']), hash: String(last['hash']) }
  return { link, keyedFrom: link.seq + 1, brokenAt: link.seq + 1 }
}

/**
 * Appends to the chains of tenants, one write at a time for each: the hash of a row needs the final hash of the row
 * before it.
 */
const createChainWriter = (db: Db, signatures: Signatures) => {
  const chains = new Map<string, Chain>()

  const writeQueue = async (tenant: string, chain: Chain): Promise<void> => {
    // Entries of the same turn share one write.
    await Promise.resolve()
    let oneByOne = 0
    while (chain.queue.length > 0) {
      const batch = chain.queue.splice(0, oneByOne > 0 ? 1 : rowsPerWrite)
      oneByOne = Math.max(0, oneByOne - 1)
      try {
        const before = chain.head ?? (await openHead(db, signatures, tenant))
        const rows = linkRows(before.link, batch)
        const { seq, hash } = rows.at(-1) ?? before.link
        const head: Head = { ...before, link: { seq, hash } }
        if (!(await writeRows(db, tenant, before.link, rows, head, signatures.signHead(tenant, head)))) {
          // Another process has written to this chain, so nothing was written here; continue from the new end.
          chain.head = undefined
          chain.queue.unshift(...batch)
          continue
        }
        chain.head = head
        for (const { resolve } of batch) resolve()
      } catch (error) {
        chain.head = undefined
        // The database will never accept one of the rows, so the others are written one by one without it.
        if (batch.length > 1 && isInvalidInput(error)) {
          oneByOne = batch.length
          chain.queue.unshift(...batch)
        } else for (const { reject } of batch) reject(error)
      }
    }
    chain.writing = undefined
  }

  return {
    append: (tenant: string, entry?: AuditEntry) =>
      new Promise<void>((resolve, reject) => {
        let chain = chains.get(tenant)
        if (!chain) chains.set(tenant, (chain = { head: undefined, queue: [], writing: undefined }))
        chain.queue.push({ ...(entry ? { entry } : {}), resolve, reject })
        chain.writing ??= writeQueue(tenant, chain)
      }),
    /** Resolves when everything appended so far is durable or refused. */
    settled: async () => void (await Promise.all([...chains.values()].flatMap(({ writing }) => writing ?? []))),
  }
}

/** Accepts a chain from before chains were signed as it is; `keyedFrom` records where signing began. */
const adopt = async (db: Db, tenant: string, ends: Ends, signatures: Signatures) => {
  const head: Head = { link: ends.head, keyedFrom: ends.head.seq + 1, brokenAt: null }
  const sql = 'update audit_chains set keyed_from = ?, head_mac = ?, anchor_mac = ? where tenant = ?'
  await db.write([
    {
      sql,
      params: [head.keyedFrom, signatures.signHead(tenant, head), signatures.signAnchor(tenant, ends.anchor), tenant],
    },
  ])
}

/** `settled` resolves when everything appended so far is durable or refused. */
export const auditIn = (db: Db): { audit: Store['audit']; settled(): Promise<void>; anchorTo: AnchorTo } => {
  const signatures = createSignatures()
  const writer = createChainWriter(db, signatures)

  const anchorTo: AnchorTo = async (tenant, anchor) => {
    if (!signatures.areUsed()) return null
    const ends = await readEnds(db, tenant)
    const wasOurs = !ends || ends.anchor.seq === 0 || signatures.isAnchorSigned(tenant, ends)
    return wasOurs ? signatures.signAnchor(tenant, anchor) : ''
  }

  const signAgain = async (tenant: string, { anchor }: Ends) => {
    const mac = await anchorTo(tenant, anchor)
    await db.write([
      {
        sql: 'update audit_chains set anchor_mac = ? where tenant = ? and anchor_seq = ?',
        params: [mac, tenant, anchor.seq],
      },
    ])
    await writer.append(tenant)
  }

  const signWith = async (by: Signer) => {
    signatures.setSigner(by)
    const isFirst = (await db.read(`select value from meta where name = 'audit_signed'`, [])).length === 0
    const rows = await db.read('select tenant, head_mac from audit_chains /* every tenant: audit.signWith */', [])
    for (const { tenant: name, head_mac: mac } of rows) {
      const tenant = String(name)
      if (mac !== null && by.signedUnder(String(mac)) === by.keyId) continue
      const ends = (await readEnds(db, tenant))!
      if (mac === null && isFirst) await adopt(db, tenant, ends, signatures)
      else await signAgain(tenant, ends)
    }
    if (isFirst)
      await db.write([
        {
          sql: `insert into meta (name, value) values ('audit_signed', '1') on conflict (name) do nothing`,
          params: [],
        },
      ])
  }

  return {
    audit: {
      append: (entry) => writer.append(entry.tenant, entry),
      list: listIn(db),
      verify: (tenant, exported) => verifyChain(db, signatures, tenant, exported),
      head: async (tenant) => (await readEnds(db, tenant))?.head ?? noLink,
      signWith,
    },
    settled: writer.settled,
    anchorTo,
  }
}

/**
 * Deletes the tenant's rows older than `before` (ms), at most `limit`. The last one deleted becomes the new start of
 * the chain.
 */
export const pruneAudit = async (
  db: Db,
  tenant: string,
  before: number,
  limit: number,
  anchorTo?: AnchorTo,
): Promise<number> => {
  const rows = await db.read('select seq, at, hash from audit where tenant = ? order by seq limit ?', [tenant, limit])
  const young = rows.findIndex((row) => Number(row['at']) >= before)
  const old = young === -1 ? rows : rows.slice(0, young)
  const last = old.at(-1)
  if (!last) return 0
  const anchor = { seq: Number(last['seq']), hash: String(last['hash']) }
  const mac = (await anchorTo?.(tenant, anchor)) ?? null
  await db.write([
    { sql: 'delete from audit where tenant = ? and seq <= ?', params: [tenant, anchor.seq] },
    {
      sql: 'update audit_chains set anchor_seq = ?, anchor_hash = ?, anchor_mac = ? where tenant = ? and anchor_seq < ?',
      params: [anchor.seq, anchor.hash, mac, tenant, anchor.seq],
    },
  ])
  return old.length
}

/** Deletes all but the newest rows of a tenant. */
export const trimAudit = async (db: Db, tenant: string, rows: number, anchorTo?: AnchorTo): Promise<void> => {
  const [row] = await db.read('select count(*) as n from audit where tenant = ?', [tenant])
  const excess = Number(row!['n']) - rows
  if (excess > 0) await pruneAudit(db, tenant, Infinity, excess, anchorTo)
}
