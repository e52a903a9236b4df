import { fail } from '#kit'
import type { AuditEntry, Clock, Log } from '../ports/index.ts'

/**
 * Audit rows that are not written yet. `oldestMs`: how long the oldest one has been owed, in ms; 0 when none is.
 * `dropped`: rows given up.
 */
export type AuditBacklog = { owed: number; oldestMs: number; dropped: number }

/** Limits of what is held in memory. Long before they are reached, the tenant's changes are refused. */
const maxOfTenant = 1_000
const maxOwed = 10_000

type Owed = { rows: AuditEntry[]; since: number; settling: Promise<void> | undefined }

/**
 * Holds rows that the store could not take until it can. Owed rows block the changes of their own tenant only. `write`
 * also resolves when it owes a row again.
 */
export const createAuditBacklog = ({
  write,
  clock,
  log,
}: {
  write(entry: AuditEntry): Promise<void>
  clock: Pick<Clock, 'monotonic'>
  log: Log
}) => {
  const tenants = new Map<string, Owed>()
  let count = 0
  let writing = 0
  let dropped = 0

  const drop = ({ tenant, path, outcome }: AuditEntry, reason: string) => {
    dropped += 1
    log('error', 'audit.row_dropped', { tenant, path, outcome, reason })
  }

  const settleOnce = async (tenant: string, owed: Owed) => {
    const rows = owed.rows.splice(0)
    count -= rows.length
    writing += rows.length
    await Promise.all(rows.map(write))
    writing -= rows.length
    owed.settling = undefined
    if (owed.rows.length === 0) tenants.delete(tenant)
  }
  /** Callers that arrive during a retry wait for its result. */
  const settle = async (tenant: string): Promise<void> => {
    const owed = tenants.get(tenant)
    if (!owed) return
    await (owed.settling ??= settleOnce(tenant, owed))
  }

  return {
    drop,
    add(entry: AuditEntry) {
      let owed = tenants.get(entry.tenant)
      if (!owed) tenants.set(entry.tenant, (owed = { rows: [], since: clock.monotonic(), settling: undefined }))
      if (owed.rows.length >= maxOfTenant || count >= maxOwed) return drop(entry, 'too many rows are owed')
      owed.rows.push(entry)
      count += 1
    },
    /** @throws Failure `unavailable` while rows of the tenant are owed */
    async requireSettled(tenant: string) {
      if (!tenants.has(tenant)) return
      await settle(tenant)
      if (!tenants.has(tenant)) return
      throw fail(
        'unavailable',
        'Nothing was sent: the audit log cannot be written, and what changes something is only done when it can be recorded. See the log.',
      )
    },
    settleAll: async () => void (await Promise.all([...tenants.keys()].map(settle))),
    backlog(): AuditBacklog {
      const since = Math.min(...[...tenants.values()].map((owed) => owed.since))
      return { owed: count + writing, oldestMs: tenants.size === 0 ? 0 : clock.monotonic() - since, dropped }
    },
  }
}
