import { setImmediate as pause } from 'node:timers/promises'
import { fail, isInvalidInput } from '#kit'
import type { AuditEntry, AuditHead, AuditRow, AuditVerdict, Signer, Store } from '../../runtime/ports/index.ts'
import { breakAt, linkTo, noLink } from '../audit-chain.ts'
import type { Link } from '../audit-chain.ts'
import type { Db, Statement } from '../commit.ts'
import { alsoWhere, listed, table } from '../table.ts'
import { newest } from './newest.ts'

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

/** Without an entry: the ends are only signed again. */
type Waiting = { entry?: AuditEntry; resolve(): void; reject(failure: unknown): void }
/** What is stored about a chain besides its rows. `brokenAt`: when this row was to be written, the end of the chain was not as this server had left it. */
type Ends = { anchor: Link; head: Link; headMac: string | null; anchorMac: string | null; keyedFrom: number | null; brokenAt: number | null }
type Head = Pick<Ends, 'keyedFrom' | 'brokenAt'> & { link: Link }
/** `head` is dropped after a failed write, and read again. */
type Chain = { head: Head | undefined; waiting: Waiting[]; writing: Promise<void> | undefined }
/** Signs the new start of a chain if the former one was as this server left it. */
export type AnchorTo = (tenant: string, anchor: Link) => Promise<string | null>

const rowsPerWrite = 500

const headText = (tenant: string, { link, keyedFrom, brokenAt }: Head) => JSON.stringify(['audit head v1', tenant, link.seq, link.hash, keyedFrom, brokenAt])
const anchorText = (tenant: string, { seq, hash }: Link) => JSON.stringify(['audit anchor v1', tenant, seq, hash])
const numberIn = (value: unknown) => (value === null ? null : Number(value))
const textIn = (value: unknown) => (value === null ? null : String(value))

const readEnds = async (db: Db, tenant: string): Promise<Ends | undefined> => {
  const [row] = await db.read('select * from audit_chains where tenant = ?', [tenant])
  return (
    row && {
      anchor: { seq: Number(row['anchor_seq']), hash: String(row['anchor_hash']) },
      head: { seq: Number(row['head_seq']), hash: String(row['head_hash']) },
      headMac: textIn(row['head_mac']),
      anchorMac: textIn(row['anchor_mac']),
      keyedFrom: numberIn(row['keyed_from']),
      brokenAt: numberIn(row['broken_at']),
    }
  )
}

const headOf = ({ head, keyedFrom, brokenAt }: Ends): Head => ({ link: head, keyedFrom, brokenAt })

/** A chain from before chains were signed: it is accepted as it is, and the signature covers where signing began. */
const adopt = async (db: Db, tenant: string, ends: Ends, by: Signer) => {
  const head: Head = { link: ends.head, keyedFrom: ends.head.seq + 1, brokenAt: null }
  const sql = 'update audit_chains set keyed_from = ?, head_mac = ?, anchor_mac = ? where tenant = ?'
  await db.write([{ sql, params: [head.keyedFrom, by.sign(headText(tenant, head)), by.sign(anchorText(tenant, ends.anchor)), tenant] }])
}

/** What one slice of the check costs is some milliseconds of the event loop. */
const rowsPerCheck = 250

/**
 * Checks the rows between the ends, in slices, so that others go on in between. `exported`: a head that must be among them. Retention may remove
 * rows meanwhile: the check then goes on from the new beginning, which `anchor` is in the end.
 */
