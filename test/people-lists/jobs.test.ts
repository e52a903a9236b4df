import { describe, expect, test } from 'vitest'
import { fail } from '#kit'
import { charged, emailOf, openJobsWorld, resultOf, until } from '../bulk-jobs/world.ts'
import { knownPeople } from '../support/people.ts'
import { caller } from '../support/world.ts'

const day = 86_400_000
const world = await openJobsWorld()
const { pack, sandbox, moveOn } = world
const contacts = { integration: 'contact-data' }
const rows = [{ Email: emailOf(0), Note: '=1+1, "x"' }, { Email: 'nobody@unknown.example' }, { Email: emailOf(1) }]
const filesOf = async () => (await pack.files.list(caller, { limit: 100 })).items.length

describe('a job over a list', () => {
  test('quotes first, looks up the rows as they were, and leaves the list as it is', async () => {
    await pack.peopleLists.create(caller, { name: 'Leads/1', rows })
    const { id, list } = await pack.jobs.create(caller, { list: 'Leads/1', ...contacts })
    const ready = await until(pack, id, 'ready')
    expect(ready).toMatchObject({ rows: 3, map: { email: 'Email' }, name: 'Leads_1.csv' })
    expect(charged(sandbox)).toBe(0)
    await pack.peopleLists.remove(caller, 'Leads/1')
    await pack.jobs.resume(caller, id, { maxCredits: 100 })
    expect(await until(pack, id, 'done')).toMatchObject({ list, matched: 2, noMatch: 1 })
    expect((await resultOf(pack, id)).split('\n')[1]).toContain(`"${emailOf(0)}","'=1+1, ""x""",1`)
  })

  test('is refused where the list is not there, not the only source, or all checked; no copy is left', async () => {
    await pack.peopleLists.create(caller, { name: 'Notes', rows: [{ Note: 'x' }] })
    const before = await filesOf()
    const refused = [
      [{ list: 'none', ...contacts }, { code: 'not_found' }],
      [{ ...contacts }, { details: { errors: [{ pointer: '/file' }] } }],
      [{ list: 'Notes', file: 'fil_1', ...contacts }, { details: { errors: [{ pointer: '/file' }] } }],
      [{ file: 'fil_1', olderThanDays: 1, ...contacts }, { details: { errors: [{ pointer: '/olderThanDays' }] } }],
      [{ list: 'Notes', olderThanDays: -1, ...contacts }, { details: { errors: [{ pointer: '/olderThanDays' }] } }],
      [{ list: 'Notes', ...contacts }, { details: { errors: [{ pointer: '/map' }] } }],
    ] as const
    for (const [newJob, failure] of refused)
      await expect(pack.jobs.create(caller, newJob)).rejects.toMatchObject(failure)
    expect(await filesOf()).toBe(before)
    const bound = { ...caller, token: 'tok_bound', steps: ['contact-data/find-contact'] }
    await expect(pack.jobs.create(bound, { list: 'Notes', ...contacts })).rejects.toMatchObject({ code: 'not_found' })
    await expect(pack.jobs.create({ tenant: 'other' }, { list: 'Notes', ...contacts })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('copies nobody who was suppressed after the list was made', async () => {
    const people = [rows[0]!, { Email: 'left@unknown.example', Note: 'left out' }]
    const { id: list } = await pack.peopleLists.create(caller, { name: 'Suppressed since', rows: people })
    await pack.suppressions.add(caller, [{ email: 'left@unknown.example' }])
    const { id } = await pack.jobs.create(caller, { list, ...contacts, confirm: true })
    expect(await until(pack, id, 'done')).toMatchObject({ rows: 1, matched: 1, suppressed: 0 })
    expect(await resultOf(pack, id)).not.toContain('left')
  })

  test('is made once for one key, with one copy', async () => {
    await pack.peopleLists.create(caller, { name: 'Keyed', rows })
    const before = await filesOf()
    const newJob = { list: 'Keyed', ...contacts, idempotencyKey: 'once' }
    const [first, second] = [await pack.jobs.create(caller, newJob), await pack.jobs.create(caller, newJob)]
    expect(second.id).toBe(first.id)
    expect(await filesOf()).toBe(before + 1)
  })

  test('is the same for its key once it has ended, also where its rows were checked and its list is gone', async () => {
    const { id: list } = await pack.peopleLists.create(caller, { name: 'Keyed twice', rows })
    const newJob = { list, olderThanDays: 30, ...contacts, confirm: true, idempotencyKey: 'ended' }
    const { id } = await pack.jobs.create(caller, newJob)
    await until(pack, id, 'done')
    const before = await filesOf()
    expect(await pack.jobs.create(caller, newJob)).toMatchObject({ id, state: 'done' })
    await pack.peopleLists.remove(caller, list)
    expect(await pack.jobs.create(caller, newJob)).toMatchObject({ id, state: 'done' })
    await expect(pack.jobs.create(caller, { ...newJob, olderThanDays: 31 })).rejects.toMatchObject({ code: 'conflict' })
    expect(await filesOf()).toBe(before)
  })
})

test('the copy of a list goes where its job cannot be stored, and stays where only the answer was lost', async () => {
  const { reopen, pack: first } = await openJobsWorld()
  const { id: list } = await first.peopleLists.create(caller, { name: 'Unstored', rows })
  let isStored = false
  const again = await reopen(async ({ bulkJobs }) => {
    const { add } = bulkJobs
    bulkJobs.add = async (job) => {
      if (isStored) await add(job)
      throw fail('unavailable', 'No answer.')
    }
  })
  const copies = async () => (await again.files.list(caller, { limit: 100 })).items.length
  const refused = { code: 'unavailable' }
  await expect(again.jobs.create(caller, { list, ...contacts })).rejects.toMatchObject(refused)
  expect(await copies()).toBe(0)
  isStored = true
  const newJob = { list, ...contacts, confirm: true, idempotencyKey: 'lost' }
  await expect(again.jobs.create(caller, newJob)).rejects.toMatchObject(refused)
  expect(await copies()).toBe(1)
  const { id } = await again.jobs.create(caller, newJob)
  expect(await until(again, id, 'done')).toMatchObject({ matched: 2 })
})

describe('a refresh', () => {
  test('is priced, looks up the rows that are too old, and stores what it finds in them', async () => {
    const { id: list } = await pack.peopleLists.create(caller, { name: 'Old', rows })
    const refresh = async (olderThanDays: number) => {
      const { id } = await pack.jobs.create(caller, { list: 'Old', olderThanDays, ...contacts })
      const ready = await until(pack, id, 'ready')
      expect(ready.quote!.most).toBeGreaterThan(0)
      const { items } = await pack.peopleLists.get(caller, list)
      await pack.jobs.resume(caller, id, { confirm: true })
      return { before: items, job: await until(pack, id, 'done') }
    }
    const first = await refresh(30)
    expect(first.before.every(({ checkedAt }) => checkedAt === null)).toBe(true)
    expect(first.job).toMatchObject({ rows: 3, matched: 2, noMatch: 1 })
    const after = await pack.peopleLists.get(caller, list)
    const { firstName, lastName } = knownPeople[0]!
    expect(after.items[0]!.values).toMatchObject({ ...rows[0], fullName: `${firstName} ${lastName}` })
    expect(after.items[1]).toMatchObject({ values: rows[1]!, checkedAt: expect.any(String) as string })
    expect(after.columns).toContain('fullName')
    await expect(pack.jobs.create(caller, { list, olderThanDays: 30, ...contacts })).rejects.toMatchObject({
      details: { errors: [{ pointer: '/olderThanDays' }] },
    })
    moveOn(31 * day)
    const paid = charged(sandbox)
    const second = await refresh(30)
    expect(second.job.rows).toBe(3)
    expect(charged(sandbox)).toBeGreaterThan(paid)
    const again = await pack.peopleLists.get(caller, list)
    expect(Date.parse(again.items[0]!.checkedAt!) - Date.parse(after.items[0]!.checkedAt!)).toBeGreaterThan(30 * day)
  })

  test('brings nobody back who was erased, nor a list that was deleted', async () => {
    const { id: list } = await pack.peopleLists.create(caller, { name: 'Erased', rows })
    const { id } = await pack.jobs.create(caller, { list, olderThanDays: 0, ...contacts, sample: 1 })
    await until(pack, id, 'ready')
    await pack.peopleLists.remove(caller, list)
    await pack.jobs.resume(caller, id, { confirm: true })
    await until(pack, id, 'done')
    await expect(pack.peopleLists.get(caller, list)).rejects.toMatchObject({ code: 'not_found' })
    const identifiers = [{ email: emailOf(0) }]
    await pack.privacy.erase(caller, identifiers)
    expect((await pack.privacy.export(caller, identifiers)).records.map(({ kind }) => kind)).toEqual([])
  })
})
