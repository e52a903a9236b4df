import { expect, test } from 'vitest'
import type { ReplacedListRow, Store, StoredListRow, StoredPeopleList } from '../../shared/runtime/ports/index.ts'
import { t0 } from './make.ts'

const list = (tenant: string, id: string, over: Partial<StoredPeopleList> = {}): StoredPeopleList => ({
  tenant,
  id,
  name: id,
  owner: '',
  kind: 'person',
  state: 'writing',
  source: 'rows',
  columnNames: ['email'],
  connections: ['con_1'],
  token: 'tok_1',
  person: null,
  secrets: { key: 'v1.k.a.b.c' },
  key: null,
  requestHash: null,
  leftOut: null,
  createdAt: t0,
  expiresAt: t0 + 10,
  ...over,
})
const row = (tenant: string, listId: string, at: number, checkedAt: number | null = null): StoredListRow => ({
  tenant,
  list: listId,
  at,
  checkedAt,
  content: new Uint8Array([at]),
})
const later = t0 + 1_000_000
const finished = { expiresAt: later, leftOut: 2 }

export const peopleListsContract = (store: () => Store): void => {
  const make = async (
    tenant: string,
    id: string,
    over: Partial<StoredPeopleList> = {},
    rows = [row(tenant, id, 0)],
  ) => {
    expect(await store().peopleLists.add(list(tenant, id, over), 100)).toBe(true)
    await store().peopleLists.append(rows)
    return store().peopleLists.finish(tenant, id, t0, finished)
  }

  test('lists of people: seen once they are ready, of their tenant only, and until they expire', async () => {
    const { peopleLists } = store()
    await peopleLists.add(list('pl', 'l1'), 100)
    expect(await peopleLists.get('pl', 'l1', t0)).toBeUndefined()
    expect(await peopleLists.finish('pl', 'l1', t0, finished)).toBe(true)
    expect(await peopleLists.get('pl', 'l1', t0)).toEqual(list('pl', 'l1', { state: 'ready', ...finished }))
    expect(await peopleLists.get('pl-other', 'l1', t0)).toBeUndefined()
    expect(await peopleLists.get('pl', 'l1', later)).toBeUndefined()
    expect(await peopleLists.byName('pl', 'l1', later)).toEqual([])
    expect((await peopleLists.byName('pl', 'l1', t0)).map(({ id }) => id)).toEqual(['l1'])
    expect(await peopleLists.byName('pl-other', 'l1', t0)).toEqual([])
    await make('pl', 'l2', { person: 'ada', createdAt: t0 + 1 })
    const first = await peopleLists.list('pl', { limit: 1 }, t0)
    expect(first.items.map(({ id }) => id)).toEqual(['l2'])
    const second = await peopleLists.list('pl', { limit: 1, cursor: first.next! }, t0)
    expect(second.items.map(({ id }) => id)).toEqual(['l1'])
    expect((await peopleLists.list('pl', { limit: 9 }, t0, 'ada')).items.map(({ id }) => id)).toEqual(['l2'])
    expect((await peopleLists.list('pl-other', { limit: 9 }, t0)).items).toEqual([])
  })

  test('lists of people: a name once for each owner, and no more of them than the tenant may have', async () => {
    expect(await make('pl-names', 'l1', { name: 'Leads' })).toBe(true)
    expect(await make('pl-names', 'l2', { name: 'Leads' })).toBe(false)
    expect(await make('pl-names', 'l3', { name: 'Leads', owner: 'person ada' })).toBe(true)
    expect(await make('pl-names-other', 'l1', { name: 'Leads' })).toBe(true)
    expect(await store().peopleLists.add(list('pl-names', 'l4'), 3)).toBe(false)
    expect(await store().peopleLists.add(list('pl-names', 'l4'), 4)).toBe(true)
  })

  test('lists of people: one for each key, which is free again once its list is removed', async () => {
    const { peopleLists } = store()
    const keyed = { key: 'dig_1', requestHash: 'dig_2' }
    expect(await make('pl-keys', 'l1', keyed)).toBe(true)
    expect(await make('pl-keys', 'l2', keyed)).toBe(false)
    expect(await make('pl-keys', 'l3', { ...keyed, key: 'dig_3' })).toBe(true)
    expect(await make('pl-keys-other', 'l1', keyed)).toBe(true)
    expect(await peopleLists.byKey('pl-keys', 'dig_1')).toMatchObject({ id: 'l1', requestHash: 'dig_2', leftOut: 2 })
    expect(await peopleLists.byKey('pl-keys', 'dig_4')).toBeUndefined()
    await peopleLists.remove('pl-keys', 'l1')
    expect(await peopleLists.byKey('pl-keys', 'dig_1')).toBeUndefined()
    expect(await peopleLists.finish('pl-keys', 'l2', t0, finished)).toBe(true)
  })

  test('lists of people: rows in their order, those not checked since a time, and replaced where they are', async () => {
    const { peopleLists } = store()
    const rows = [0, 1, 2, 11].map((at) => row('pl-rows', 'l1', at, at === 0 ? null : t0 + at))
    await make('pl-rows', 'l1', {}, rows)
    const places = async (
      ...filter: Parameters<typeof peopleLists.rows> extends [string, string, ...infer More] ? More : never
    ) => (await peopleLists.rows('pl-rows', 'l1', ...filter)).map(({ at }) => at)
    expect(await peopleLists.rows('pl-rows', 'l1', 10)).toEqual(rows)
    expect(await places(2, { after: 0 })).toEqual([1, 2])
    expect(await places(9, { checkedBefore: t0 + 2 })).toEqual([0, 1])
    expect(await places(9, { checkedBefore: t0 + 99, after: 2 })).toEqual([11])
    expect(await peopleLists.count('pl-rows', 'l1')).toBe(4)
    expect(await peopleLists.count('pl-rows-other', 'l1')).toBe(0)
    expect(await peopleLists.rows('pl-rows-other', 'l1', 9)).toEqual([])
    const changed = { ...rows[1]!, checkedAt: t0 + 50, content: new Uint8Array([9]) }
    const columns = { from: ['email'], to: ['email', 'phone'] }
    const absent = { ...row('pl-rows', 'l1', 77), former: new Uint8Array([77]) }
    const update = (listId: string, columnNames: typeof columns, replaced: ReplacedListRow[]) =>
      peopleLists.update('pl-rows', listId, columnNames, replaced)
    expect(await update('l1', columns, [{ ...changed, former: rows[1]!.content }, absent])).toEqual([absent])
    expect(await peopleLists.rows('pl-rows', 'l1', 10)).toEqual([rows[0], changed, rows[2], rows[3]])
    expect((await peopleLists.get('pl-rows', 'l1', t0))!.columnNames).toEqual(['email', 'phone'])
    const ofOthers = [
      { ...row('pl-rows', 'l1', 1, t0 + 60), former: rows[1]!.content },
      { ...row('pl-rows', 'l1', 2, t0 + 60), former: rows[2]!.content },
    ]
    expect(await update('l1', { from: ['email', 'phone'], to: ['email', 'phone'] }, ofOthers)).toEqual([ofOthers[0]])
    expect((await peopleLists.rows('pl-rows', 'l1', 10))[1]).toEqual(changed)
    const outdated = { from: ['email'], to: ['email', 'city'] }
    const late = [{ ...row('pl-rows', 'l1', 0, t0), former: rows[0]!.content }]
    expect(await update('l1', outdated, late)).toEqual(late)
    expect((await peopleLists.get('pl-rows', 'l1', t0))!.columnNames).toEqual(['email', 'phone'])
    expect((await peopleLists.rows('pl-rows', 'l1', 1))[0]).toEqual(rows[0])
    expect(await update('l2', columns, late)).toEqual(late)
  })

  test('lists of people: found row by row by an erasure, and removed with all rows', async () => {
    const { peopleLists, personal } = store()
    const rows = Array.from({ length: 12 }, (_, at) => row('pl-erase', 'l1', at))
    await make('pl-erase', 'l1', { name: 'Ours' }, rows)
    await make('pl-erase-other', 'l1', {}, [row('pl-erase-other', 'l1', 0)])
    const keys: string[][] = []
    for (let after: string[] | undefined; ;) {
      const some = await personal.rows('pl-erase', 'people_list_row', 5, after)
      keys.push(...some.map(({ key }) => key))
      if (some.length < 5) break
      after = some.at(-1)!.key
    }
    expect(keys).toEqual(rows.map(({ at }) => ['l1', String(at)]))
    const [first] = await personal.rows('pl-erase', 'people_list_row', 1)
    expect(first).toMatchObject({ secrets: { key: 'v1.k.a.b.c' }, content: new Uint8Array([0]) })
    expect(await personal.erase({ kind: 'people_list_row', tenant: 'pl-erase', key: ['l1', '3'] })).toBe(true)
    expect(await peopleLists.count('pl-erase', 'l1')).toBe(11)
    expect((await personal.rows('pl-erase', 'people_list', 5)).map(({ texts }) => texts)).toEqual([
      ['Ours', '["email"]'],
    ])
    expect(
      (await store().sealed.all()).filter(({ kind, tenant }) => kind === 'people_list' && tenant === 'pl-erase'),
    ).toEqual([{ kind: 'people_list', tenant: 'pl-erase', id: 'l1', sealed: { key: 'v1.k.a.b.c' } }])
    expect(await peopleLists.remove('pl-erase-another', 'l1')).toBe(false)
    expect(await peopleLists.remove('pl-erase', 'l1')).toBe(true)
    expect(await peopleLists.remove('pl-erase', 'l1')).toBe(false)
    expect(await peopleLists.count('pl-erase', 'l1')).toBe(0)
    expect(await peopleLists.count('pl-erase-other', 'l1')).toBe(1)
  })

  test('lists of people: removed with their rows once they have expired', async () => {
    await make(
      'pl-prune',
      'l1',
      {},
      [0, 1].map((at) => row('pl-prune', 'l1', at)),
    )
    const retention = {
      now: later,
      payloads: 0,
      starts: 0,
      deleted: 0,
      runs: 0,
      ownWrites: 0,
      audit: 0,
      gaps: 0,
      limit: 50,
    }
    await store().prune({ ...retention, now: t0 + 5 })
    expect(await store().peopleLists.count('pl-prune', 'l1')).toBe(2)
    for (let more = true; more;) more = (await store().prune(retention)).more
    expect(await store().peopleLists.count('pl-prune', 'l1')).toBe(0)
    expect(await store().personal.rows('pl-prune', 'people_list', 5)).toEqual([])
  })
}
