import { expect, test } from 'vitest'
import type { BulkJob, Store } from '../../shared/runtime/ports/index.ts'
import { file, run, t0 } from './make.ts'

const hour = 3_600_000
const digest = (letter: string) => `dig_${letter.repeat(43)}`

const job = (tenant: string, id: string, key: string | null): BulkJob => ({
  tenant,
  id,
  state: 'done',
  order: {
    file: 'fil_1',
    name: 'a.csv',
    format: 'csv',
    integration: 'contact-data',
    step: 'find-contact',
    kind: 'person',
    connection: 'c1',
    map: {},
    values: {},
    columns: [],
    sample: 0,
  },
  caller: {},
  plan: null,
  maxCredits: null,
  confirmed: false,
  cancelling: false,
  reason: null,
  result: null,
  rowsPerSecond: null,
  key,
  requestHash: 'h',
  secrets: { key: 'v1.k.a.b.c' },
  createdAt: t0,
  startedAt: null,
  endedAt: t0,
  expiresAt: t0 + hour,
})

/** What callers chose to be known by. */
export const personalContract = (store: () => Store): void => {
  const addFile = async (tenant: string, id: string, key: string | null) => {
    await store().files.add(file(tenant, id, { key, expiresAt: t0 + hour }))
    await store().files.finish(tenant, id, { mediaType: 'text/plain', sha256: 'ab', expiresAt: t0 + hour })
  }

  test('personal: keys that are no digests are found page by page, and give way to one', async () => {
    for (const [id, key] of [
      ['f1', 'a@b.example'],
      ['f2', 'c'],
      ['f3', digest('x')],
      ['f4', null],
    ] as const)
      await addFile('chosen', id, key)
    await store().files.add(file('chosen', 'f5', { key: 'still being written' }))
    await store().bulkJobs.add(job('chosen', 'j1', 'e'))
    await store().bulkJobs.add(job('chosen', 'j2', digest('y')))
    const { personal } = store()
    const first = await personal.plainKeys('file', 1, { tenant: 'chosen' })
    expect(first).toEqual([{ kind: 'file', tenant: 'chosen', key: 'a@b.example' }])
    expect(await personal.plainKeys('file', 5, { tenant: 'chosen', after: first[0] })).toEqual([
      { kind: 'file', tenant: 'chosen', key: 'c' },
    ])
    expect(await personal.plainKeys('job', 5, { tenant: 'chosen' })).toEqual([
      { kind: 'job', tenant: 'chosen', key: 'e' },
    ])
    expect((await personal.plainKeys('job', 500)).some(({ tenant, key }) => tenant === 'chosen' && key === 'e')).toBe(
      true,
    )

    await personal.replaceKey({ kind: 'file', tenant: 'other', key: 'c' }, digest('z'))
    await personal.replaceKey({ kind: 'file', tenant: 'chosen', key: 'a@b.example' }, digest('a'))
    await personal.replaceKey({ kind: 'job', tenant: 'chosen', key: 'e' }, digest('e'))
    // Another server has stored the same request under its digest by now.
    await personal.replaceKey({ kind: 'file', tenant: 'chosen', key: 'c' }, digest('x'))
    const keyOf = async (id: string) => (await store().files.get('chosen', id))!.key
    expect([await keyOf('f1'), await keyOf('f2'), await keyOf('f3')]).toEqual([digest('a'), null, digest('x')])
    expect((await store().bulkJobs.get('chosen', 'j1'))!.key).toBe(digest('e'))
    expect((await store().bulkJobs.byKey('chosen', digest('y')))!.id).toBe('j2')
    expect(await store().bulkJobs.byKey('chosen-other', digest('y'))).toBeUndefined()
    expect(await personal.plainKeys('file', 5, { tenant: 'chosen' })).toEqual([])
  })

  test('personal: of runs, those with a start that a caller named are found too; erasing takes that name, there and in what the run wrote', async () => {
    const ours = 'ab12'.repeat(16)
    const starts = { plain: 'for a@b.example', ours, digest: digest('s'), long: `${ours}0`, odd: 'z'.repeat(64) }
    for (const [id, startId] of Object.entries(starts)) {
      await store().runs.record(run('starts', id, { startId }))
      await store().ownWrites.add([
        { tenant: 'starts', connection: 'c1', object: 'o1', runId: id, step: 'x', startId, at: t0 },
      ])
    }
    await store().runs.record(run('starts', 'none'))
    const rows = await store().personal.rows('starts', 'run', 10)
    expect(rows.map(({ key }) => key[0])).toEqual(['long', 'odd', 'plain'])
    expect(rows.at(-1)!.texts).toEqual(['for a@b.example'])
    for (const [id] of Object.entries(starts))
      await store().personal.erase({ kind: 'run', tenant: 'starts', key: [id] })
    const left = { plain: null, ours, digest: digest('s'), long: null, odd: null }
    for (const [id, startId] of Object.entries(left))
      expect((await store().runs.get('starts', id))!.startId, id).toBe(startId)
    const written = await store().ownWrites.find('starts', 'c1', ['o1'], t0, t0)
    expect(Object.fromEntries(written.map(({ runId, startId }) => [runId, startId]))).toEqual(left)
  })
}
