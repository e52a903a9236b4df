import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createTasks } from '../../shared/faces/mcp/tasks.ts'
import { readTaskId } from '../../shared/faces/mcp/task-id.ts'
import { createTenantQuota } from '../../shared/faces/mcp/tenant-quota.ts'
import { createResultCache } from '../../shared/faces/mcp/result-cache.ts'
import type { Pack } from '../../shared/pack.ts'
import { connect, failureOf, openMcpWorld, call as callTool } from '../support/mcp-world.ts'
import { caller } from '../support/world.ts'

const tasks = 'io.modelcontextprotocol/tasks'
const world = await openMcpWorld({ newToken: { name: 'Agent', scopes: ['run'] } })
afterAll(() => world.close())
const { pack, sandbox, address } = world
const approver = { ...caller, scopes: ['approvals'] as ['approvals'] }
const { value } = (await pack.steps.run(caller, {
  integration: 'work-board',
  step: 'get-boards',
  input: { lists: 'open' },
})) as { value: any }
const idList: string = value.boards[0].lists[0].id
await pack.approvalRules.create(caller, {
  when: { steps: ['work-board/create-card'] },
  by: 'approvers',
  expiresMinutes: 60,
})
await pack.start()
afterEach(() => sandbox.board.control.clearFaults())

type Options = { token?: string; knows?: boolean; path?: string; meta?: object }
let requests = 0
/** One request of the 2026 protocol, as a client that knows tasks sends it. */
const send = async (
  method: string,
  params: Record<string, unknown>,
  { token = world.token, knows = true, path = '/mcp', meta = {} }: Options = {},
) => {
  const name = (params['taskId'] ?? params['name']) as string | undefined
  const response = await fetch(new URL(path, address), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: (requests += 1),
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': knows ? { extensions: { [tasks]: {} } } : {},
          ...meta,
        },
      },
    }),
  })
  const text = await response.text()
  const data = text.startsWith('{')
    ? text
    : text
        .split('\n')
        .findLast((line) => line.startsWith('data: '))!
        .slice(6)
  return JSON.parse(data) as { result?: any; error?: { code: number; message: string; data?: any } }
}
const call = async (name: string, args: object, options?: Options) =>
  (await send('tools/call', { name, arguments: args }, options)).result
const get = async (taskId: string, options?: Options) => (await send('tasks/get', { taskId }, options)).result
const createCard = (name: string, options?: Options, more: object = {}) =>
  call('work_board_create_card', { idList, name, ...more }, options)
const approvalOf = ({ taskId }: { taskId: string }) => readTaskId(taskId)!.of
const until = async <T>(look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> => {
  for (let round = 0; round < 400; round += 1) {
    const seen = await look()
    if (isThere(seen)) return seen
    await new Promise((done) => setTimeout(done, 20))
  }
  throw new Error(`it is still ${JSON.stringify(await look()).slice(0, 500)}`)
}
const ended = (taskId: string, options?: Options) =>
  until(
    () => get(taskId, options),
    ({ status }) => status !== 'working',
  )
const writes = () => sandbox.board.control.requests().filter(({ method }) => method !== 'GET').length
const hang = () => sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, cut: 'hang' })
const slow = (options?: Options) => {
  hang()
  return call('work_board_get_boards', {}, options)
}
/** How many rows the audit log has. */
const audited = async () => (await pack.audit.list('default', { limit: 500 })).items.length

