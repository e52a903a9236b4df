import type { Store, StoredSample } from '../../runtime/ports/index.ts'
import type { Db } from '../commit.ts'
import { table, wrote } from '../table.ts'

const samples = table<StoredSample>('samples', {
  tenant: 'plain',
  id: 'plain',
  secrets: 'json',
  content: 'plain',
  savedAt: 'plain',
  expiresAt: 'plain',
})

export const samplesIn = (db: Db): Store['samples'] => ({
  put: async (sample) => void (await db.write([samples.upsert(sample, ['tenant', 'id'])], { admits: true })),
  get: async (tenant, id) =>
    (await db.read('select * from samples where tenant = ? and id = ?', [tenant, id])).map(samples.fromRow)[0],
  remove: async (tenant, id) =>
    wrote(await db.write([{ sql: 'delete from samples where tenant = ? and id = ?', params: [tenant, id] }])),
})
