import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { clientOf, findIds } from './board-client.ts'

const sandbox = await startBoardSandbox()
const ask = clientOf(sandbox)
afterAll(() => sandbox.close())
beforeEach(() => sandbox.control.reset())

const { member, secondMember, secondToken } = sandbox.credentials
const ids = findIds(sandbox)
const members = `/1/boards/${ids.board}/members`
type Membership = { id: string; idMember: string; memberType: string; unconfirmed: boolean }
const memberships = async () => (await ask('GET', `/1/boards/${ids.board}/memberships`)).json as Membership[]
const membershipOf = async (idMember: string) => (await memberships()).find((row) => row.idMember === idMember)!

describe('members of a board', () => {
  it('are invited by e-mail, with or without an account', async () => {
    const known = await ask('PUT', `/1/boards/${ids.board}/members`, {
      body: { email: 'odettequill@mail.example', type: 'observer' },
    })
    expect([known.status, known.json.id]).toEqual([200, ids.board])
    expect(await membershipOf(secondMember.id)).toMatchObject({ memberType: 'observer', unconfirmed: false })
    const { json } = await ask('PUT', members, { body: { email: 'new@mail.example', fullName: 'New Person' } })
    const { id } = json.members.find(({ fullName }: { fullName: string }) => fullName === 'New Person')
    expect(await membershipOf(id)).toMatchObject({ memberType: 'normal', unconfirmed: true })
  })

  it.each([
    ['email', {}],
    ['email', { email: 'nobody' }],
    ['fullName', { email: 'a@mail.example', fullName: ' A' }],
    ['type', { email: 'a@mail.example', type: 'owner' }],
  ])('an invitation with a wrong %s is refused', async (field, body) => {
    expect(await ask('PUT', members, { body })).toMatchObject({ status: 400, text: `invalid value for ${field}` })
    expect(await memberships()).toHaveLength(2)
  })

  it('get another role from an admin', async () => {
    const at = `/1/boards/${ids.board}/memberships/${(await membershipOf(secondMember.id)).id}`
    const body = { type: 'admin' }
    expect((await ask('PUT', at, { body, token: secondToken })).status).toBe(401)
    expect((await ask('PUT', at, { body })).json).toMatchObject({ idMember: secondMember.id, memberType: 'admin' })
    expect((await ask('PUT', at, { body: { type: 'owner' } })).status).toBe(400)
    expect(await membershipOf(secondMember.id)).toMatchObject({ memberType: 'admin' })
  })

  it('are removed by an admin, or leave', async () => {
    expect((await ask('DELETE', `${members}/${member.id}`, { token: secondToken })).status).toBe(401)
    const left = await ask('DELETE', `${members}/${secondMember.id}`, { token: secondToken })
    expect(left.json.members).toEqual([expect.objectContaining({ id: member.id })])
    expect((await ask('DELETE', `${members}/${secondMember.id}`)).status).toBe(404)
  })
})

describe('votes on a card', () => {
  const at = (card: string) => `/1/cards/${ids.card(card)}/membersVoted`
  const voters = async (card: string) =>
    (await ask('GET', at(card))).json.map(({ id }: { id: string }) => id) as string[]

  it('are given once, for oneself, and taken back', async () => {
    const card = 'Write the launch page'
    const vote = (value: string) => ask('POST', at(card), { body: { value } })
    expect((await vote(secondMember.id)).status).toBe(401)
    expect((await vote(member.id)).status).toBe(200)
    expect(await vote(member.id)).toMatchObject({ status: 400, text: 'member has already voted on the card' })
    expect(await voters(card)).toEqual([member.id])
    expect((await ask('DELETE', `${at(card)}/${member.id}`)).status).toBe(200)
    expect((await ask('DELETE', `${at(card)}/${member.id}`)).status).toBe(400)
    expect(await voters(card)).toEqual([])
  })

  it('are refused where the board lets nobody vote', async () => {
    const board = sandbox.state.boards.get(ids.board)!
    board.prefs['voting'] = 'disabled'
    expect((await ask('POST', at('Write the launch page'), { body: { value: member.id } })).status).toBe(401)
  })
})