describe('a held call', () => {
  it('is a task that says where it waits, is sent once, and keeps its result', async () => {
    const before = writes()
    const task = await createCard('Held')
    expect(task).toMatchObject({ resultType: 'task', status: 'working', content: [] })
    expect(task.statusMessage).toMatch(
      new RegExp(`^Create Card .*waits for a decision at ${address}/console/approvals/apr_\\S+ until \\S+Z\\. Nothing`),
    )
    expect([task.ttlMs, task.pollIntervalMs]).toEqual([3_600_000 + 86_400_000, 10_000])
    expect(await get(task.taskId)).toMatchObject({ resultType: 'complete', status: 'working' })
    await pack.approvals.approve(approver, approvalOf(task))
    const done = await ended(task.taskId)
    expect(done).toMatchObject({ status: 'completed', result: { structuredContent: { name: 'Held' } } })
    expect((await get(task.taskId)).result).toEqual(done.result)
    expect(writes()).toBe(before + 1)
    // Its outcome was delivered: the same call is a new one.
    expect(approvalOf(await createCard('Held'))).not.toBe(approvalOf(task))
    expect(writes()).toBe(before + 1)
  })

  it('is completed with the reason once denied', async () => {
    const task = await createCard('Denied')
    await pack.approvals.deny(approver, approvalOf(task), { reason: 'Not this week.' })
    const { status, result } = await get(task.taskId)
    expect([status, failureOf(result).code]).toEqual(['completed', 'approval_denied'])
    expect(result.content[0].text).toContain('Not this week.')
  })

  it('is taken back by cancelling', async () => {
    const before = writes()
    const task = await createCard('Taken back')
    expect((await send('tasks/cancel', { taskId: task.taskId })).result).toMatchObject({ resultType: 'complete' })
    expect(await get(task.taskId)).toMatchObject({ status: 'cancelled' })
    expect(await get(task.taskId)).not.toHaveProperty('result')
    await expect(pack.approvals.approve(approver, approvalOf(task))).rejects.toMatchObject({ code: 'conflict' })
    // Cancelling what has ended is acknowledged, too.
    expect((await send('tasks/cancel', { taskId: task.taskId })).result).toMatchObject({ resultType: 'complete' })
    expect(writes()).toBe(before)
  })

  it('stays the outcome of its idempotency key', async () => {
    const options = { meta: { 'toolyard/idempotencyKey': 'of-a-task' } }
    const task = await createCard('Keyed', options)
    await pack.approvals.approve(approver, approvalOf(task))
    const { result } = await ended(task.taskId)
    const before = writes()
    expect((await createCard('Keyed', options)).structuredContent).toEqual(result.structuredContent)
    expect(writes()).toBe(before)
  })
})

describe('a call that takes long', () => {
  it('is a task until it is cancelled', async () => {
    const task = await slow()
    expect(task).toMatchObject({ resultType: 'task', status: 'working', pollIntervalMs: 2_000 })
    const rows = await audited()
    expect(await get(task.taskId)).toMatchObject({ resultType: 'complete', status: 'working' })
    // Following a task is no change.
    expect(await audited()).toBe(rows)
    expect((await send('tasks/cancel', { taskId: task.taskId })).result).toMatchObject({ resultType: 'complete' })
    expect(await ended(task.taskId)).toMatchObject({ status: 'cancelled' })
  })

  it('shows its result as the call wanted it', async () => {
    sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, delayMs: 2_600, times: 1 })
    const task = await call('work_board_get_boards', { fields: 'all' })
    expect(task).toMatchObject({ resultType: 'task' })
    const { result } = await ended(task.taskId)
    const plain = await call('work_board_get_boards', { fields: 'all' })
    expect(plain.resultType).toBe('complete')
    expect(result.structuredContent).toEqual(plain.structuredContent)
  })

  it('ends with its client while that waits', async () => {
    hang()
    const stop = new AbortController()
    const before = sandbox.board.control.requests().length
    const client = await connect(world, '2026-07-28', { capabilities: { extensions: { [tasks]: {} } } })
    const coming = client.callTool({ name: 'work_board_get_boards', arguments: {} }, { signal: stop.signal })
    await until(
      async () => sandbox.board.control.requests().length,
      (count) => count > before,
    )
    stop.abort('enough')
    await expect(coming).rejects.toThrow(/enough|abort/i)
    await until(
      async () => (await pack.runs.list(caller, { limit: 1 }, { step: 'get-boards' })).items[0],
      (run) => run?.code === 'cancelled',
    )
    await client.close()
  })
})

