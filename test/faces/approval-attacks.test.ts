/** What somebody tries who wants a held run to be sent. Each of them leaves it unsent, and undecided. */
import { afterAll, describe, expect, it } from 'vitest'
import { allScopes } from '../../shared/api/rules.ts'
import type { Permit } from '../../shared/runtime/approvals/permits.ts'
import { call, failureOf, openMcpWorld, withClient } from '../support/mcp-world.ts'

const world = await openMcpWorld({ newToken: { name: 'All', scopes: [...allScopes] } })
const { ask, pack, sandbox, token, tokenWith, address } = world
afterAll(world.close)

const { status: isMade } = await ask('/v1/approval-rules', { body: {} })
const agent = await tokenWith(['run'])
const idCard = [...sandbox.board.state.cards.keys()][0]!
const path = `/1/cards/${idCard}/actions/comments`
const writes = () => sandbox.board.control.requests().filter(({ method }) => method !== 'GET')
const stateOf = async (id: string) => (await ask(`/v1/approvals/${id}`)).json.state

let count = 0
/** No two calls are the same, so that none gets what became of another. */
const input = () => ({ idCard, text: `Hello ${(count += 1)}` })
const comment = (by = agent) =>
  ask('/v1/steps/work-board/add-comment-to-card/run', { body: { input: input() }, token: by })
const held = async (by?: string): Promise<{ id: string; url: string }> => {
  const { status, json } = await comment(by)
  expect([isMade, status, json.code]).toEqual([201, 424, 'approval_pending'])
  return json.approval
}

describe('a decision', () => {
  it('is not taken by opening the link, nor by GET and HEAD of any address of it', async () => {
    const { id, url } = await held()
    expect(url).toBe(`${address}/console/approvals/${id}`)
    const paths = [new URL(url).pathname, ...['', '/approve', '/deny'].map((end) => `/v1/approvals/${id}${end}`)]
    for (const at of paths) for (const method of ['GET', 'HEAD'] as const) await ask(at, { method })
    expect([await stateOf(id), writes()]).toEqual(['open', []])
  })

  it('is not taken by a page of another site, nor without the CSRF token of the session', async () => {
    const { id } = await held()
    const { host, origin } = new URL(address)
    const own = { host, origin, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    const session = await world.http.inject({ method: 'POST', url: '/v1/session', headers: own, payload: { token } })
    const cookie = String([session.headers['set-cookie']].flat()[0]).split(';')[0]!
    const proof = { 'x-csrf-token': session.json().csrfToken as string }
    const decide = async (verb: string, headers: Record<string, string>) => {
      const url = `/v1/approvals/${id}/${verb}`
      return (await world.http.inject({ method: 'POST', url, headers: { ...own, cookie, ...headers }, payload: '{}' }))
        .statusCode
    }
    const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    for (const verb of ['approve', 'deny']) {
      expect(await decide(verb, {})).toBe(403)
      expect(await decide(verb, { 'x-csrf-token': 'x'.repeat(43) })).toBe(403)
      expect(await decide(verb, { ...proof, ...elsewhere })).toBe(403)
    }
    expect([await stateOf(id), writes()]).toEqual(['open', []])
    expect(await decide('deny', proof)).toBe(200)
  })

  it('is not taken by whoever made the call, with the same token or another one of the same person', async () => {
    const scopes = ['run', 'approvals'] as const
    const [ann, annToo, bea] = await Promise.all(
      ['ann', 'ann', 'bea'].map(
        async (person) => (await pack.tokens.create('default', { name: person, scopes: [...scopes], person })).text,
      ),
    )
    const { id } = await held(ann)
    for (const [by, status] of [
      [ann, 403],
      [annToo, 403],
      // What belongs to another person does not exist for her.
      [bea, 404],
      // A token without the scope.
      [agent, 404],
    ] as const)
      expect((await ask(`/v1/approvals/${id}/approve`, { body: {}, token: by! })).status).toBe(status)
    expect([await stateOf(id), writes()]).toEqual(['open', []])
  })
})

it('a held run is not sent on another way: as a tool, over MCP, in the background, or as the request itself', async () => {
  const others = [
    await comment(),
    await ask('/v1/tools/work_board_add_comment_to_card', { body: input(), token: agent }),
    await ask('/v1/steps/work-board/api-call/run', {
      body: { input: { method: 'POST', path, body: { text: 'Hello' } } },
      token: agent,
    }),
  ]
  expect(others.map(({ json }) => json.code)).toEqual(others.map(() => 'approval_pending'))
  const overMcp = await withClient(
    world,
    '2026-07-28',
    (client) => call(client, 'work_board_add_comment_to_card', input()),
    { token: agent },
  )
  expect(failureOf(overMcp).code).toBe('approval_pending')
  const background = await ask('/v1/steps/work-board/add-comment-to-card/run', {
    body: { input: input() },
    token: agent,
    headers: { prefer: 'respond-async' },
  })
  await expect
    .poll(async () => (await ask(`/v1/runs/${background.json.runId}`)).json.failure?.code)
    .toBe('approval_pending')
  expect(writes()).toEqual([])
})

it('a permit that a caller of the library made up opens nothing', async () => {
  const permit: Permit = {
    isExact: false,
    mayHaveSent: () => 0,
    failed: () => {},
    check: () => {},
    sending: async () => {},
  }
  const made = { integration: 'work-board', step: 'add-comment-to-card', input: input(), permit }
  const outcome = await pack.steps.run({ tenant: 'default' }, made)
  expect(outcome).toMatchObject({ ok: false, failure: { code: 'approval_pending' } })
  expect(writes()).toEqual([])
})
