import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { firstList, openHttpWorld } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'

let list: { id: string; name: string }
let board: { id: string; url: string }
const face = await openHttpWorld()
beforeAll(async () => {
  ;({ list, board } = await firstList(face))
})

const run = (step: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  face.ask(`/v1/steps/work-board/${step}/run`, { body, headers })

describe('running a step', () => {
  it('does it at the provider and keeps the run', async () => {
    const { status, json } = await run(
      'create-card',
      { input: { idList: list.id, name: 'From a test' } },
      { 'start-id': 'start-1' },
    )
    expect([status, json.output]).toMatchObject([200, { name: 'From a test', idList: list.id }])
    expect(json.meta).toMatchObject({ attempts: 1 })
    expect(face.sandbox.board.state.cards.get(json.output.id)?.name).toBe('From a test')
    const kept = await face.ask(`/v1/runs/${json.meta.runId}`)
    expect(kept.json).toMatchObject({
      step: 'create-card',
      state: 'done',
      startId: expect.stringMatching(/^dig_/),
      effect: 'create',
      attempts: 1,
      code: null,
    })
  })

  it('takes a step without input', async () => {
    expect((await run('get-boards', {})).json.output.count).toBe(2)
  })

  it('does a keyed request once', async () => {
    const before = face.sandbox.board.state.cards.size
    const body = { input: { idList: list.id, name: 'Once' } }
    const first = await run('create-card', body, { 'idempotency-key': 'key-1' })
    const again = await run('create-card', body, { 'idempotency-key': 'key-1' })
    expect(again.json.output.id).toBe(first.json.output.id)
    expect(again.json.meta).toMatchObject({ runId: first.json.meta.runId, cached: true })
    expect(face.sandbox.board.state.cards.size).toBe(before + 1)
    const other = await run(
      'create-card',
      { input: { idList: list.id, name: 'Another' } },
      { 'idempotency-key': 'key-1' },
    )
    expect([other.status, other.json.code]).toEqual([409, 'conflict'])
  })

  it('returns a dry run in the envelope of a run: output and meta', async () => {
    const { json } = await run('create-card', { input: { idList: list.id, name: 'Never sent' }, dryRun: true })
    const { output, meta, ...flat } = json
    expect(output).toEqual(flat)
    expect(meta).toMatchObject({ attempts: 0, dryRun: true })
    const done = await run('get-boards', { input: {} })
    expect(Object.keys(done.json)).toEqual(['output', 'meta'])
  })

  it('shows in a dry run the exact request, sends nothing and keeps no run', async () => {
    const { board: sandbox } = face.sandbox
    const before = {
      requests: sandbox.control.counters().requests,
      runs: (await face.ask('/v1/runs?limit=200')).json.items.length,
    }
    const { status, json, text } = await run('create-card', {
      input: { idList: list.id, name: 'Never sent' },
      dryRun: true,
    })
    expect([status, json.output]).toEqual([
      200,
      {
        complete: true,
        requests: [
          expect.objectContaining({
            method: 'POST',
            url: `${sandbox.origin}/1/cards`,
            body: { idList: list.id, name: 'Never sent' },
          }),
        ],
      },
    ])
    expect(json.requests[0].headers.authorization).toBe('***')
    for (const secret of Object.values(secretsOf(face.sandbox))) expect(text).not.toContain(secret)
    expect(sandbox.control.counters().requests).toBe(before.requests)
    expect((await face.ask('/v1/runs?limit=200')).json.items.length).toBe(before.runs)
  })

  it('refuses a dry run like a run', async () => {
    const refused = await run('api-call', { input: { method: 'POST', path: '/1/webhooks' }, dryRun: true })
    expect([refused.status, refused.json.code, refused.json.runId]).toEqual([403, 'not_allowed', undefined])
  })

  it('loads dependent choices', async () => {
    const { json } = await face.ask('/v1/steps/work-board/create-card/options', {
      body: { field: 'idList', values: { idBoard: board.url } },
    })
    expect(json.options.map(({ label }: { label: string }) => label)).toContain(list.name)
    expect(json.options.find(({ label }: { label: string }) => label === list.name).value).toBe(list.id)
  })

  it('cancels the run of a client that is gone', async () => {
    face.sandbox.board.control.fault({
      match: { path: '/1/members/me/boards' },
      times: 100,
      answer: { status: 429, body: { error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' } },
    })
    const body = { connection: 'Board', input: {} }
    const controller = new AbortController()
    const address = await face.http.listen({ host: '127.0.0.1', port: 0 })
    const answer = fetch(`${address}/v1/steps/work-board/get-boards/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${face.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: controller.signal,
    })
    answer.catch(() => undefined)
    await expect.poll(() => face.sandbox.board.control.counters().faulted).toBeGreaterThan(0)
    // It waits for the limit now; dropping the connection must end that.
    controller.abort()
    await expect(answer).rejects.toThrow()
    await expect
      .poll(() => face.lines.find(({ event, code }) => event === 'request' && code === 'cancelled'))
      .toMatchObject({ status: 499, route: '/v1/steps/:integration/:step/run' })
    face.sandbox.board.control.clearFaults()
    const [newest] = (await face.ask('/v1/runs?limit=1')).json.items
    expect(newest).toMatchObject({ step: 'get-boards', state: 'failed', code: 'cancelled' })
  })
})

describe('exchanges', () => {
  it('shows each attempt and wait of a run, without ids; the list and the usage add them up', async () => {
    const fresh = await openHttpWorld()
    const { list: there } = await firstList(fresh)
    const refuse = {
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' },
    }
    fresh.sandbox.board.control.fault({ match: { path: `/1/lists/${there.id}/cards` }, times: 1, answer: refuse })
    const { json } = await fresh.ask('/v1/steps/work-board/get-list-cards/run', {
      body: { input: { idList: there.id } },
    })
    const detail = (await fresh.ask(`/v1/runs/${json.meta.runId}`)).json
    const path = '/1/lists/{id}/cards'
    expect(detail).toMatchObject({
      state: 'done',
      attempts: 2,
      calls: 1,
      refused: 1,
      exchanges: [
        { method: 'GET', path, waitedMs: 0, status: 429, code: 'rate_limited' },
        { method: 'GET', path, waitedMs: detail.waitedMs, status: 200, code: null },
      ],
    })
    expect(detail.waitedMs).toBeGreaterThanOrEqual(900)
    const [first, second] = detail.exchanges.map(({ at }: { at: string }) => Date.parse(at))
    expect(first).toBeGreaterThanOrEqual(Date.parse(detail.createdAt))
    // Each of the three is rounded to a millisecond.
    expect(second - first).toBeGreaterThanOrEqual(detail.waitedMs - 2)
    expect(JSON.stringify(detail.exchanges)).not.toContain(there.id)
    const [row] = (await fresh.ask('/v1/runs?limit=1')).json.items
    expect(row).toMatchObject({ waitedMs: detail.waitedMs, refused: 1 })
    expect(row).not.toHaveProperty('exchanges')
    const { items } = (await fresh.ask('/v1/usage')).json
    expect(items.find(({ step }: { step: string }) => step === 'get-list-cards')).toMatchObject({
      waitedMs: detail.waitedMs,
      refused: 1,
      estimatedCredits: 0,
    })
    await fresh.close()
  })

  it('a run of one exchange shows its method, path and status, whether it went well or failed', async () => {
    const fresh = await openHttpWorld()
    const ran = (step: string, input: object) => fresh.ask(`/v1/steps/work-board/${step}/run`, { body: { input } })
    const fine = (await ran('get-boards', {})).json.meta.runId
    const detail = (await fresh.ask(`/v1/runs/${fine}`)).json
    expect(detail).toMatchObject({ waitedMs: 0, refused: 0 })
    expect(detail.exchanges).toEqual([
      {
        at: expect.any(String),
        method: 'GET',
        path: '/1/members/{id}/boards',
        waitedMs: 0,
        durationMs: expect.any(Number),
        status: 200,
        code: null,
      },
    ])
    const [exchange] = detail.exchanges
    expect(Date.parse(exchange.at)).toBeGreaterThanOrEqual(Date.parse(detail.createdAt))
    expect(exchange.durationMs).toBeLessThanOrEqual(Math.ceil(detail.durationMs))
    const { json } = await ran('get-card', { idCard: '507f1f77bcf86cd799439011' })
    expect((await fresh.ask(`/v1/runs/${json.runId}`)).json.exchanges).toMatchObject([
      { method: 'GET', path: '/1/cards/{id}', status: 404, code: null },
    ])
    const unsent = (await ran('get-card', { idCard: '../x' })).json.runId
    expect((await fresh.ask(`/v1/runs/${unsent}`)).json.exchanges).toEqual([])
    await fresh.close()
  })
})

describe('history', () => {
  it('filters by time', async () => {
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) {
      ids.push((await run('get-boards', { input: {} })).json.meta.runId)
      await wait(3)
    }
    const at = (await face.ask(`/v1/runs/${ids[1]}`)).json.createdAt
    const listed = async (query: string) =>
      (await face.ask(`/v1/runs?step=get-boards&limit=200&${query}`)).json.items.map(({ id }: { id: string }) => id)
    expect(await listed(`since=${at}`)).toEqual([ids[2], ids[1]])
    const before = await listed(`until=${at}`)
    expect([before[0], before.includes(ids[1])]).toEqual([ids[0], false])
    const wrong = await face.ask('/v1/runs?since=yesterday')
    expect([wrong.status, wrong.json.errors[0].pointer]).toEqual([400, '/query/since'])
  })

  it('pages newest first and filters', async () => {
    const fresh = await openHttpWorld()
    const ids: string[] = []
    for (const limit of [1, 2, 3, 4, 5])
      ids.push((await fresh.ask('/v1/steps/work-board/get-boards/run', { body: { input: { limit } } })).json.meta.runId)
    await fresh.ask('/v1/steps/work-board/get-card/run', { body: { input: { idCard: '507f1f77bcf86cd799439011' } } })
    const seen: string[] = []
    let next: string | undefined
    do {
      const { json } = await fresh.ask(`/v1/runs?step=get-boards&limit=2${next === undefined ? '' : `&cursor=${next}`}`)
      seen.push(...json.items.map(({ id }: { id: string }) => id))
      next = json.next
    } while (next !== undefined)
    expect(seen).toEqual(ids.toReversed())
    const failed = await fresh.ask('/v1/runs?state=failed')
    expect(failed.json.items.map(({ step, code }: Record<string, string>) => [step, code])).toEqual([
      ['get-card', 'not_found'],
    ])
    const { json } = await fresh.ask('/v1/usage')
    expect(json.items.find(({ step }: { step: string }) => step === 'get-boards')).toMatchObject({
      runs: 5,
      failed: 0,
      calls: 5,
    })
    await fresh.close()
  })

  it('pages connections, also when the last one shown was removed', async () => {
    const fresh = await openHttpWorld()
    const names = ['A', 'B', 'C', 'D']
    for (const name of names) {
      await fresh.ask('/v1/connections', {
        body: { integration: 'work-board', type: 'key-token', name, secrets: secretsOf(fresh.sandbox) },
      })
      await wait(2)
    }
    const first = (await fresh.ask('/v1/connections?limit=2')).json
    expect(first.items.map(({ name }: { name: string }) => name)).toEqual(['D', 'C'])
    await fresh.ask(`/v1/connections/${first.items[1].id}`, { method: 'DELETE' })
    const nextPage = (await fresh.ask(`/v1/connections?limit=5&cursor=${first.next}`)).json
    expect(nextPage.items.map(({ name }: { name: string }) => name)).toEqual(['B', 'A', 'Board'])
    expect(nextPage.next).toBeUndefined()
    await fresh.close()
  })
})

describe('the log', () => {
  it('has one line per request, without bodies, queries or secrets', async () => {
    const fresh = await openHttpWorld()
    fresh.lines.length = 0
    const { json } = await fresh.ask('/v1/steps/work-board/get-boards/run', { body: { input: { fields: 'name' } } })
    await fresh.ask('/v1/connections?externalId=private-name')
    await fresh.ask('/v1/runs/unknown')
    const lines = fresh.lines.filter(({ event }) => event === 'request')
    expect(lines).toMatchObject([
      {
        method: 'POST',
        route: '/v1/steps/:integration/:step/run',
        status: 200,
        tenant: 'default',
        runId: json.meta.runId,
      },
      { method: 'GET', route: '/v1/connections', status: 200 },
      { method: 'GET', route: '/v1/runs/:id', status: 404, code: 'not_found' },
    ])
    const text = JSON.stringify(fresh.lines)
    for (const secret of [fresh.token, ...Object.values(secretsOf(fresh.sandbox)), 'private-name'])
      expect(text).not.toContain(secret)
    await fresh.close()
  })
})