const walk = async (
  db: Db,
  tenant: string,
  ends: Ends,
  exported: AuditHead | undefined,
): Promise<{ anchored: Ends; found?: { seq: number; reason: string } }> => {
  const { head } = ends
  let anchored = ends
  let link = ends.anchor
  const covers = ({ seq, hash }: Link) => exported === undefined || exported.seq < seq || (exported.seq === seq && exported.hash === hash)
  let isFound = covers(link)
  for (;;) {
    const sql = 'select * from audit where tenant = ? and seq > ? and seq <= ? order by seq limit ?'
    const rows = (await db.read(sql, [tenant, link.seq, head.seq, rowsPerCheck])).map(audit.fromRow)
    if (rows[0]?.seq !== link.seq + 1) {
      const now = (await readEnds(db, tenant)) ?? anchored
      if (now.anchor.seq > link.seq) {
        anchored = now
        link = now.anchor
        isFound ||= covers(link)
        if (link.seq >= head.seq) return { anchored }
        continue
      }
    }
    for (const row of rows) {
      const reason = breakAt(link, row)
      if (reason) return { anchored, found: { seq: link.seq + 1, reason } }
      link = row
      isFound ||= row.seq === exported!.seq && row.hash === exported!.hash
    }
    if (rows.length === 0) break
    await pause()
  }
  if (link.seq !== head.seq || link.hash !== head.hash) return { anchored, found: { seq: link.seq + 1, reason: 'the newest rows are missing' } }
  if (isFound) return { anchored }
  const found =
    exported!.seq > head.seq
      ? { seq: head.seq + 1, reason: 'rows up to the exported head are missing' }
      : { seq: exported!.seq, reason: 'the row is not the one of the exported head' }
  return { anchored, found }
}

/** Without stored ends there must be no rows, and no exported head. */
const foundWithout = async (db: Db, tenant: string, exported: AuditHead | undefined) => {
  const rows = await db.read('select seq from audit where tenant = ? limit 1', [tenant])
  return rows.length > 0 || (exported?.seq ?? 0) > 0 ? { seq: 1, reason: 'the ends of the chain are missing' } : undefined
}

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

/**
 * The hash of the newest row covers all rows before it, so one signature over it shows that none was modified, removed or relinked: that
 * signature needs the master key, not only the database. Truncation to an earlier signed end shows against an exported head.
 * `settled` resolves when everything appended so far is durable or refused.
 */
