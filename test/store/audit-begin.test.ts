import { expect, test } from 'vitest'
import type { Db, Statement } from '../../shared/store/commit.ts'
import { auditIn } from '../../shared/store/sql/audit.ts'
import { auditEntry } from './make.ts'

/**
 * A database in which another process begins the chain between the first and the second read: rows and ends appear
 * together, after the ends were looked for.
 */
const begunMeanwhile = () => {
  const written: Statement[] = []
  let reads = 0
  const ends = { anchor_seq: 0, anchor_hash: '', head_seq: 14, head_hash: 'h14', head_mac: null, anchor_mac: null }
  const db = {
    isShared: true,
    read: async (sql: string) => {
      reads += 1
      if (sql.includes('audit_chains')) return reads === 1 ? [] : [{ ...ends, keyed_from: null, broken_at: null }]
      return [{ seq: 14, hash: 'h14' }]
    },
    write: async (statements: Statement[]) => {
      written.push(...statements)
      return statements.map(() => ({ rows: [], changes: 1 }))
    },
  } as unknown as Db
  return { db, written }
}

test('a chain that another process begins between two reads goes on, and is not taken for one that was changed', async () => {
  const { db, written } = begunMeanwhile()
  await auditIn(db).audit.append(auditEntry('t'))
  const [seq, , mac, keyedFrom, brokenAt] = written.at(-1)!.params!
  expect([seq, mac, keyedFrom, brokenAt]).toEqual([15, null, null, null])
})

test('a chain that another process begins while it is checked is not one without its ends', async () => {
  const { db } = begunMeanwhile()
  const verdict = await auditIn(db).audit.verify('t')
  // The rows of this database are no real chain: what matters is what the verdict is about.
  expect(verdict).not.toMatchObject({ reason: 'the ends of the chain are missing' })
})
