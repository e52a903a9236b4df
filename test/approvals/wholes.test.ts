import { describe, expect, it } from 'vitest'
import { charged, create, openJobsWorld, peopleFile, until } from '../bulk-jobs/world.ts'
import { caller } from '../support/world.ts'
import { agent, approver, heldIn, openApprovalWorld } from './world.ts'
import { people } from '../support/people.ts'

const wide = { when: {}, by: 'approvers' as const, expiresMinutes: 60 }
const approvals = (pack: Awaited<ReturnType<typeof openJobsWorld>>['pack']) =>
  pack.approvals.list(approver, { limit: 50 }).then(({ items }) => items)

describe('a lookup at several providers', () => {
  const known = people.find(({ knownTo, suppressed, workEmail }) => !suppressed && workEmail && knownTo.length === 2)!
  const call = { kind: 'person' as const, identifiers: { email: known.workEmail! }, want: ['mobilePhone'] }
  const sent = ({ sandbox }: Awaited<ReturnType<typeof openApprovalWorld>>) =>
    sandbox.contact.control.counters().requests + sandbox.anz.control.counters().requests

  it('waits as a whole, with its total, and is sent once', async () => {
    const world = await openApprovalWorld()
    await world.rule()
    const look = () => world.pack.lookups.run(agent, call)
    const id = heldIn(await look())
    expect(heldIn(await look())).toBe(id)
    expect(await approvals(world.pack)).toMatchObject([{ id, kind: 'lookup', effect: 'read' }])
    const { credits } = await world.pack.approvals.get(approver, id)
    expect(credits).toBeGreaterThan(0)
    expect(sent(world)).toBe(0)
    await world.pack.approvals.approve(approver, id)
    expect(await world.until(id)).toMatchObject({ state: 'done', code: null })
    const requests = sent(world)
    expect(requests).toBeGreaterThan(0)
    expect(await look()).toMatchObject({ ok: true, value: { matched: true } })
    expect(sent(world)).toBe(requests)
    await world.close()
  })

  it('is limited by whoever approves it, who cannot raise the limit', async () => {
    const world = await openApprovalWorld()
    await world.rule({ when: { creditsOver: 0 } })
    const id = heldIn(await world.pack.lookups.run(agent, { ...call, maxAge: 0 }))
    const { credits } = await world.pack.approvals.get(approver, id)
    await expect(world.pack.approvals.approve(approver, id, { maxCredits: credits! + 1 })).rejects.toMatchObject({
      code: 'invalid_input',
    })
    await world.pack.approvals.approve(approver, id, { maxCredits: 0 })
    expect(await world.until(id)).toMatchObject({ state: 'done', code: 'budget_exceeded' })
    expect(sent(world)).toBe(0)
    await world.close()
  })
})

describe('a job', () => {
  it('waits before its first row, and goes on within what was approved', async () => {
    const world = await openJobsWorld()
    const { pack, sandbox } = world
    await pack.approvalRules.create(caller, wide)
    const { id } = await create(pack, peopleFile(5), { confirm: true })
    const waiting = await until(pack, id, 'paused')
    expect(waiting.reason).toMatchObject({ code: 'approval_pending' })
    expect(sandbox.control.counters().requests).toBe(0)
    const [row] = await approvals(pack)
    expect(row).toMatchObject({ kind: 'job', state: 'open', credits: waiting.quote!.most })
    await expect(pack.jobs.resume(caller, id, { confirm: true })).rejects.toMatchObject({ code: 'approval_pending' })
    await pack.approvals.approve({ ...approver, token: 'tok_other' }, row!.id)
    const done = await untilDone(pack, id)
    expect(done).toMatchObject({ state: 'done', matched: 5 })
    expect(charged(sandbox)).toBe(done.credits.spent)
    expect(done.credits.spent).toBeLessThanOrEqual(row!.credits!)
    await world.close()
  })

  it('stays paused with the reason when it was denied, and can be asked for again', async () => {
    const world = await openJobsWorld()
    const { pack, sandbox } = world
    await pack.approvalRules.create(caller, wide)
    const { id } = await create(pack, peopleFile(3), { confirm: true })
    await until(pack, id, 'paused')
    const [row] = await approvals(pack)
    await pack.approvals.deny({ ...approver, token: 'tok_other' }, row!.id, { reason: 'Too dear.' })
    const paused = await pack.jobs.get(caller, id)
    expect(paused).toMatchObject({ state: 'paused', reason: { code: 'approval_denied' } })
    expect(paused.reason!.message).toContain('Too dear.')
    await expect(pack.jobs.resume(caller, id, { confirm: true })).rejects.toMatchObject({ code: 'approval_denied' })
    await expect(pack.jobs.resume(caller, id, { confirm: true })).rejects.toMatchObject({ code: 'approval_pending' })
    expect(sandbox.control.counters().requests).toBe(0)
    await world.close()
  })
})

const untilDone = async (pack: Awaited<ReturnType<typeof openJobsWorld>>['pack'], id: string) => {
  for (const end = performance.now() + 30_000; performance.now() < end;) {
    const job = await pack.jobs.get(caller, id)
    if (job.state === 'done') return job
    await new Promise((done) => setTimeout(done, 10))
  }
  return pack.jobs.get(caller, id)
}
