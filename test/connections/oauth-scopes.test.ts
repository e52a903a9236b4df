/** What an account connected by OAuth 2.0 may do depends on the scopes that were asked for. */
import { expect, it } from 'vitest'
import { startSandbox } from '../../shared/sandbox/index.ts'
import { caller } from '../support/world.ts'
import { connectByOAuth, connected, openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'

let world: OAuthWorld

const watchWorkspace = async (connection: string) => {
  const [workspace] = world.sandbox.board.state.organizations.keys()
  return world.pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'new-board',
    connection,
    config: { idOrganization: workspace! },
    agent: { url: 'http://127.0.0.1:9/start' },
    options: { delivery: 'poll' },
  })
}

it('an account connected by OAuth 2.0 can watch a workspace for new boards', async () => {
  world = await openOAuthWorld({ oauth: '2.0', agentOrigins: ['http://127.0.0.1:9'] })
  const connection = connected((await connectByOAuth(world)).page).id
  expect(await watchWorkspace(connection)).toMatchObject({ state: 'active' })
})

/** A person of the workspace who is not yet on a board that the account may change. */
const addSomebody = (connection: string) => {
  const { boards, members } = world.sandbox.board.state
  const board = [...boards.values()].find(({ closed }) => !closed)!
  board.memberships = board.memberships.slice(0, 1)
  const somebody = [...members.values()].find(({ id }) => !board.memberships.some(({ idMember }) => idMember === id))!
  const input = { idBoard: board.id, idMember: somebody.id }
  return world.pack.steps.run(caller, { integration: 'work-board', step: 'add-member-to-board', connection, input })
}

it('an account connected by OAuth 2.0 can add people to a board', async () => {
  world = await openOAuthWorld({ oauth: '2.0' })
  const connection = connected((await connectByOAuth(world)).page).id
  expect(await addSomebody(connection)).toMatchObject({ ok: true, value: { type: 'normal' } })
  const { steps, connections } = await world.pack.integrations.manifest('work-board')
  const scopes = connections.find(({ id }) => id === 'oauth')!.oauthScopes
  expect(scopes).toContain('write:board:membership:trello')
  const needs = steps
    .filter(({ oauthScopes }) => oauthScopes.includes('write:board:membership:trello'))
    .map(({ id }) => id)
  expect(needs.sort()).toEqual([
    'add-member-to-board',
    'api-call',
    'invite-to-board',
    'remove-member-from-board',
    'set-member-role',
  ])
})

it('one that was connected without the scope for that is told to reconnect', async () => {
  const sandbox = await startSandbox()
  const board = sandbox.wire['work-board'] as { oauth: { v2: object } }
  const v2 = {
    ...board.oauth.v2,
    scopes: ['read:board:trello', 'write:board:trello', 'read:member:trello', 'offline_access'],
  }
  world = await openOAuthWorld({
    sandbox,
    wire: { ...sandbox.wire, 'work-board': { ...board, oauth: { ...board.oauth, version: '2.0', v2 } } },
  })
  const connection = connected((await connectByOAuth(world)).page).id
  const message = expect.stringContaining('Reconnect the account and allow everything that is asked for') as string
  expect(await addSomebody(connection)).toMatchObject({ ok: false, failure: { code: 'access_denied', message } })
  await sandbox.close()
})

it('names what a step needs as each version of OAuth calls it', async () => {
  world = await openOAuthWorld()
  const { steps } = await world.pack.integrations.manifest('work-board')
  expect(steps.find(({ id }) => id === 'add-member-to-board')!.oauthScopes).toEqual(['read', 'write'])
  expect(new Set(steps.flatMap(({ oauthScopes }) => oauthScopes))).toEqual(new Set(['read', 'write']))
})

it('one that was connected with fewer scopes is told to reconnect, not to ask an owner for access', async () => {
  const sandbox = await startSandbox()
  const board = sandbox.wire['work-board'] as { oauth: { v2: object } }
  const v2 = {
    ...board.oauth.v2,
    scopes: ['read:board:trello', 'write:board:trello', 'read:member:trello', 'offline_access'],
  }
  world = await openOAuthWorld({
    sandbox,
    agentOrigins: ['http://127.0.0.1:9'],
    wire: { ...sandbox.wire, 'work-board': { ...board, oauth: { ...board.oauth, version: '2.0', v2 } } },
  })
  const connection = connected((await connectByOAuth(world)).page).id
  const refused = await watchWorkspace(connection).catch((thrown: unknown) => thrown)
  expect(refused).toMatchObject({
    code: 'access_denied',
    message: expect.stringContaining('Reconnect the account and allow everything that is asked for'),
  })
  expect((refused as Error).message).not.toContain('owner')
  await sandbox.close()
})