describe('plain answers', () => {
  it('are given to what ends at once', async () => {
    expect(await call('work_board_get_boards', {})).toMatchObject({ resultType: 'complete', structuredContent: {} })
  })

  it('are given to a client that knows no tasks, in both protocols', async () => {
    expect(failureOf(await createCard('Plain', { knows: false })).code).toBe('approval_pending')
    const client = await connect(world, '2025-11-25', { capabilities: { extensions: { [tasks]: {} } } })
    expect(client.getServerCapabilities()!.extensions).toBeUndefined()
    const result = await callTool(client, 'work_board_create_card', { idList, name: 'Plain' })
    expect(failureOf(result).code).toBe('approval_pending')
    await client.close()
  })
})

describe('a task', () => {
  const notThere = { error: { code: -32602 } }
  const methods = ['tasks/get', 'tasks/update', 'tasks/cancel']

  it('is nobody else’s: no other token, tenant or person finds or ends it', async () => {
    const scopes = ['run', 'read', 'approvals', 'admin'] as ('run' | 'read' | 'approvals' | 'admin')[]
    await pack.tenants.create({ id: 'other', name: 'Other' } as never)
    const others = [
      (await pack.tokens.create('default', { name: 'Another', scopes })).text,
      (await pack.tokens.create('default', { name: 'Ann', scopes, person: 'ann' })).text,
      (await pack.tokens.create('other', { name: 'Elsewhere', scopes: ['run', 'read', 'approvals'] })).text,
    ]
    for (const task of [await createCard('Mine'), await slow()]) {
      for (const token of others)
        for (const method of methods)
          expect(await send(method, { taskId: task.taskId }, { token })).toMatchObject(notThere)
      expect(await get(task.taskId)).toMatchObject({ status: 'working' })
      await send('tasks/cancel', { taskId: task.taskId })
    }
  })

  it('is not found under a view without its tool, or by an id that nobody wrote', async () => {
    const { taskId } = await createCard('Elsewhere')
    for (const path of ['/mcp/contact-data', '/mcp?tools=work_board_get_boards'])
      expect(await send('tasks/get', { taskId }, { path })).toMatchObject(notThere)
    const [of, shown] = taskId.split('.')
    const nobody = '0199c0de-0000-7000-8000-000000000000'
    for (const id of [
      '',
      'x',
      of,
      `${of}.`,
      `${of}.AAAA`,
      `apr_${nobody}.${shown}`,
      `${nobody}.${shown}`,
      `${taskId}${'A'.repeat(600)}`,
    ])
      expect(await send('tasks/get', { taskId: id })).toHaveProperty('error')
    expect(await send('tasks/get', {})).toMatchObject(notThere)
  })

  it('is refused to a client that does not know tasks', async () => {
    const { taskId } = await createCard('Unknown')
    for (const method of methods)
      expect(await send(method, { taskId }, { knows: false })).toMatchObject({
        error: { code: -32021, data: { requiredCapabilities: { extensions: { [tasks]: {} } } } },
      })
  })

  it('asks for nothing', async () => {
    const { taskId } = await createCard('Asking')
    const answer = await send('tasks/update', { taskId, inputResponses: { approval: { action: 'accept' } } })
    expect(answer.result).toMatchObject({ resultType: 'complete' })
    expect(await get(taskId)).toMatchObject({ status: 'working' })
  })
})

it('the server says that it knows tasks', async () => {
  const { result } = await send('server/discover', {})
  expect(result.capabilities.extensions).toEqual({ [tasks]: {} })
})

