import { beforeAll, describe, expect, it } from 'vitest'
import type { Integration, Trigger } from '#kit'
import { integrations } from '../../integrations/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import { linesOver } from '../support/command-line.ts'
import type { Place } from '../support/command-line.ts'
import { openHttpWorld } from '../support/http-world.ts'

/**
 * As it would be if New Board Activity had replaced two triggers: of one with a way to turn its config, of the other
 * without.
 */
const replaced: Record<string, Trigger['deprecated']> = {
  'new-card': {
    since: '0.2.0',
    use: 'new-board-activity',
    migrate: ({ boards }) => ({ boards, types: ['createCard'] }),
  },
  'card-moved': { since: '0.2.0', use: 'new-board-activity' },
}
const withReplaced = (integration: Integration): Integration => ({
  ...integration,
  triggers: (integration.triggers ?? []).map((trigger) => ({
    ...trigger,
    ...(replaced[trigger.id] ? { deprecated: replaced[trigger.id]! } : {}),
  })),
})

let board: string
const face = await openHttpWorld({ integrations: integrations.map(withReplaced) })
beforeAll(async () => {
  const { key, appSecret } = face.sandbox.board.credentials
  await face.pack.apps.put({ tenant: 'default' }, 'work-board', { key, secret: appSecret })
  board = findIds(face.sandbox.board).board
  await face.pack.start()
})

const { command, json } = linesOver(face, { width: 160 })
const attach = async (trigger: string) => {
  const agent = ['--agent', 'https://agent.example/start', '--delivery', 'poll']
  return (await json(['subscribe', 'work-board', trigger, '-f', `boards=${board}`, ...agent], 'remote')) as {
    id: string
  }
}
const triggerOf = async (id: string) => (await json(['subscriptions', 'show', id], 'remote')).trigger

describe.each<Place>(['embedded', 'remote'])('toolyard upgrade, %s', (place) => {
  it('lists who uses what is deprecated, then moves the subscriptions that can be moved', async () => {
    const [movable, stuck, other] = [
      await attach('new-card'),
      await attach('card-moved'),
      await attach('card-archived'),
    ]
    const { token } = await face.pack.tokens.create('default', {
      name: 'Commenter',
      scopes: ['run'],
      steps: ['work-board/add-comment'],
    })
    await command(
      [
        'run',
        'work-board',
        'add-comment',
        '-f',
        `idCard=${findIds(face.sandbox.board).card('Press kit')}`,
        '-f',
        'text=Hello',
      ],
      place,
    )

    const { uses, ...otherFields } = await json(['upgrade', '--check'], place)
    expect(otherFields).toEqual({ tokensListed: true })
    expect(uses).toContainEqual({
      what: 'work-board/new-card',
      use: 'new-board-activity',
      since: '0.2.0',
      by: 'subscription',
      id: movable.id,
      detail: 'active',
    })
    expect(uses).toContainEqual({
      what: 'work-board/add-comment',
      use: 'add-comment-to-card',
      since: null,
      by: 'token',
      id: token.id,
      detail: 'Commenter',
    })
    expect(uses).toContainEqual(
      expect.objectContaining({
        what: 'work-board/add-comment',
        by: 'runs',
        detail: expect.stringMatching(/^\d+ in 30 days, the last on \d{4}-/),
      }),
    )
    expect(uses.map(({ id }: { id: string }) => id)).not.toContain(other.id)
    expect([await triggerOf(movable.id), await triggerOf(stuck.id)]).toEqual(['new-card', 'card-moved'])

    const listed = await command(['upgrade', '--check'], place)
    expect(listed.code).toBe(0)
    expect(listed.out).toMatch(
      new RegExp(`^work-board/card-moved +new-board-activity +subscription +${stuck.id} +active$`, 'm'),
    )
    expect(listed.out).toContain('Move the subscriptions with "toolyard upgrade".')
    expect(listed.out).toContain('Tokens and workflows cannot be moved from here')

    const { code, out, err } = await command(['upgrade'], place)
    expect(code).toBe(1)
    expect(out).toContain(`${movable.id} now uses new-board-activity.\n`)
    expect(err).toContain(`${stuck.id}: The config of "card-moved" cannot be turned into one of "new-board-activity".`)
    expect([await triggerOf(movable.id), await triggerOf(stuck.id)]).toEqual(['new-board-activity', 'card-moved'])

    await command(['subscriptions', 'remove', stuck.id], 'remote')
    await face.pack.tokens.revoke('default', token.id)
    const after = await json(['upgrade'], place)
    expect(after).toMatchObject({ moved: [], failed: [] })
    expect(after.uses.map(({ by }: { by: string }) => by)).toEqual(['runs'])
    for (const { id } of [movable, other]) await command(['subscriptions', 'remove', id], 'remote')
  })
})

it('says so where tokens may not be listed', async () => {
  const token = await face.tokenWith(['subscriptions', 'read'])
  const { code, out } = await command(['upgrade', '--check'], 'remote', { env: { TOOLYARD_TOKEN: token } })
  expect(code).toBe(0)
  expect(out).toContain('Tokens are not listed: that needs a token with the scope "admin".')
})
