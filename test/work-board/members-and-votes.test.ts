import { describe, expect, it } from 'vitest'
import { failureOf, ids, idOf, refusals, runStep } from './fake.ts'

const memberships = [
  { id: idOf(70), idMember: ids.member, memberType: 'normal' },
  { id: idOf(71), idMember: idOf(90), memberType: 'admin' },
]

describe('the role of a member', () => {
  const setRole = (input: Record<string, unknown>) =>
    runStep('set-member-role', { idBoard: ids.board, idMember: ids.member, type: 'observer', ...input }, [
      memberships,
      {},
    ])

  it('is changed at their membership', async () => {
    const { sent, output } = await setRole({})
    expect(sent[1]).toEqual({
      method: 'PUT',
      path: `/1/boards/${ids.board}/memberships/${idOf(70)}`,
      body: { type: 'observer' },
    })
    expect(output).toEqual({ idMember: ids.member, type: 'observer', before: 'normal', changed: true })
  })

  it('is not written where they have it', async () => {
    const { sent, output } = await setRole({ type: 'normal' })
    expect(sent).toHaveLength(1)
    expect(output).toMatchObject({ before: 'normal', changed: false })
  })

  it('of somebody who is no member is refused, and they are not added', async () => {
    expect(await failureOf(setRole({ idMember: idOf(99) }))).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('is not a member of the board. Add them with Add Member to Board.') as string,
    })
  })
})

describe('an invitation', () => {
  it('has the address in its normal form, and a name without spaces around it', async () => {
    const input = { idBoard: ids.board, email: ' Ada@EXAMPLE.com ', fullName: ' Ada Marsh ', type: 'admin' }
    const { sent, output } = await runStep('invite-to-board', input, [{ id: ids.board }])
    expect(sent).toEqual([
      {
        method: 'PUT',
        path: `/1/boards/${ids.board}/members`,
        body: { email: 'Ada@example.com', type: 'admin', fullName: 'Ada Marsh' },
      },
    ])
    expect(output).toEqual({ id: ids.board, email: 'Ada@example.com', type: 'admin' })
  })

  it('is refused before it is sent where the address is none', () => {
    expect(refusals('invite-to-board', { idBoard: ids.board, email: 'ada' }).email).toContain('has no "@"')
  })
})

describe('a vote', () => {
  const vote = (step: string, voters: string[]) =>
    runStep(step, { idCard: ids.card }, [{ id: ids.member }, { id: ids.card, idMembersVoted: voters }, []])

  it('is given and taken back as the connected account', async () => {
    const given = await vote('add-vote', [idOf(90)])
    expect(given.sent[2]).toEqual({
      method: 'POST',
      path: `/1/cards/${ids.card}/membersVoted`,
      body: { value: ids.member },
    })
    expect(given.output).toEqual({ id: ids.card, idMembersVoted: [idOf(90), ids.member], changed: true })
    const taken = await vote('remove-vote', [idOf(90), ids.member])
    expect(taken.sent[2]).toEqual({ method: 'DELETE', path: `/1/cards/${ids.card}/membersVoted/${ids.member}` })
    expect(taken.output).toEqual({ id: ids.card, idMembersVoted: [idOf(90)], changed: true })
  })

  it('is written only where it changes something', async () => {
    for (const [step, voters] of [
      ['add-vote', [ids.member]],
      ['remove-vote', []],
    ] as const) {
      const { sent, output } = await vote(step, [...voters])
      expect(sent.map(({ method }) => method)).toEqual(['GET', 'GET'])
      expect(output).toMatchObject({ changed: false })
    }
  })
})
