import { expect, test } from 'vitest'
import type { CheckedRow } from '../../shared/runtime/bulk-jobs/job-lists.ts'
import { createJobLists } from '../../shared/runtime/people-lists/job-lists.ts'
import { createRowSeal, newListSecrets } from '../../shared/runtime/people-lists/sealed-rows.ts'
import { createMemoryStore, createVault } from '../../shared/store/index.ts'
import { t0 } from '../store/make.ts'

const unused = () => {
  throw new Error('A refresh needs neither files nor suppressions.')
}

const openList = async () => {
  const store = createMemoryStore()
  const vault = createVault({ masterKey: Buffer.alloc(32, 7) })
  const list = {
    tenant: 'a',
    id: 'plst_1',
    name: 'Leads',
    owner: '',
    kind: 'person' as const,
    state: 'writing' as const,
    source: 'rows' as const,
    columnNames: ['email'],
    connections: null,
    token: null,
    person: null,
    secrets: newListSecrets(vault, 'a', 'plst_1'),
    key: null,
    requestHash: null,
    leftOut: null,
    createdAt: t0,
    expiresAt: t0 + 1,
  }
  const seal = createRowSeal(vault, list)
  await store.peopleLists.add(list, 10)
  await store.peopleLists.append([0, 1, 2].map((at) => seal.seal(at, null, { email: `${at}@example.com` })))
  await store.peopleLists.finish('a', list.id, t0, { expiresAt: t0 + 1_000, leftOut: 0 })
  const files = { open: unused, writer: unused }
  const clock = { now: () => t0 } as never
  const lists = createJobLists({ store, vault, files, clock, suppressed: unused, removeFile: unused })
  return {
    update: (rows: CheckedRow[]) => lists.update('a', list.id, rows),
    columns: async () => (await store.peopleLists.get('a', list.id, t0))!.columnNames.toSorted(),
    rows: async () =>
      (await store.peopleLists.rows('a', list.id, 9)).map((row) => ({ ...seal.open(row), at: row.checkedAt })),
  }
}

test('refreshes that end together keep the columns and values of each', async () => {
  const { update, columns, rows } = await openList()
  const found = ['phone', 'city', 'title'].map((column, at) => [{ at, checkedAt: t0, values: { [column]: 'x' } }])
  await Promise.all(found.map(update))
  expect(await columns()).toEqual(['city', 'email', 'phone', 'title'])
  expect((await rows()).map((row) => Object.keys(row)[1])).toEqual(['phone', 'city', 'title'])
})

test('refreshes that write the same row at once keep the values of both, and the newer one of a column', async () => {
  const { update, rows } = await openList()
  // The columns are the same for both: the row alone tells them apart.
  await update([{ at: 0, checkedAt: t0, values: { phone: 'old', city: 'old', title: 'old' } }])
  await Promise.all([
    update([{ at: 0, checkedAt: t0 + 1, values: { phone: 'first', title: 'first' } }]),
    update([
      { at: 0, checkedAt: t0 + 2, values: { city: 'second', title: 'second' } },
      { at: 1, checkedAt: t0 + 2, values: { city: 'other' } },
    ]),
  ])
  const [row, other] = await rows()
  expect(row).toEqual({ email: '0@example.com', phone: 'first', city: 'second', title: 'second', at: t0 + 2 })
  expect(other).toEqual({ email: '1@example.com', city: 'other', at: t0 + 2 })
})

test('a refresh that ends after a later one fills what is empty and changes nothing else', async () => {
  const { update, rows } = await openList()
  await update([{ at: 0, checkedAt: t0 + 2, values: { city: 'later' } }])
  await update([{ at: 0, checkedAt: t0 + 1, values: { city: 'earlier', phone: 'earlier' } }])
  expect((await rows())[0]).toEqual({ email: '0@example.com', city: 'later', phone: 'earlier', at: t0 + 2 })
})
