import type { Store, StoredContents } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { table } from '../table.ts'

const contents = table<StoredContents>('run_contents', {
  tenant: 'plain',
  id: 'plain',
  sealedUnder: 'plain',
  storedAt: 'plain',
  expiresAt: 'plain',
  secrets: 'json',
})

export const runContentsIn = (db: Db): Store['runContents'] => ({
  put: async (row) => void (await db.write([contents.upsert(row, ['tenant', 'id'])], { admits: true })),
  get: async (tenant, id) =>
    (await db.read('select * from run_contents where tenant = ? and id = ?', [tenant, id])).map(contents.fromRow)[0],
})