export const auditIn = (db: Db): { audit: Store['audit']; settled(): Promise<void>; anchorTo: AnchorTo } => {
  const chains = new Map<string, Chain>()
  let signer: Signer | undefined

  const isSigned = (text: string, signature: string | null) => signature !== null && signer?.verify(text, signature) === true

  /** Where the chain continues. Outside changes must not be signed as our own, so `brokenAt` is stored permanently. */
  const openHead = async (tenant: string): Promise<Head> => {
    const ends = await readEnds(db, tenant)
    if (ends) {
      const head = headOf(ends)
      return !signer || head.brokenAt !== null || isSigned(headText(tenant, head), ends.headMac) ? head : { ...head, brokenAt: head.link.seq + 1 }
    }
    const [last] = await db.read('select seq, hash from audit where tenant = ? order by seq desc limit 1', [tenant])
    if (!last) return { link: noLink, keyedFrom: signer ? 1 : null, brokenAt: null }
    const link = { seq: Number(last['seq']), hash: String(last['hash']) }
    return { link, keyedFrom: link.seq + 1, brokenAt: link.seq + 1 }
  }

  /** One write at a time per tenant: the hash of a row needs the final hash of the row before it. */
  const writeWaiting = async (tenant: string, chain: Chain): Promise<void> => {
    // Those of the same turn share one write.
    await Promise.resolve()
    let oneByOne = 0
    while (chain.waiting.length > 0) {
      const batch = chain.waiting.splice(0, oneByOne > 0 ? 1 : rowsPerWrite)
      oneByOne = Math.max(0, oneByOne - 1)
      try {
        const before = chain.head ?? (await openHead(tenant))
        const rows = linked(before.link, batch)
        const { seq, hash } = rows.at(-1) ?? before.link
        const head: Head = { ...before, link: { seq, hash } }
        const mac = signer?.sign(headText(tenant, head)) ?? null
        if (!(await writeRows(db, tenant, before.link, rows, head, mac))) {
          // Another process has written to this chain, so nothing was written here: on from its end.
          chain.head = undefined
          chain.waiting.unshift(...batch)
          continue
        }
        chain.head = head
        for (const { resolve } of batch) resolve()
      } catch (error) {
        chain.head = undefined
        // The database refuses a row for good; those that came with it are then written without it, one by one.
        if (batch.length > 1 && isInvalidInput(error)) {
          oneByOne = batch.length
          chain.waiting.unshift(...batch)
        } else for (const { reject } of batch) reject(error)
      }
    }
    chain.writing = undefined
  }

  const queue = (tenant: string, entry?: AuditEntry) =>
    new Promise<void>((resolve, reject) => {
      let chain = chains.get(tenant)
      if (!chain) chains.set(tenant, (chain = { head: undefined, waiting: [], writing: undefined }))
      chain.waiting.push({ ...(entry ? { entry } : {}), resolve, reject })
      chain.writing ??= writeWaiting(tenant, chain)
    })

  const anchorTo: AnchorTo = async (tenant, anchor) => {
    if (!signer) return null
    const ends = await readEnds(db, tenant)
    const wasOurs = !ends || ends.anchor.seq === 0 || isSigned(anchorText(tenant, ends.anchor), ends.anchorMac)
    return wasOurs ? signer.sign(anchorText(tenant, anchor)) : ''
  }

  const signAgain = async (tenant: string, { anchor }: Ends) => {
    const mac = await anchorTo(tenant, anchor)
    await db.write([{ sql: 'update audit_chains set anchor_mac = ? where tenant = ? and anchor_seq = ?', params: [mac, tenant, anchor.seq] }])
    await queue(tenant)
  }

  const signWith = async (by: Signer) => {
    signer = by
    const isFirst = (await db.read(`select value from meta where name = 'audit_signed'`, [])).length === 0
    const rows = await db.read('select tenant, head_mac from audit_chains /* every tenant: audit.signWith */', [])
    for (const { tenant: name, head_mac: mac } of rows) {
      const tenant = String(name)
      if (mac !== null && by.signedUnder(String(mac)) === by.keyId) continue
      const ends = (await readEnds(db, tenant))!
      if (mac === null && isFirst) await adopt(db, tenant, ends, by)
      else await signAgain(tenant, ends)
    }
    if (isFirst) await db.write([{ sql: `insert into meta (name, value) values ('audit_signed', '1') on conflict (name) do nothing`, params: [] }])
  }

  /** Why the ends of a chain are not as this server left them; undefined if they are. */
  const foundOutside = (tenant: string, ends: Ends): { seq: number; reason: string } | undefined => {
    if (!signer) return undefined
    if (ends.brokenAt !== null) return { seq: ends.brokenAt, reason: 'the rows before this one were changed outside of the server, or their key is lost' }
    if (ends.anchor.seq > 0 && !isSigned(anchorText(tenant, ends.anchor), ends.anchorMac))
      return { seq: ends.anchor.seq + 1, reason: 'the beginning of the chain was changed outside of the server' }
    if (isSigned(headText(tenant, headOf(ends)), ends.headMac)) return undefined
    return { seq: ends.head.seq, reason: 'the end of the chain has no signature of this server: rows were modified, removed or truncated' }
  }

  const log: Store['audit'] = {
    append: (entry) => queue(entry.tenant, entry),
    list: listIn(db),
    verify: async (tenant, exported): Promise<AuditVerdict> => {
      const ends = await readEnds(db, tenant)
      if (!ends) {
        const found = await foundWithout(db, tenant, exported)
        return found ? { ok: false, ...found } : { ok: true, rows: 0 }
      }
      const walked = await walk(db, tenant, ends, exported)
      const { anchor, anchorMac } = walked.anchored
      const found = walked.found ?? foundOutside(tenant, { ...ends, anchor, anchorMac })
      if (found) return { ok: false, ...found }
      const { head, keyedFrom } = ends
      return { ok: true, rows: Math.max(0, head.seq - anchor.seq), ...(keyedFrom !== null && keyedFrom > anchor.seq + 1 ? { keyedFrom } : {}) }
    },
    head: async (tenant) => (await readEnds(db, tenant))?.head ?? noLink,
    signWith,
  }
  return { audit: log, settled: async () => void (await Promise.all([...chains.values()].flatMap(({ writing }) => writing ?? []))), anchorTo }
}

