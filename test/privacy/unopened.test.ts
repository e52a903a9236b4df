import { expect, it } from 'vitest'
import { create, emailOf, openJobsWorld, peopleFile, until, upload } from '../bulk-jobs/world.ts'
import { caller } from '../support/world.ts'
import type { Store } from '../../shared/pack.ts'
import type { PersonalKind } from '../../shared/runtime/ports/index.ts'

const person = [{ email: emailOf(0) }]
/** Somebody whom no job names. */
const stranger = [{ email: 'nobody@unknown.example' }]

const flipped = (bytes: Uint8Array) => bytes.map((byte, place) => (place === 20 ? byte ^ 1 : byte))

const withoutKey = async (store: Store, id: string) => {
  const { list } = store.bulkJobs
  store.bulkJobs.list = async (tenant, page) => {
    const { items, ...rest } = await list(tenant, page)
    const locked = (job: (typeof items)[0]) => ({
      ...job,
      secrets: { key: `v1.unknown.${job.secrets['key']!.slice(16)}` },
    })
    return { items: items.map((job) => (job.id === id ? locked(job) : job)), ...rest }
  }
}
const withDamage = async (store: Store, id: string) => {
  const { chunk } = store.bulkJobs
  store.bulkJobs.chunk = async (tenant, job, number) => {
    const stored = await chunk(tenant, job, number)
    return stored?.results && job === id ? { ...stored, results: flipped(stored.results) } : stored
  }
}

it.each([
  ['key is missing', withoutKey],
  ['results are damaged', withDamage],
])('a job whose %s is counted, and neither hides the others nor stops an erasure', async (_, spoil) => {
  const { pack, reopen } = await openJobsWorld()
  const [spoilt, sound] = [
    await create(pack, peopleFile(3), { sample: 2 }),
    await create(pack, peopleFile(2), { sample: 1, maxAge: 0 }),
  ]
  for (const { id } of [spoilt, sound]) await until(pack, id, 'ready')
  const again = await reopen((store) => spoil(store, spoilt.id))

  expect(await again.privacy.export(caller, stranger)).toMatchObject({ records: [], unread: 1 })
  expect(await again.privacy.erase(caller, stranger)).toMatchObject({ removed: {}, unread: 1 })
  // Its file, which it has not read to its end, names the person.
  const { records } = await again.privacy.export(caller, person)
  expect(records.flatMap(({ kind, id }) => (kind === 'job' ? [id] : [])).toSorted()).toEqual([spoilt.id, sound.id])
  expect((await again.privacy.erase(caller, person)).removed).toMatchObject({ job: 2, file: 2 })
  expect((await again.jobs.list(caller, { limit: 10 })).items).toEqual([])
})

const spoilt = async (store: Store, kind: PersonalKind) => {
  const { rows } = store.personal
  store.personal.rows = async (tenant, wanted, limit, after) => {
    const all = await rows(tenant, wanted, limit, after)
    if (wanted !== kind) return all
    return all.map((row) => ({
      ...row,
      texts: row.texts.map((text) => text.replace(/"v1\.[^.]+\./, '"v1.unknown.')),
      ...(row.content ? { content: flipped(row.content) } : {}),
      ...(row.secrets ? { secrets: { key: `v1.unknown.${row.secrets['key']!.slice(16)}` } } : {}),
    }))
  }
}

it.each<PersonalKind>(['file', 'lookup', 'outcome', 'sample'])(
  'a %s that cannot be opened is counted: it may be about anybody',
  async (kind) => {
    const { pack, reopen } = await openJobsWorld()
    await upload(pack, peopleFile(1))
    const input = { contacts: [{ email: emailOf(0) }] }
    const step = { integration: 'contact-data', step: 'enrich-contacts' }
    const outcome = await pack.steps.run(caller, { ...step, input, idempotencyKey: 'k' })
    await pack.samples.put(caller, step, { input, output: outcome.ok ? outcome.value : null })
    const sound = await reopen()
    expect(await sound.privacy.export(caller, stranger)).toMatchObject({ unread: 0 })
    expect((await sound.privacy.export(caller, person)).records.map((record) => record.kind)).toContain(kind)
    const again = await reopen((store) => spoilt(store, kind))
    expect(await again.privacy.export(caller, stranger)).toMatchObject({ unread: 1 })
  },
)

it('a store that does not answer ends an export', async () => {
  const { pack, reopen } = await openJobsWorld()
  await upload(pack, peopleFile(1))
  const again = await reopen(async (store) => {
    store.files.chunk = async () => Promise.reject(new Error('the disk is gone'))
  })
  await expect(again.privacy.export(caller, person)).rejects.toThrow('the disk is gone')
})
