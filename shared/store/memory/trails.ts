import { fail } from '#kit'
import type { AuditEntry, AuditRow, OwnWrite, Store } from '../../runtime/ports/index.ts'
import { linkTo } from '../audit-chain.ts'
import type { Link } from '../audit-chain.ts'
import { fits } from './maps.ts'

/** Newest rows kept per tenant (audit) or account (own writes): memory must not grow with the life of the process. */
const keptRows = 2_000
const appended = Promise.resolve()

/** `prune` forgets what is older. */
export type Trail<T> = T & { prune(before: number): number }

export const ownWritesInMemory = (): Trail<Store['ownWrites']> => {
  const byAccount = new Map<string, OwnWrite[]>()
  const of = (tenant: string, connection: string) => {
    const name = JSON.stringify([tenant, connection])
    let rows = byAccount.get(name)
    if (!rows) byAccount.set(name, (rows = []))
    return rows
  }
  return {
    add: async (writes) => {
      for (const write of writes) {
        const rows = of(write.tenant, write.connection)
        rows.push(write)
        // In large bites, because each one moves the whole array.
        if (rows.length > 2 * keptRows) rows.splice(0, keptRows)
      }
    },
    find: async (tenant, connection, objects, from, to) =>
      of(tenant, connection)
        .filter((write) => objects.includes(write.object) && write.at >= from && write.at <= to)
        .sort((a, b) => b.at - a.at),
    prune: (before) => {
      let gone = 0
      for (const rows of byAccount.values()) {
        const kept = rows.filter(({ at }) => at >= before)
        gone += rows.length - kept.length
        rows.splice(0, rows.length, ...kept)
      }
      return gone
    },
  }
}

/** `dropped`: how many older rows are gone, so that numbers go on. */
type MemoryTrail = { dropped: number; entries: AuditEntry[] }

/** Linked when somebody reads: a chain in memory proves nothing to a later process, and its hashes would cost more than the run. Begins at the oldest row kept. */
const linked = ({ dropped, entries }: MemoryTrail): AuditRow[] => {
  let link: Link = { seq: dropped, hash: '' }
  return entries.map((entry) => {
    const row = linkTo(link, entry)
    link = row
    return row
  })
}

export const auditInMemory = (): Trail<Store['audit']> => {
  const trails = new Map<string, MemoryTrail>()
  const of = (tenant: string) => {
    let trail = trails.get(tenant)
    if (!trail) trails.set(tenant, (trail = { dropped: 0, entries: [] }))
    return trail
  }
  const forget = (trail: MemoryTrail, count: number) => {
    trail.entries.splice(0, count)
    trail.dropped += count
  }
  return {
    append: (entry) => {
      const trail = of(entry.tenant)
      trail.entries.push(entry)
      if (trail.entries.length > 2 * keptRows) forget(trail, keptRows)
      return appended
    },
    list: async (tenant, page, filter = {}) => {
      const after = page.cursor === undefined ? Infinity : Number(page.cursor)
      if (Number.isNaN(after)) throw fail('invalid_input', 'cursor is not one that this list gave out; leave it away to start at the newest.')
      const found = linked(of(tenant))
        .filter((row) => row.seq < after && fits(row, filter))
        .reverse()
      const items = found.slice(0, page.limit)
      return found.length > items.length ? { items, next: String(items.at(-1)!.seq) } : { items }
    },
    verify: async (tenant, exported) => {
      const rows = linked(of(tenant))
      if (!exported || exported.seq <= of(tenant).dropped || rows.some(({ seq, hash }) => seq === exported.seq && hash === exported.hash))
        return { ok: true, rows: rows.length }
      return { ok: false, seq: exported.seq, reason: 'the exported head is no row of this chain' }
    },
    head: async (tenant) => {
      const { seq, hash } = linked(of(tenant)).at(-1) ?? { seq: of(tenant).dropped, hash: '' }
      return { seq, hash }
    },
    signWith: async () => {},
    prune: (before) => {
      let gone = 0
      for (const trail of trails.values()) {
        const young = trail.entries.findIndex(({ at }) => at >= before)
        const old = young === -1 ? trail.entries.length : young
        forget(trail, old)
        gone += old
      }
      return gone
    },
  }
}
