import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agent, approver, heldIn, openApprovalWorld } from './world.ts'
import type { ApprovalWorld } from './world.ts'

let world: ApprovalWorld
beforeEach(async () => void (world = await openApprovalWorld()))
afterEach(() => world.close())

const hold = async (step: string, input: object, by = agent) => heldIn(await world.run(step, input, {}, by))
const textOf = async (id: string) => (await world.pack.approvals.get(approver, id)).summary?.text

describe('a held run is described', () => {
  it('by who asks, for whom, and what would be done', async () => {
    await world.rule()
    const id = await hold('work-board/create-card', { idList: world.ids.list('Ideas'), name: 'Call Bob' })
    expect(await textOf(id)).toMatch(/ for ann wants to create the card Call Bob in /)
    const { items } = await world.pack.approvals.list(approver, { limit: 5 })
    const shown = await world.pack.approvals.get(approver, id)
    expect(items[0]).toMatchObject({ summary: shown.summary, version: 1, price: 'free', names: shown.names })
    // What others wrote is a part of its own.
    expect(shown.summary!.parts).toContainEqual({ text: 'Call Bob', role: 'what' })
    await world.pack.approvals.deny(approver, id)
    expect(await textOf(id)).toMatch(/ for ann wanted to create the card Call Bob in /)
  })

  it('without an id where a name is not known', async () => {
    await world.rule()
    const [card] = world.sandbox.board.state.cards.values()
    const text = await textOf(await hold('work-board/delete-card', { idCard: card!.id }))
    expect(text).toMatch(/ wants to delete a card for good$/)
  })

  it('by the names that the connection has learned', async () => {
    const [card] = world.sandbox.board.state.cards.values()
    await world.run('work-board/get-card', { idCard: card!.id }, {}, agent)
    await world.rule()
    const id = await hold('work-board/delete-card', { idCard: card!.id })
    expect((await textOf(id))!.endsWith(` wants to delete the card ${card!.name} for good`)).toBe(true)
  })

  it('with names by id of the tokens, the connection and the rule', async () => {
    const rule = await world.rule({ name: 'Ask first' })
    const { token } = await world.pack.tokens.create('default', { name: 'CRM agent', scopes: ['run'] })
    const id = await hold(
      'work-board/create-card',
      { idList: world.ids.list('Ideas'), name: 'Call Bob' },
      { ...agent, token: token.id },
    )
    const { names, connection } = await world.pack.approvals.get(approver, id)
    expect(names).toMatchObject({ [token.id]: 'CRM agent', [rule.id]: 'Ask first' })
    expect(names[connection!]).toEqual(expect.any(String))
    expect(await textOf(id)).toMatch(/^CRM agent for ann wants to /)
  })
})