/** For chains that several processes write to: rows and head are written only where the chain still ends where it was read. */
const endsAt = (tenant: string, { seq, hash }: Link): Statement => ({ sql: 'tenant = ? and head_seq = ? and head_hash = ?', params: [tenant, seq, hash] })
const insertAfter = (row: AuditRow, before: Link): Statement => {
  const { params } = audit.insert(row)
  const end = endsAt(row.tenant, before)
  const values = audit.columns.map(() => '?').join(', ')
  return {
    sql: `insert into audit (${audit.columns.join(', ')}) select ${values} where exists (select 1 from audit_chains where ${end.sql})`,
    params: [...params, ...end.params],
  }
}
const beginAt = (tenant: string, { seq, hash }: Link): Statement => ({
  sql: `insert into audit_chains (tenant, anchor_seq, anchor_hash, head_seq, head_hash) values (?, 0, '', ?, ?) on conflict (tenant) do nothing`,
  params: [tenant, seq, hash],
})
const moveHead = (tenant: string, { link, keyedFrom, brokenAt }: Head, mac: string | null, before: Link): Statement => {
  const end = endsAt(tenant, before)
  return {
    sql: `update audit_chains set head_seq = ?, head_hash = ?, head_mac = ?, keyed_from = ?, broken_at = ? where ${end.sql}`,
    params: [link.seq, link.hash, mac, keyedFrom, brokenAt, ...end.params],
  }
}

const linked = (before: Link, batch: Waiting[]): AuditRow[] => {
  let link = before
  return batch.flatMap(({ entry }) => {
    if (!entry) return []
    const row = linkTo(link, entry)
    link = row
    return [row]
  })
}

/** False: the chain ends elsewhere by now, so nothing was written. */
const writeRows = async (db: Db, tenant: string, before: Link, rows: AuditRow[], head: Head, mac: string | null): Promise<boolean> => {
  if (!db.isShared) {
    await db.write([...rows.map(audit.insert), putHead(tenant, head, mac)])
    return true
  }
  const done = await db.write([beginAt(tenant, before), ...rows.map((row) => insertAfter(row, before)), moveHead(tenant, head, mac, before)])
  return done.at(-1)!.changes > 0
}

const putHead = (tenant: string, { link, keyedFrom, brokenAt }: Head, mac: string | null): Statement => ({
  sql: `insert into audit_chains (tenant, anchor_seq, anchor_hash, head_seq, head_hash, head_mac, keyed_from, broken_at) values (?, 0, '', ?, ?, ?, ?, ?)
    on conflict (tenant) do update set head_seq = excluded.head_seq, head_hash = excluded.head_hash, head_mac = excluded.head_mac,
      keyed_from = excluded.keyed_from, broken_at = excluded.broken_at`,
  params: [tenant, link.seq, link.hash, mac, keyedFrom, brokenAt],
})

/** Deletes the tenant's rows older than `before`. Number and hash of the last one become the new start of the chain. */
export const pruneAudit = async (db: Db, tenant: string, before: number, limit: number, anchorTo?: AnchorTo): Promise<number> => {
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
  const [counted] = await db.read('select count(*) as n from audit where tenant = ?', [tenant])
  const excess = Number(counted!['n']) - rows
  if (excess > 0) await pruneAudit(db, tenant, Infinity, excess, anchorTo)
}