describe('the outcome of a call', () => {
  const of = (name: string) => ({ integration: 'work-board', step: 'create-card', input: { idList, name } })
  const ann = { ...caller, scopes: ['run', 'approvals', 'read'] as ('run' | 'approvals' | 'read')[], person: 'ann' }
  const ben = { ...ann, person: 'ben' }
  const notFound = { code: 'not_found' }

  it('is told to whoever made a held call, and never sends it again', async () => {
    const before = writes()
    const held = (await pack.steps.run(ann, of('Of Ann'))) as { failure: { approval: { id: string } } }
    const { id } = held.failure.approval
    for (const other of [ben, { ...ann, token: 'tok_2' }, { ...ann, tenant: 'nobody' }])
      await expect(pack.approvals.outcome(other, id)).rejects.toMatchObject(notFound)
    expect(await pack.approvals.outcome(ann, id)).toMatchObject({ failure: { code: 'approval_pending' } })
    await pack.approvals.approve(approver, id)
    const done = await until(
      () => pack.approvals.outcome(ann, id),
      (outcome) => outcome?.ok === true,
    )
    // Delivered, and told again as often as it is asked for.
    expect(await pack.approvals.outcome(ann, id)).toEqual(done)
    expect(writes()).toBe(before + 1)
    expect(await pack.steps.run(ann, of('Of Ann'))).toMatchObject({ failure: { code: 'approval_pending' } })
  })

  it('is told to whoever began a run', async () => {
    const run = { integration: 'work-board', step: 'get-boards', input: {} }
    const { runId, coming } = pack.steps.begin(ann, run)
    const outcome = await coming
    for (const other of [ben, { ...ann, token: 'tok_2' }, { ...ann, tenant: 'nobody' }])
      await expect(pack.runs.outcome(other, runId)).rejects.toMatchObject(notFound)
    expect(await pack.runs.outcome(ann, runId)).toMatchObject({ view: { step: 'get-boards' }, outcome })
    // Of a run that nobody began, the output is not kept: it is said that it was carried out.
    const waited = await pack.steps.run(ann, run)
    expect(await pack.runs.outcome(ann, waited.meta.runId)).toMatchObject({
      outcome: { ok: false, failure: { code: 'conflict', message: expect.stringContaining('carried out') } },
    })
    const failed = await pack.steps.run(ann, { ...run, step: 'get-card', input: { idCard: 'f'.repeat(24) } })
    expect(await pack.runs.outcome(ann, failed.meta.runId)).toMatchObject({ outcome: { ok: false } })
  })
})

describe('the number of tasks of a tenant', () => {
  it('is limited: further calls are waited for', async () => {
    const ways: string[] = []
    const outcome = { ok: true, value: {}, meta: { runId: 'run_1', durationMs: 1, attempts: 1 } }
    let finish = () => {}
    const fake = {
      steps: {
        run: async () => (ways.push('run'), outcome),
        beginQuietly: () => (
          ways.push('begin'),
          {
            runId: 'run_1',
            coming: new Promise((resolve) => (finish = () => resolve(outcome))),
            announce: async () => {},
            abort: () => {},
          }
        ),
      },
    } as unknown as Pack
    const made = createTasks({
      pack: fake,
      cache: createResultCache(() => 0),
      log: () => {},
      quota: createTenantQuota({ all: 2, perTenant: 1 }),
      caller,
      toolOf: () => undefined,
    })
    const ctx = {
      mcpReq: {
        signal: new AbortController().signal,
        envelope: { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [tasks]: {} } } },
      },
    } as never
    const answering = { free: true, paging: { maxBytes: 25_000, from: 0 }, request: () => 'a'.repeat(64) } as never
    // What is to be shown would not fit into an id.
    expect(made.for(ctx, answering, { isKeyed: false, fields: 'name,'.repeat(100) })).toBeUndefined()
    const task = made.for(ctx, answering, { isKeyed: false, fields: undefined })!
    const stepCall = { integration: 'work-board', step: 'get-boards', input: {} }
    const first = task.run(stepCall)
    await task.run(stepCall)
    finish()
    await first
    const third = task.run(stepCall)
    finish()
    await third
    expect(ways).toEqual(['begin', 'run', 'begin'])
  })
})
