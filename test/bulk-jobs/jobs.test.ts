import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { fail } from '../../shared/kit/index.ts'
import type { NewBulkJob } from '../../shared/runtime/bulk-jobs/bulk-jobs.ts'
import { noCounts } from '../../shared/runtime/bulk-jobs/results.ts'
import { run } from '../store/make.ts'
import { caller } from '../support/world.ts'
import { charged, create, emailOf, openJobsWorld, resultOf, until, upload } from './world.ts'
import { knownPeople, optedOut } from '../support/people.ts'

const recordsOf = (text: string) => parse(text, { columns: true, bom: true }) as Record<string, string>[]

const mixed = () =>
  `Id,Email,Note\n1,${emailOf(0)},=1+1\n2,nobody@unknown.example,x\n3,,y\n4,${optedOut.workEmail},z\n5,not an address,\n6,${emailOf(1)},\n`

describe('a job', () => {
  it('quotes without sending, waits for a yes, and ends every row with what came of it', async () => {
    const { pack, sandbox } = await openJobsWorld()
    const { id } = await create(pack, mixed())
    const ready = await until(pack, id, 'ready')
    expect(ready).toMatchObject({
      rows: 6,
      done: 0,
      map: { email: 'Email' },
      confirmed: false,
      hitRate: null,
      credits: { spent: 0, max: null },
    })
    expect(ready.quote!.most).toBeGreaterThan(0)
    const preview = await pack.jobs.preview(caller, id)
    expect(preview.rows.map(({ row, input, problem }) => [row, input['email'], problem === null])).toEqual([
      [1, emailOf(0), true],
      [2, 'nobody@unknown.example', true],
      [3, undefined, false],
      [4, optedOut.workEmail, true],
      [5, 'not an address', false],
      [6, emailOf(1), true],
    ])
    expect(sandbox.control.counters().requests).toBe(0)
    await expect(pack.jobs.resume(caller, id, {})).rejects.toMatchObject({
      code: 'invalid_input',
      details: { errors: [{ pointer: '/maxCredits' }] },
    })

    await pack.jobs.resume(caller, id, { maxCredits: 100 })
    const done = await until(pack, id, 'done')
    expect(done).toMatchObject({
      rows: 6,
      done: 6,
      matched: 2,
      noMatch: 1,
      skipped: 2,
      suppressed: 1,
      errors: 0,
      hitRate: 2 / 3,
      reason: null,
    })
    expect(done.credits.spent).toBe(charged(sandbox))
    const { items } = await pack.ledger.list(caller, { limit: 100 })
    expect(
      items.filter(({ kind, job }) => kind === 'settled' && job === id).reduce((sum, { credits }) => sum + credits, 0),
    ).toBe(done.credits.spent)
    const text = await resultOf(pack, id)
    expect(text.split('\n')[1]).toMatch(/^1,[^,]+,'=1\+1,match,/)
    const rows = recordsOf(text)
    expect(rows.map((row) => row['toolyard_status'])).toEqual([
      'match',
      'no_match',
      'skipped',
      'suppressed',
      'skipped',
      'match',
    ])
    expect(rows[0]).toMatchObject({
      Id: '1',
      toolyard_provider: 'contact-data',
      toolyard_matched_by: 'email',
      toolyard_email: emailOf(0),
      toolyard_full_name: `${knownPeople[0]!.firstName} ${knownPeople[0]!.lastName}`,
    })
    for (const row of rows.slice(0, 2)) expect(row['toolyard_at']).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(rows.reduce((sum, row) => sum + Number(row['toolyard_credits']), 0)).toBe(done.credits.spent)
    expect(rows[4]!['toolyard_reason']).toContain('invalid_input')
  })

  it('stops before it would spend more than its budget, and goes on with a larger one', async () => {
    const { pack, sandbox } = await openJobsWorld()
    const text = `email\n${Array.from({ length: 30 }, (_, place) => emailOf(place)).join('\n')}\n`
    const { id } = await create(pack, text, { maxCredits: 7 })
    const paused = await until(pack, id, 'paused')
    expect(paused.reason).toMatchObject({ code: 'budget_exceeded' })
    expect(charged(sandbox)).toBe(paused.credits.spent)
    expect(paused.credits.spent).toBeLessThanOrEqual(7)
    expect(paused.credits.spent).toBeGreaterThan(4)
    await pack.jobs.resume(caller, id, { maxCredits: 100 })
    const done = await until(pack, id, 'done')
    expect(done).toMatchObject({ done: 30, matched: 30 })
    expect(charged(sandbox)).toBe(done.credits.spent)
    expect(sandbox.control.counters().matches).toBe(30)
  })

  it('looks up a paid sample, and then waits', async () => {
    const { pack, sandbox } = await openJobsWorld()
    const text = `email\n${Array.from({ length: 20 }, (_, place) => (place % 2 === 0 ? emailOf(place) : `p${place}@unknown.example`)).join('\n')}\n`
    const { id } = await create(pack, text, { sample: 4 })
    const ready = await until(pack, id, 'ready')
    expect(ready).toMatchObject({ done: 4, matched: 2, hitRate: 0.5, confirmed: false })
    expect(ready.quote!.expected).toBe(ready.credits.spent * 5)
    expect(sandbox.control.counters().matches + sandbox.control.counters().misses).toBe(4)
    await pack.jobs.resume(caller, id, { confirm: true })
    expect(await until(pack, id, 'done')).toMatchObject({ done: 20, matched: 10, noMatch: 10 })
    expect(sandbox.control.counters().matches).toBe(10)
  })

  it('pauses, survives its process, and sends no row twice', async () => {
    const { pack, sandbox, reopen } = await openJobsWorld()
    sandbox.control.inject({ delayMs: 15, times: 1_000_000 })
    const count = Math.min(knownPeople.length, 150)
    const text = `email\n${Array.from({ length: count }, (_, place) => emailOf(place)).join('\n')}\n`
    const { id } = await create(pack, text, { confirm: true })
    await until(pack, id, 'running')
    while (sandbox.control.counters().requests < 20) await new Promise((done) => setTimeout(done, 5))
    expect(await pack.jobs.pause(caller, id)).toMatchObject({ state: 'paused' })
    const again = await reopen()
    const paused = await again.jobs.get(caller, id)
    expect(paused).toMatchObject({ state: 'paused', reason: null })
    expect(charged(sandbox)).toBe(paused.credits.spent)
    await again.jobs.resume(caller, id, {})
    expect(await until(again, id, 'done')).toMatchObject({ done: count, matched: count })
    expect(sandbox.control.counters().matches).toBe(count)
  })

  it('pauses when its connection has lost its key while it is planned, and is planned when it is resumed', async () => {
    const { pack, sandbox, reopen } = await openJobsWorld()
    const { id } = await create(pack, `email\n${emailOf(0)}\n`)
    const { connection } = await until(pack, id, 'ready')
    let sealed = {}
    const locked = await reopen(async (store) => {
      sealed = (await store.connections.get('default', connection))!.secrets
      await store.connections.patch('default', connection, { secrets: {} })
      await store.bulkJobs.patch('default', id, ['ready'], { state: 'preparing', plan: null })
    })
    await locked.jobs.resume(caller, id, {})
    await expect(until(locked, id, 'ready', 'failed')).rejects.toThrow(/^paused: /)
    expect(await locked.jobs.get(caller, id)).toMatchObject({ rows: null, reason: { code: 'not_connected' } })
    const opened = await reopen((store) =>
      store.connections.patch('default', connection, { secrets: sealed }).then(() => undefined),
    )
    // Nobody has seen a price yet, so this agrees to none.
    await opened.jobs.resume(caller, id, { confirm: true })
    expect(await until(opened, id, 'ready')).toMatchObject({ rows: 1, reason: null, confirmed: false })
    expect(sandbox.control.counters().requests).toBe(0)
  })

  it.each([
    ['once, it is priced all the same', 1, { state: 'ready', rows: 1, reason: null }],
    ['three times, the job pauses', 3, { state: 'paused', rows: null, reason: { code: 'unavailable' } }],
  ])('tries a price again at once: where the store cannot say it %s', async (_, times, expected) => {
    const { pack, reopen } = await openJobsWorld()
    const { id } = await create(pack, `email\n${emailOf(0)}\n`)
    await until(pack, id, 'ready')
    let failuresLeft: number = times
    const again = await reopen(async (store) => {
      await store.bulkJobs.patch('default', id, ['ready'], { state: 'preparing', plan: null })
      const { list } = store.connections
      store.connections.list = async (tenant, filter) => {
        const isPlanned = (await store.bulkJobs.get('default', id))!.plan !== null
        if (filter?.integration === undefined || isPlanned || failuresLeft === 0) return list(tenant, filter)
        failuresLeft -= 1
        throw fail('unavailable', 'The store does not answer.')
      }
    })
    await again.jobs.resume(caller, id, {})
    await until(again, id, 'ready', 'paused')
    expect(await again.jobs.get(caller, id)).toMatchObject(expected)
    expect(failuresLeft).toBe(0)
  })

  it.each([
    ['pauses for what is not about its file, and is planned when it is resumed', 'unavailable', 'paused'],
    ['fails for what its file lacks', 'invalid_input', 'failed'],
  ] as const)('%s, where that is thrown', async (_, code, state) => {
    const { pack, reopen } = await openJobsWorld()
    const { id } = await create(pack, `email\n${emailOf(0)}\n`)
    await until(pack, id, 'ready')
    let isBroken = true
    const again = await reopen(async (store) => {
      await store.bulkJobs.patch('default', id, ['ready'], { state: 'preparing', plan: null })
      const { get } = store.files
      store.files.get = (tenant, file) =>
        isBroken ? Promise.reject(fail(code, 'The file cannot be opened.')) : get(tenant, file)
    })
    await again.jobs.resume(caller, id, {})
    await until(again, id, state)
    expect(await again.jobs.get(caller, id)).toMatchObject({ rows: null, reason: { code } })
    if (state === 'failed') return
    isBroken = false
    await again.jobs.resume(caller, id, {})
    expect(await until(again, id, 'ready')).toMatchObject({ rows: 1, reason: null })
  })

  it('pays for a person once, however often a row asks for it, and for none when the file is looked up again', async () => {
    const { pack, sandbox } = await openJobsWorld()
    // The same person within a chunk, and in a later one.
    const emails = [
      ...Array.from({ length: 120 }, (_, row) => emailOf(row % 5).toUpperCase()),
      'nobody@unknown.example',
      emailOf(0),
      emailOf(5),
    ]
    const text = `email\n${emails.join('\n')}\n`
    const { id } = await create(pack, text, { confirm: true })
    expect(await until(pack, id, 'done')).toMatchObject({
      rows: 123,
      matched: 122,
      noMatch: 1,
      errors: 0,
      credits: { spent: charged(sandbox) },
    })
    expect(sandbox.control.counters().matches).toBe(6)
    const before = sandbox.control.counters()
    const again = await create(pack, text, { confirm: true })
    expect(again.id).not.toBe(id)
    expect(await until(pack, again.id, 'done')).toMatchObject({
      matched: 122,
      noMatch: 1,
      errors: 0,
      credits: { spent: 0 },
    })
    expect(sandbox.control.counters()).toEqual(before)
  })

  it('cancelled, has what was looked up in its result, and the rest as skipped', async () => {
    const { pack } = await openJobsWorld()
    const { id } = await create(
      pack,
      `email\n${Array.from({ length: 6 }, (_, place) => emailOf(place)).join('\n')}\n`,
      { sample: 2 },
    )
    await until(pack, id, 'ready')
    await pack.jobs.cancel(caller, id)
    await until(pack, id, 'cancelled')
    expect(recordsOf(await resultOf(pack, id)).map((row) => row['toolyard_status'])).toEqual([
      'match',
      'match',
      'skipped',
      'skipped',
      'skipped',
      'skipped',
    ])
    await expect(pack.jobs.resume(caller, id, { confirm: true })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('stops where the account has no credits left, and goes on when it has some', async () => {
    const { pack, sandbox } = await openJobsWorld({ credits: 3 })
    const { id } = await create(
      pack,
      `email\n${Array.from({ length: 8 }, (_, place) => emailOf(place)).join('\n')}\n`,
      { confirm: true },
    )
    const paused = await until(pack, id, 'paused')
    expect(paused.reason).toMatchObject({ code: 'credits_exhausted' })
    sandbox.control.setCredits(100)
    await pack.jobs.resume(caller, id, {})
    expect(await until(pack, id, 'done')).toMatchObject({ matched: 8, errors: 0 })
    expect(sandbox.control.counters().matches).toBe(8)
  })

  it('does not send a row again that may have been charged', async () => {
    const { pack, sandbox } = await openJobsWorld()
    sandbox.control.inject({ cut: 'reset', when: 'after', times: 2 })
    const { id } = await create(
      pack,
      `email\n${Array.from({ length: 8 }, (_, place) => emailOf(place)).join('\n')}\n`,
      { confirm: true },
    )
    expect(await until(pack, id, 'done')).toMatchObject({ matched: 6, errors: 2 })
    expect(sandbox.control.counters()).toMatchObject({ requests: 8, matches: 8 })
    const failed = recordsOf(await resultOf(pack, id)).filter((row) => row['toolyard_status'] === 'error')
    for (const row of failed) expect(row['toolyard_reason']).toContain('outcome_unknown')
  })

  it('does not ask again for somebody whose answer an earlier row has lost, in another process either', async () => {
    const { pack, sandbox, reopen } = await openJobsWorld()
    sandbox.control.inject({ cut: 'reset', when: 'after', times: 1 })
    const again = emailOf(0).toUpperCase()
    const { id } = await create(pack, `email\n${emailOf(0)}\n ${again}\n${emailOf(1)}\n`, { sample: 1 })
    expect(await until(pack, id, 'ready')).toMatchObject({ errors: 1 })
    const other = await reopen()
    await other.jobs.resume(caller, id, { confirm: true })
    expect(await until(other, id, 'done')).toMatchObject({ matched: 1, errors: 2 })
    expect(sandbox.control.counters()).toMatchObject({ requests: 2, matches: 2 })
    const [, repeat] = recordsOf(await resultOf(other, id))
    expect(repeat).toMatchObject({ toolyard_status: 'error', toolyard_credits: '0' })
    expect(repeat!['toolyard_reason']).toContain('An earlier row asked for the same')
  })

  it('sends neither a row that a killed process may have sent, nor one beside it for the same person', async () => {
    const { pack, sandbox, reopen } = await openJobsWorld()
    const { id } = await create(pack, `email\n${emailOf(0)}\n${emailOf(0)}\n${emailOf(1)}\n`)
    await until(pack, id, 'ready')
    const other = await reopen(async (store) => {
      await store.bulkJobs.putChunk({
        ...noCounts,
        tenant: caller.tenant,
        job: id,
        number: 0,
        state: 'running',
        attempt: 1,
        results: null,
      })
      await store.runs.record(
        run(caller.tenant, `${id}-0-1`, {
          integration: 'contact-data',
          step: 'find-contact',
          state: 'sending',
          credits: 0,
        }),
      )
    })
    await other.jobs.resume(caller, id, { confirm: true })
    expect(await until(other, id, 'done')).toMatchObject({ matched: 1, errors: 2 })
    expect(sandbox.control.counters()).toMatchObject({ requests: 1, matches: 1 })
    expect(recordsOf(await resultOf(other, id)).map((row) => row['toolyard_reason']!.split('. ')[0])).toEqual([
      'outcome_unknown: The process ended while this row was looked up, so it may have been charged',
      'outcome_unknown: An earlier row asked for the same and its answer was lost, so it may have been charged',
      '',
    ])
  })

  it('reads JSONL, maps fields within fields, and writes JSONL', async () => {
    const { pack } = await openJobsWorld()
    const { id } = await create(
      pack,
      `{"contact":{"email":"${emailOf(0)}"},"n":1.50}\n`,
      { map: { email: 'contact.email' }, columns: ['jobTitle'], confirm: true },
      'p.jsonl',
    )
    await until(pack, id, 'done')
    const text = await resultOf(pack, id)
    expect(text).toContain(`{"contact":{"email":"${emailOf(0)}"},"n":1.50,"toolyard":{`)
    expect(JSON.parse(text)).toMatchObject({
      toolyard: { toolyard_status: 'match', toolyard_job_title: knownPeople[0]!.title },
    })
  })

  it.each<[string, string, Partial<NewBulkJob>, string]>([
    ['a column that is not there', 'a\n1\n', { map: { email: 'Email' } }, '/map/email'],
    ['a field that is not there', 'a\n1\n', { map: { mail: 'a' } }, '/map/mail'],
    ['nothing to look up by', 'a\n1\n', {}, '/map'],
    ['an integration without lookups', 'a\n1\n', { integration: 'work-board' }, '/integration'],
    ['no choice between integrations', 'email\n1\n', { integration: undefined }, '/integration'],
    ['a budget below nothing', 'email\n1\n', { maxCredits: -1 }, '/maxCredits'],
  ])('is refused with %s, naming it', async (_, text, request, pointer) => {
    const { pack } = await openJobsWorld()
    await expect(create(pack, text, request)).rejects.toMatchObject({ details: { errors: [{ pointer }] } })
  })

  it('is made once for an idempotency key, and belongs to its tenant', async () => {
    const { pack } = await openJobsWorld()
    const file = await upload(pack, mixed())
    const request = { file, integration: 'contact-data', idempotencyKey: 'key-1' }
    const [firstJob, other] = [await pack.jobs.create(caller, request), await pack.jobs.create(caller, request)]
    expect(other.id).toBe(firstJob.id)
    await expect(pack.jobs.create(caller, { ...request, sample: 1 })).rejects.toMatchObject({ code: 'conflict' })
    expect((await pack.jobs.list(caller, { limit: 10 })).items.map(({ id }) => id)).toEqual([firstJob.id])
    await expect(pack.jobs.get({ tenant: 'other' }, firstJob.id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(pack.jobs.get({ ...caller, connections: ['con_other'] }, firstJob.id)).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
