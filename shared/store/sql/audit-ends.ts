import type { AuditRow, Signer } from '../../runtime/ports/index.ts'
import type { Link } from '../audit-chain.ts'
import type { Db, Statement } from '../commit.ts'
import { table } from '../table.ts'

export const audit = table<AuditRow>('audit', {
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

/**
 * What is stored about a chain besides its rows. `brokenAt`: number of the row that was to be written when the end of
 * the chain was found changed from outside.
 */
export type Ends = {
  anchor: Link
  head: Link
  headMac: string | null
  anchorMac: string | null
  keyedFrom: number | null
  brokenAt: number | null
}
export type Head = Pick<Ends, 'keyedFrom' | 'brokenAt'> & { link: Link }

const headText = (tenant: string, { link, keyedFrom, brokenAt }: Head) =>
  JSON.stringify(['audit head v1', tenant, link.seq, link.hash, keyedFrom, brokenAt])
const anchorText = (tenant: string, { seq, hash }: Link) => JSON.stringify(['audit anchor v1', tenant, seq, hash])
const numberIn = (value: unknown) => (value === null ? null : Number(value))
const textIn = (value: unknown) => (value === null ? null : String(value))

export const readEnds = async (db: Db, tenant: string): Promise<Ends | undefined> => {
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

export const headOf = ({ head, keyedFrom, brokenAt }: Ends): Head => ({ link: head, keyedFrom, brokenAt })

/**
 * The signatures over the ends of chains. The hash of the newest row covers all rows before it, so one signature over
 * it shows that none was modified, removed or relinked. Signing needs the master key, so access to the database is not
 * enough to forge it. Nothing is signed before `setSigner`.
 */
export const createSignatures = () => {
  let signer: Signer | undefined
  const isSigned = (text: string, signature: string | null) =>
    signature !== null && signer?.verify(text, signature) === true
  return {
    setSigner: (by: Signer) => void (signer = by),
    areUsed: () => signer !== undefined,
    signHead: (tenant: string, head: Head) => signer?.sign(headText(tenant, head)) ?? null,
    signAnchor: (tenant: string, anchor: Link) => signer?.sign(anchorText(tenant, anchor)) ?? null,
    isHeadSigned: (tenant: string, ends: Ends) => isSigned(headText(tenant, headOf(ends)), ends.headMac),
    isAnchorSigned: (tenant: string, { anchor, anchorMac }: Ends) => isSigned(anchorText(tenant, anchor), anchorMac),
  }
}
export type Signatures = ReturnType<typeof createSignatures>

/**
 * For chains that several processes write to: rows and head are written only if the chain still ends where it was read.
 */
const endsAt = (tenant: string, { seq, hash }: Link): Statement => ({
  sql: 'tenant = ? and head_seq = ? and head_hash = ?',
  params: [tenant, seq, hash],
})
const insertAfter = (row: AuditRow, before: Link): Statement => {
  const end = endsAt(row.tenant, before)
  const values = audit.columns.map(() => '?').join(', ')
  return {
    sql: `insert into audit (${audit.columns.join(', ')}) select ${values} where exists (select 1 from audit_chains where ${end.sql})`,
    params: [...audit.params(row), ...end.params],
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

const putHead = (tenant: string, { link, keyedFrom, brokenAt }: Head, mac: string | null): Statement => ({
  sql: `insert into audit_chains (tenant, anchor_seq, anchor_hash, head_seq, head_hash, head_mac, keyed_from, broken_at) values (?, 0, '', ?, ?, ?, ?, ?)
    on conflict (tenant) do update set head_seq = excluded.head_seq, head_hash = excluded.head_hash, head_mac = excluded.head_mac,
      keyed_from = excluded.keyed_from, broken_at = excluded.broken_at`,
  params: [tenant, link.seq, link.hash, mac, keyedFrom, brokenAt],
})

/** Writes rows and the new head. Returns false, having written nothing, if the chain has another end by now. */
export const writeRows = async (
  db: Db,
  tenant: string,
  before: Link,
  rows: AuditRow[],
  head: Head,
  mac: string | null,
): Promise<boolean> => {
  if (!db.isShared) {
    await db.write([...rows.map(audit.insert), putHead(tenant, head, mac)])
    return true
  }
  const done = await db.write([
    beginAt(tenant, before),
    ...rows.map((row) => insertAfter(row, before)),
    moveHead(tenant, head, mac, before),
  ])
  return done.at(-1)!.changes > 0
}
