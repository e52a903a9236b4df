import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/agent-world.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'
import type { Ask } from '../support/http-world.ts'

let idList: string
const face = await openHttpWorld()
beforeAll(async () => {
  idList = (await firstList(face)).list.id
})
afterEach(() => face.sandbox.board.control.clearFaults())

const boards = '/v1/steps/work-board/get-boards/run'
const slowly = (ms: number) =>
  face.sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, times: 9, delayMs: ms })
const run = (url: string, input: object, prefer: string, more: Partial<Ask> & { dryRun?: boolean } = {}) => {
  const { dryRun, ...request } = more
  return face.ask(url, {
    body: { input, ...(dryRun ? { dryRun } : {}) },
    ...request,
    headers: { prefer, ...request.headers },
  })
}
const get = async (id: string, token?: string) =>
  (await face.ask(`/v1/runs/${id}`, token === undefined ? {} : { token })).json
const ended = async (id: string) => {
  await until('the run has ended', async () => (await get(id)).state !== 'running')
  return get(id)
}

describe('Prefer: respond-async', () => {
  it('responds with 202 and the run, which continues and then has its output', async () => {
    slowly(2_000)
    const begun = await run(boards, { fields: 'name' }, 'respond-async')
    expect([begun.status, begun.json]).toEqual([202, { runId: expect.stringMatching(/^[0-9a-f-]{36}$/) }])
    expect(begun.headers).toMatchObject({
      location: `/v1/runs/${begun.json.runId}`,
      'preference-applied': 'respond-async',
    })
    expect(await get(begun.json.runId)).toMatchObject({
      id: begun.json.runId,
      state: 'running',
      effect: 'read',
      step: 'get-boards',
    })
    const done = await ended(begun.json.runId)
    expect(done).toMatchObject({ id: begun.json.runId, state: 'done', attempts: 1, output: { count: 2 } })
    // In the history like any other.
    expect((await face.ask('/v1/runs?limit=1')).json.items[0]).toMatchObject({ id: begun.json.runId, state: 'done' })
  })

  it('shows how far it has come where its step reports it', async () => {
    for (let n = 0; n <= 1000; n += 1) face.sandbox.board.control.createCard({ idList, name: `Card ${n}` })
    face.sandbox.board.control.fault({ match: { path: `/1/lists/${idList}/cards` }, times: 9, delayMs: 2_000 })
    const { json } = await run('/v1/steps/work-board/get-list-cards/run', { idList, limit: 5000 }, 'respond-async')
    await until('it has reported a page', async () => (await get(json.runId)).progress !== undefined)
    expect(await get(json.runId)).toMatchObject({
      state: 'running',
      progress: { done: 1000, total: null },
      exchanges: [],
    })
    const done = await ended(json.runId)
    expect(done).not.toHaveProperty('progress')
    expect(done.exchanges).toMatchObject([
      { method: 'GET', path: '/1/lists/{id}/cards', status: 200 },
      { status: 200, code: null },
    ])
  })

  it('tells at once what fails at once, or is there before the client would wait', async () => {
    expect(await run(boards, { limit: 0 }, 'respond-async')).toMatchObject({
      status: 400,
      json: { code: 'invalid_input', runId: expect.any(String) },
    })
    slowly(200)
    expect(await run(boards, {}, 'respond-async, wait=10')).toMatchObject({
      status: 200,
      json: { output: { count: 2 } },
    })
    const dry = await run(boards, {}, 'respond-async', { dryRun: true })
    expect([dry.status, dry.json.complete]).toEqual([200, true])
    expect(await run(boards, {}, 'handling=lenient')).toMatchObject({ status: 200 })
  })

  it('shows a failure in the run', async () => {
    face.sandbox.board.control.fault({
      match: { path: '/1/members/me/boards' },
      times: 9,
      delayMs: 200,
      answer: { status: 400, body: 'invalid value' },
    })
    const { json } = await run(boards, {}, 'respond-async')
    expect(await ended(json.runId)).toMatchObject({ state: 'failed', code: 'rejected', failure: { code: 'rejected' } })
    expect(await get(json.runId)).not.toHaveProperty('output')
  })

  it('can be cancelled, once', async () => {
    face.sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, times: 9, cut: 'hang' })
    const { json } = await run(boards, {}, 'respond-async')
    const cancel = (id: string) => face.ask(`/v1/runs/${id}/cancel`, { method: 'POST' })
    expect(await cancel(json.runId)).toMatchObject({ status: 202, json: { id: json.runId } })
    expect(await ended(json.runId)).toMatchObject({ state: 'failed', code: 'cancelled' })
    expect(await cancel(json.runId)).toMatchObject({ status: 409, json: { code: 'conflict' } })
    expect(await cancel('none')).toMatchObject({ status: 404 })
  })

  it('goes with an idempotency key: the same run, and its stored outcome', async () => {
    face.sandbox.board.control.fault({ match: { method: 'POST', path: '/1/cards' }, delayMs: 2_000 })
    const url = '/v1/steps/work-board/create-card/run'
    const headers = { 'idempotency-key': 'async-1' }
    const first = await run(url, { idList, name: 'Once' }, 'respond-async', { headers })
    const again = await run(url, { idList, name: 'Once' }, 'respond-async', { headers })
    expect([first.status, again.status]).toEqual([202, 202])
    const [firstRun, two] = [await ended(first.json.runId), await ended(again.json.runId)]
    expect(two.output.id).toBe(firstRun.output.id)
    const stored = await run(url, { idList, name: 'Once' }, 'respond-async', { headers })
    expect([stored.status, stored.json.output.id, stored.json.meta.cached]).toEqual([200, firstRun.output.id, true])
  })

  it('is seen and ended by its own tenant only, and by a token bound to accounts only where that token began it', async () => {
    await face.pack.tenants.create({ id: 'other', name: 'Other' })
    const stranger = await face.tokenWith(['run', 'read'], 'other')
    const [own] = (await face.ask('/v1/connections')).json.items
    const bound = (
      await face.pack.tokens.create('default', { name: 'Bound', scopes: ['run', 'read'], connections: [own.id] })
    ).text
    slowly(1_000)
    const { json } = await run(boards, {}, 'respond-async')
    for (const token of [stranger, bound]) {
      expect((await face.ask(`/v1/runs/${json.runId}`, { token })).status).toBe(404)
      expect((await face.ask(`/v1/runs/${json.runId}/cancel`, { method: 'POST', token })).status).toBe(404)
    }
    const mine = await run(boards, {}, 'respond-async', { token: bound })
    expect(await get(mine.json.runId, bound)).toMatchObject({ state: 'running' })
    expect((await face.ask(`/v1/runs/${mine.json.runId}/cancel`, { method: 'POST', token: bound })).status).toBe(202)
    expect(await ended(json.runId)).toMatchObject({ state: 'done' })
  })

  it('is waited for when the pack closes, and counted', async () => {
    const other = await openHttpWorld()
    other.sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, times: 9, delayMs: 300 })
    const { coming } = other.pack.steps.begin(
      { tenant: 'default' },
      { integration: 'work-board', step: 'get-boards', input: {} },
    )
    const { json } = await other.ask(boards, { body: { input: {} }, headers: { prefer: 'respond-async' } })
    expect(json.runId).toBeTypeOf('string')
    await other.close()
    expect(await coming).toMatchObject({ ok: true })
  })
})
