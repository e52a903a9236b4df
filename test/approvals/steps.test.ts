import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fail } from '#kit'
import { createMemoryStore } from '../../shared/store/index.ts'
import { caller } from '../support/world.ts'
import { agent, approver, heldIn, openApprovalWorld } from './world.ts'
import type { ApprovalWorld } from './world.ts'

let world: ApprovalWorld
beforeEach(async () => void (world = await openApprovalWorld()))
afterEach(() => world.close())

const card = (name = 'A card') => ({ idList: world.ids.list('Ideas'), name })
const create = (name?: string, more: object = {}, by = agent) =>
  world.run('work-board/create-card', card(name), more, by)
const denialOf = (outcome: unknown) => (outcome as { failure: { code: string; message: string } }).failure

describe('a run that a rule holds', () => {
  it('is sent once after it was approved, and its repeat gets the outcome once', async () => {
    await world.rule()
    const outcome = await create()
    const id = heldIn(outcome)
    expect(world.writes()).toHaveLength(0)
    const shown = await world.pack.approvals.get(approver, id)
    expect(shown).toMatchObject({ state: 'open', kind: 'step', effect: 'create', person: 'ann', mayDecide: true })
    expect(shown.input).toMatchObject({ name: 'A card' })
    expect(shown.requests).toMatchObject([{ method: 'POST' }])
    // A repeat waits at the same place.
    expect(heldIn(await create())).toBe(id)

    await Promise.all([world.pack.approvals.approve(approver, id), world.pack.approvals.approve(approver, id)])
    const ended = await world.until(id)
    expect(ended).toMatchObject({ state: 'done', code: null, decidedBy: 'library' })
    expect(world.writes()).toHaveLength(1)
    const again = await create()
    expect(again).toMatchObject({ ok: true, value: { name: 'A card' }, meta: { runId: ended.runId } })
    expect(world.writes()).toHaveLength(1)
    // The outcome was delivered: the next call is a new one.
    expect(heldIn(await create())).not.toBe(id)
    expect(world.writes()).toHaveLength(1)
  })

  it('is not sent after it was denied, and its repeat learns the reason once', async () => {
    await world.rule({ when: { steps: ['work-board/create-card'] } })
    const id = heldIn(await create())
    await world.pack.approvals.deny(approver, id, { reason: 'Not this week.' })
    await expect(world.pack.approvals.approve(approver, id)).rejects.toMatchObject({ code: 'conflict' })
    const outcome = await create()
    expect(denialOf(outcome).code).toBe('approval_denied')
    expect(denialOf(outcome).message).toContain('Not this week.')
    // The history is kept longer than what was held.
    const { items } = await world.pack.runs.list(caller, { limit: 50 })
    expect(items.map(({ code }) => code)).toEqual(['approval_denied', 'approval_pending'])
    expect(JSON.stringify(items)).not.toContain('Not this week.')
    expect(heldIn(await create())).not.toBe(id)
    expect(world.writes()).toHaveLength(0)
  })

  it('ends when nobody decides in time', async () => {
    await world.rule({ expiresMinutes: 10 })
    const id = heldIn(await create())
    world.clock.advance(11 * 60_000)
    expect(await world.pack.approvals.get(approver, id)).toMatchObject({ state: 'expired', mayDecide: false })
    await expect(world.pack.approvals.approve(approver, id)).rejects.toMatchObject({ code: 'approval_expired' })
    expect(denialOf(await create()).code).toBe('approval_expired')
    expect(world.writes()).toHaveLength(0)
  })

  it('is found again by its idempotency key, and another input under it is refused', async () => {
    await world.rule()
    const id = heldIn(await create('One', { idempotencyKey: 'k' }))
    expect(heldIn(await create('One', { idempotencyKey: 'k' }))).toBe(id)
    expect(denialOf(await create('Two', { idempotencyKey: 'k' })).code).toBe('conflict')
    expect(heldIn(await create('One'))).not.toBe(id)
    await world.pack.approvals.approve(approver, id)
    await world.until(id)
    const first = await create('One', { idempotencyKey: 'k' })
    expect(first).toMatchObject({ ok: true, value: { name: 'One' } })
    // With a key, the outcome stays with it.
    expect(await create('One', { idempotencyKey: 'k' })).toMatchObject({ ok: true, meta: { cached: true } })
    expect(world.writes()).toHaveLength(1)
  })

  it('is held anew under its idempotency key when nobody decided, and stays denied when somebody denied it', async () => {
    await world.rule({ expiresMinutes: 10 })
    const late = heldIn(await create('One', { idempotencyKey: 'k' }))
    world.clock.advance(11 * 60_000)
    expect(denialOf(await create('One', { idempotencyKey: 'k' })).code).toBe('approval_expired')
    const again = heldIn(await create('One', { idempotencyKey: 'k' }))
    expect(again).not.toBe(late)
    await world.pack.approvals.deny(approver, again)
    for (let n = 0; n < 2; n += 1)
      expect(denialOf(await create('One', { idempotencyKey: 'k' })).code).toBe('approval_denied')
    expect(world.writes()).toHaveLength(0)
  })

  it('lets reads pass, dry runs, and what no rule meets', async () => {
    await world.rule({ when: { effects: ['delete'] } })
    expect((await world.run('work-board/get-boards', {}, {}, agent)).ok).toBe(true)
    expect((await create('Free')).ok).toBe(true)
    expect((await create('Dry', { dryRun: true })).ok).toBe(true)
    const path = `/1/cards/${[...world.sandbox.board.state.cards.keys()][0]}`
    heldIn(await world.run('work-board/api-call', { method: 'DELETE', path }, {}, agent))
    expect((await world.run('work-board/api-call', { method: 'GET', path }, {}, agent)).ok).toBe(true)
  })
})

