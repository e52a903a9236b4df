import { setImmediate as pause } from 'node:timers/promises'
import type { AuditHead, AuditVerdict } from '../../runtime/ports/index.ts'
import { breakAt } from '../audit-chain.ts'
import type { Link } from '../audit-chain.ts'
import type { Db } from '../commit.ts'
import { audit, readEnds } from './audit-ends.ts'
import type { Ends, Signatures } from './audit-ends.ts'

/** The first row at which a chain is broken, and why. */
type Break = { seq: number; reason: string }

/** Rows per slice of the check; each slice blocks the event loop for some milliseconds. */
const rowsPerCheck = 250

/**
 * Checks the rows between the ends, in slices, so that other work runs in between. `exported`: a head that must be
 * among them. Retention may remove rows meanwhile: the check then continues from the new beginning, which is returned
 * as the anchor of `anchored`.
 */
const walk = async (
  db: Db,
  tenant: string,
  ends: Ends,
  exported: AuditHead | undefined,
): Promise<{ anchored: Ends; broken?: Break }> => {
  const { head } = ends
  let anchored = ends
  let link = ends.anchor
  const covers = ({ seq, hash }: Link) =>
    exported === undefined || exported.seq < seq || (exported.seq === seq && exported.hash === hash)
  let isCovered = covers(link)
  for (;;) {
    const sql = 'select * from audit where tenant = ? and seq > ? and seq <= ? order by seq limit ?'
    const rows = (await db.read(sql, [tenant, link.seq, head.seq, rowsPerCheck])).map(audit.fromRow)
    if (rows[0]?.seq !== link.seq + 1) {
      const current = (await readEnds(db, tenant)) ?? anchored
      if (current.anchor.seq > link.seq) {
        anchored = current
        link = current.anchor
        isCovered ||= covers(link)
        if (link.seq >= head.seq) return { anchored }
        continue
      }
    }
    for (const row of rows) {
      const reason = breakAt(link, row)
      if (reason) return { anchored, broken: { seq: link.seq + 1, reason } }
      link = row
      isCovered ||= row.seq === exported!.seq && row.hash === exported!.hash
    }
    if (rows.length === 0) break
    await pause()
  }
  if (link.seq !== head.seq || link.hash !== head.hash)
    return { anchored, broken: { seq: link.seq + 1, reason: 'the newest rows are missing' } }
  if (isCovered) return { anchored }
  const broken =
    exported!.seq > head.seq
      ? { seq: head.seq + 1, reason: 'rows up to the exported head are missing' }
      : { seq: exported!.seq, reason: 'the row is not the one of the exported head' }
  return { anchored, broken }
}

/** Without stored ends there must be no rows, and no exported head. */
const breakWithoutEnds = async (db: Db, tenant: string, exported: AuditHead | undefined) => {
  const rows = await db.read('select seq from audit where tenant = ? limit 1', [tenant])
  return rows.length > 0 || (exported?.seq ?? 0) > 0
    ? { seq: 1, reason: 'the ends of the chain are missing' }
    : undefined
}

/** Why the ends of a chain are not as this server left them; undefined if they are. */
const breakOfEnds = (signatures: Signatures, tenant: string, ends: Ends): Break | undefined => {
  if (!signatures.areUsed()) return undefined
  if (ends.brokenAt !== null)
    return {
      seq: ends.brokenAt,
      reason: 'the rows before this one were changed outside of the server, or their key is lost',
    }
  if (ends.anchor.seq > 0 && !signatures.isAnchorSigned(tenant, ends))
    return { seq: ends.anchor.seq + 1, reason: 'the beginning of the chain was changed outside of the server' }
  if (signatures.isHeadSigned(tenant, ends)) return undefined
  return {
    seq: ends.head.seq,
    reason: 'the end of the chain has no signature of this server: rows were modified, removed or truncated',
  }
}

/** Checks the whole chain of a tenant. Truncation to an earlier signed end is detected only with an exported head. */
export const verifyChain = async (
  db: Db,
  signatures: Signatures,
  tenant: string,
  exported: AuditHead | undefined,
): Promise<AuditVerdict> => {
  const ends = await readEnds(db, tenant)
  if (!ends) {
    const broken = await breakWithoutEnds(db, tenant, exported)
    if (!broken) return { ok: true, rows: 0 }
    // Another process may have begun the chain between the two reads; it writes rows and ends together.
    if (await readEnds(db, tenant)) return verifyChain(db, signatures, tenant, exported)
    return { ok: false, ...broken }
  }
  const walked = await walk(db, tenant, ends, exported)
  const { anchor, anchorMac } = walked.anchored
  const broken = walked.broken ?? breakOfEnds(signatures, tenant, { ...ends, anchor, anchorMac })
  if (broken) return { ok: false, ...broken }
  const { head, keyedFrom } = ends
  return {
    ok: true,
    rows: Math.max(0, head.seq - anchor.seq),
    ...(keyedFrom !== null && keyedFrom > anchor.seq + 1 ? { keyedFrom } : {}),
  }
}
