import { fail } from '#kit'
import type { AuditRow, OwnWrite, Store } from '../../runtime/ports.ts'
import { breakAt, linkTo, noLink } from '../audit-chain.ts'
import type { Link } from '../audit-chain.ts'
import { fits } from './maps.ts'

/** Newest rows kept per tenant (audit) or account (own writes): memory must not grow with the life of the process. */
const keptRows = 10_000

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

export const auditInMemory = (): Trail<Store['audit']> => {
  const chains = new Map<string, { anchor: Link; rows: AuditRow[] }>()
  const of = (tenant: string) => {
    let chain = chains.get(tenant)
    if (!chain) chains.set(tenant, (chain = { anchor: noLink, rows: [] }))
    return chain
  }
  const forget = (chain: { anchor: Link; rows: AuditRow[] }, count: number) => {
    const last = chain.rows[count - 1]
    if (!last) return
    chain.anchor = { seq: last.seq, hash: last.hash }
    chain.rows.splice(0, count)
  }
  return {
    append: async (entry) => {
      const chain = of(entry.tenant)
      chain.rows.push(linkTo(chain.rows.at(-1) ?? chain.anchor, entry))
      if (chain.rows.length > 2 * keptRows) forget(chain, keptRows)
    },
    list: async (tenant, page, filter = {}) => {
      const after = page.cursor === undefined ? Infinity : Number(page.cursor)
      if (Number.isNaN(after)) throw fail('invalid_input', 'cursor is not one that this list gave out; leave it away to start at the newest.')
      const found = of(tenant).rows.filter((row) => row.seq < after && fits(row, filter)).reverse()
      const items = found.slice(0, page.limit)
      return found.length > items.length ? { items, next: String(items.at(-1)!.seq) } : { items }
    },
    verify: async (tenant) => {
      const { anchor, rows } = of(tenant)
      let link = anchor
      for (const row of rows) {
        const reason = breakAt(link, row)
        if (reason) return { ok: false, seq: link.seq + 1, reason }
        link = row
      }
      return { ok: true, rows: rows.length }
    },
    prune: (before) => {
      let gone = 0
      for (const chain of chains.values()) {
        const young = chain.rows.findIndex(({ at }) => at >= before)
        const old = young === -1 ? chain.rows.length : young
        forget(chain, old)
        gone += old
      }
      return gone
    },
  }
}
