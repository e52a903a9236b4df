import type { Db, Statement } from '../commit.ts'
import type { Row } from '../sqlite.ts'
import { slicesOf } from './slices.ts'

export type Amounts = { spent: number; estimated: number; reserved: number }

/** What a ledger row adds to the credits that are spent, estimated and reserved. */
export const addedBy = ({ kind, credits, estimated }: Row): Amounts => {
  const amount = Number(credits)
  return {
    spent: kind === 'settled' || kind === 'resolved' ? amount : 0,
    estimated: kind === 'settled' && Number(estimated) === 1 ? amount : 0,
    reserved: kind === 'reserved' ? amount : kind === 'released' ? -amount : 0,
  }
}

/** The ledger rows of entries made at `from` or later, by the time of the entry. */
export const ledgerSlices = (db: Db, within: Statement, from: number) =>
  slicesOf(db, { table: 'ledger', keys: ['entry_at', 'entry', 'part'], within, after: [from, '', 0] })
