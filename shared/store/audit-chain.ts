import { hash } from 'node:crypto'
import type { AuditEntry, AuditRow } from '../runtime/ports/index.ts'

export type Link = { seq: number; hash: string }
export const noLink: Link = { seq: 0, hash: '' }

/**
 * The next row of a chain. Fields are listed one by one, so that their order in the object does not affect the hash.
 */
export const linkTo = (before: Link, entry: AuditEntry): AuditRow => {
  const seq = before.seq + 1
  return { ...entry, seq, before: before.hash, hash: hashOf(before.hash, seq, entry) }
}

/** Why this row cannot follow `before`; undefined if it can. */
export const breakAt = (before: Link, row: AuditRow): string | undefined => {
  if (row.seq !== before.seq + 1) return `row ${before.seq + 1} is missing`
  if (row.before !== before.hash) return 'the row before it was changed'
  return row.hash === hashOf(row.before, row.seq, row) ? undefined : 'the row was changed'
}

const hashOf = (before: string, seq: number, entry: AuditEntry): string => {
  const {
    tenant,
    at,
    actor,
    startId,
    runId,
    integration,
    connection,
    method,
    path,
    outcome,
    providerStatus,
    decision,
    keyId,
  } = entry
  return hash(
    'sha256',
    JSON.stringify([
      before,
      seq,
      tenant,
      at,
      actor,
      startId,
      runId,
      integration,
      connection,
      method,
      path,
      outcome,
      providerStatus,
      decision,
      keyId,
    ]),
  )
}