describe('who decides', () => {
  it('is never whoever made the call, unless the rule says so', async () => {
    const asker = { ...caller, person: 'ann' }
    await world.rule({ when: { people: ['ann'] } })
    const id = heldIn(await create('Mine', {}, asker))
    await expect(world.pack.approvals.approve(asker, id)).rejects.toMatchObject({ code: 'not_allowed' })
    const other = { ...caller, token: 'other', person: 'ann', scopes: ['approvals' as const] }
    await expect(world.pack.approvals.approve(other, id)).rejects.toMatchObject({ code: 'not_allowed' })
    // It may be taken back.
    expect(await world.pack.approvals.deny(asker, id)).toMatchObject({ state: 'denied' })
    await world.rule({ by: 'caller', when: { people: ['bea'] } })
    const bea = { ...agent, person: 'bea' }
    const own = heldIn(await create('Own', {}, bea))
    expect(await world.pack.approvals.approve(bea, own)).toMatchObject({ state: 'approved' })
    await world.until(own)
    expect(world.writes()).toHaveLength(1)
  })

  it('are those alone whom the rule names, with the scope', async () => {
    await world.rule({ by: { people: ['boss'] } })
    const id = heldIn(await create())
    await expect(world.pack.approvals.approve(approver, id)).rejects.toMatchObject({ code: 'not_allowed' })
    const boss = { ...caller, token: 'boss', person: 'boss', scopes: ['run' as const] }
    await expect(world.pack.approvals.approve(boss, id)).rejects.toMatchObject({ code: 'not_found' })
    const allowed = { ...boss, scopes: ['approvals' as const] }
    expect((await world.pack.approvals.list(allowed, { limit: 10 })).items).toMatchObject([{ id, mayDecide: true }])
    await world.pack.approvals.approve(allowed, id)
    await world.until(id)
    expect(world.writes()).toHaveLength(1)
  })

  it('sees no more than the bounds of the token', async () => {
    await world.rule()
    const id = heldIn(await create())
    for (const bounds of [
      { connections: ['conn_other'] },
      { steps: ['anz-data/enrich-person'] },
      { tenant: 'other' },
    ]) {
      const bound = { ...approver, token: 'bound', ...bounds }
      await expect(world.pack.approvals.get(bound, id)).rejects.toMatchObject({ code: 'not_found' })
      await expect(world.pack.approvals.approve(bound, id)).rejects.toMatchObject({ code: 'not_found' })
      expect((await world.pack.approvals.list(bound, { limit: 10 })).items).toEqual([])
    }
    const stranger = { ...agent, token: 'stranger', person: 'bea' }
    await expect(world.pack.approvals.get(stranger, id)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('what is sent', () => {
  const idCard = () => [...world.sandbox.board.state.cards.values()].find(({ closed }) => !closed)!.id

  it('is held again when the state of its object differs from what was shown', async () => {
    const cards = [...world.sandbox.board.state.cards.values()].filter(({ closed }) => !closed).slice(0, 2)
    const [first, second] = cards.map(({ id }) => id) as [string, string]
    await world.rule()
    const input = { idCards: [first, second], idList: world.ids.list('Done') }
    const move = () => world.run('work-board/move-cards', input, {}, agent)
    const id = heldIn(await move())
    const before = await world.pack.approvals.get(approver, id)
    world.sandbox.board.state.cards.get(first)!.idList = world.ids.list('Done')
    await world.pack.approvals.approve(approver, id)
    const again = await world.until(id, (state) => state !== 'approved' && state !== 'sending')
    expect(again).toMatchObject({ state: 'open', reason: 'What would be sent has changed since it was approved.' })
    expect(again.requests).not.toEqual(before.requests)
    expect(world.writes()).toHaveLength(0)
    // A click that was meant for the former version approves nothing.
    await expect(world.pack.approvals.approve(approver, id)).rejects.toMatchObject({ code: 'conflict' })
    await world.pack.approvals.approve(approver, id, { version: again.version })
    expect(await world.until(id)).toMatchObject({ state: 'done', code: null })
    expect(world.sandbox.board.state.cards.get(second)!.idList).toBe(world.ids.list('Done'))
  })

  it('ends when the connection was changed', async () => {
    await world.rule()
    const id = heldIn(await create())
    const [connection] = await world.pack.connections.list(caller, { integration: 'work-board' })
    await world.pack.connections.patch(caller, connection!.id, { policy: { methods: ['GET', 'POST'] } })
    await world.pack.approvals.approve(approver, id)
    expect(await world.until(id)).toMatchObject({ state: 'expired', code: 'approval_expired' })
    expect(denialOf(await create()).message).toContain('changed')
    expect(world.writes()).toHaveLength(0)
  })

  it('is tried later when the provider cannot be reached, and never twice', async () => {
    await world.rule()
    const id = heldIn(await create())
    world.sandbox.board.control.fault({ match: { method: 'POST' }, cut: 'reset', when: 'after', times: 1 })
    await world.pack.approvals.approve(approver, id)
    const ended = await world.until(id)
    expect(ended).toMatchObject({ state: 'done', code: 'outcome_unknown' })
    expect(world.writes()).toHaveLength(1)
    expect(denialOf(await create()).code).toBe('outcome_unknown')
    expect(world.writes()).toHaveLength(1)
    expect(idCard()).toBeDefined()
  })

  it('holds by the board that something lies in, whichever way it is named', async () => {
    const { cards, boards, lists } = world.sandbox.board.state
    const target = cards.get(idCard())!
    const board = boards.get(lists.get(target.idList)!.idBoard)!
    await world.rule({ when: { objects: [board.id] } })
    for (const name of [target.id, target.shortLink])
      heldIn(await world.run('work-board/update-card', { idCard: name, name: `New ${name}` }, {}, agent))
    heldIn(
      await world.run(
        'work-board/api-call',
        { method: 'PUT', path: `/1/cards/${target.shortLink}`, body: { name: 'x' } },
        {},
        agent,
      ),
    )
    expect(world.writes()).toHaveLength(0)
  })

  it('says that a file follows the custom fields of a card', async () => {
    await world.rule()
    const input = { idCard: idCard(), customFields: { Points: 5 } }
    const shownOf = async (more: object) =>
      world.pack.approvals.get(
        approver,
        heldIn(await world.run('work-board/update-card', { ...input, ...more }, {}, agent)),
      )
    expect(await shownOf({})).toMatchObject({ complete: true, requests: [{ method: 'PUT' }] })
    const file = { name: 'sizes.txt', base64: 'QTM=' }
    expect(await shownOf({ file })).toMatchObject({ complete: false, requests: [{ method: 'PUT' }] })
  })

  it('is complete for a step that updates by adding something', async () => {
    await world.rule()
    const file = { name: 'sizes.txt', base64: 'QTM=' }
    const held = heldIn(await world.run('work-board/update-card', { idCard: idCard(), file }, {}, agent))
    expect(await world.pack.approvals.get(approver, held)).toMatchObject({
      complete: true,
      requests: [{ method: 'POST' }],
    })
  })

  it('is all of what a step does over many cards', async () => {
    await world.rule()
    const cards = Array.from(
      { length: 12 },
      (_, n) => world.sandbox.board.control.createCard({ idList: world.ids.list('Ideas'), name: `Card ${n}` }).id,
    )
    const before = world.writes().length
    const input = { idCards: cards, idList: world.ids.list('Done') }
    const id = heldIn(await world.run('work-board/move-cards', input, {}, agent))
    expect(await world.pack.approvals.get(approver, id)).toMatchObject({ complete: false })
    expect(world.writes()).toHaveLength(before)
    await world.pack.approvals.approve(approver, id)
    expect(await world.until(id)).toMatchObject({ state: 'done', code: null })
    expect(world.writes()).toHaveLength(before + 12)
  })
})

describe('a key', () => {
  it('stands for one held run, whichever token it comes with', async () => {
    await world.rule()
    const id = heldIn(await create('One', { idempotencyKey: 'k' }))
    const other = { ...agent, token: 'another' }
    expect(heldIn(await create('One', { idempotencyKey: 'k' }, other))).toBe(id)
    await world.pack.approvals.approve(approver, id)
    await world.until(id)
    expect(await create('One', { idempotencyKey: 'k' }, other)).toMatchObject({ ok: true })
    expect(await create('One', { idempotencyKey: 'k' })).toMatchObject({ ok: true })
    expect(world.writes()).toHaveLength(1)
  })

  it('can be used again after nobody decided, and not after somebody denied it', async () => {
    await world.rule({ expiresMinutes: 5 })
    const first = heldIn(await create('One', { idempotencyKey: 'k' }))
    world.clock.advance(6 * 60_000)
    expect(denialOf(await create('One', { idempotencyKey: 'k' })).code).toBe('approval_expired')
    const second = heldIn(await create('One', { idempotencyKey: 'k' }))
    expect(second).not.toBe(first)
    await world.pack.approvals.deny(approver, second)
    for (let round = 0; round < 2; round += 1)
      expect(denialOf(await create('One', { idempotencyKey: 'k' })).code).toBe('approval_denied')
    expect(world.writes()).toHaveLength(0)
  })
})

describe('rules', () => {
  it('hold at once, and no longer once they are gone; what waits is found all the same', async () => {
    const { id: rule } = await world.rule()
    const id = heldIn(await create())
    await world.pack.approvalRules.remove(caller, rule)
    expect(heldIn(await create())).toBe(id)
    expect((await create('Another')).ok).toBe(true)
    expect(world.writes()).toHaveLength(1)
  })

  it('hold although they could not be read again after they were made', async () => {
    const { store, ...broken } = await openBrokenRead()
    await broken.world.rule().catch(() => undefined)
    store.heal()
    expect(denialOf(await broken.create()).code).toBe('approval_pending')
    await broken.world.close()
  })

  it('name what exists', async () => {
    for (const when of [
      { integrations: ['none'] },
      { steps: ['work-board/none'] },
      { toolSets: ['none'] },
      { connections: ['con_none'] },
    ])
      await expect(world.rule({ when })).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

/** A world whose store does not list rules, until it is healed. */
const openBrokenRead = async () => {
  const store = createMemoryStore()
  const { list } = store.approvalRules
  let isBroken = false
  store.approvalRules.list = async (tenant) => {
    if (isBroken && tenant === undefined) throw fail('unavailable', 'The store does not answer.')
    return list(tenant)
  }
  const broken = await openApprovalWorld({ store })
  isBroken = true
  return {
    world: broken,
    store: { heal: () => void (isBroken = false) },
    create: () => broken.run('work-board/create-card', { idList: broken.ids.list('Ideas'), name: 'Held' }, {}, agent),
  }
}
