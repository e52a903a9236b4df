import type { Client } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { toTools } from '../../shared/faces/library/index.ts'
import type { ToolFailure } from '../../shared/faces/library/index.ts'
import { failures } from '../../shared/kit/index.ts'
import type { FailureCode, FailureJson } from '../../shared/kit/index.ts'
import { caller } from '../support/world.ts'
import { connect, eras, openMcpWorld } from '../support/mcp-world.ts'
import type { McpWorld } from '../support/mcp-world.ts'
import { someone } from '../support/people.ts'
import { until } from '../support/agent-world.ts'
import { runLine } from '../support/command-line.ts'

/** One table of cases that has to come out the same over every face: they translate, they decide nothing. */
type Call = { integration: string; step: string; input: Record<string, unknown>; dryRun?: boolean }
/** Cancelled calls have no answer everywhere (a client that left gets none): they are known from the history. */
type Came =
  | { value: any }
  | { failure: Pick<FailureJson, 'code' | 'retryable' | 'actor'> & { pointers: string[] } }
  | { gone: true }
type Case = {
  what: string
  call: Call
  arrange?: () => void
  cancel?: 'once it is at the provider'
  expected: (came: Came) => void
}

let idList: string
const world = await openMcpWorld()
beforeAll(async () => {
  const outcome = await world.pack.steps.run(caller, {
    integration: 'work-board',
    step: 'get-boards',
    input: { lists: 'open' },
  })
  idList = (outcome as { value: any }).value.boards[0].lists[0].id
})
afterEach(() => world.sandbox.board.control.clearFaults())

const failureOf = ({ code, retryable, actor, errors = [] }: FailureJson): Came => ({
  failure: { code, retryable, actor, pointers: errors.map(({ pointer }) => pointer) },
})

type Face = (call: Call, signal: AbortSignal) => Promise<Came>
const toolOf = ({ integration, step }: Call) => `${integration}_${step}`.replaceAll('-', '_')

const library: Face = async ({ dryRun, ...call }, signal) => {
  const outcome = await world.pack.steps.run(caller, { ...call, dryRun, signal })
  return outcome.ok ? { value: outcome.value } : failureOf(outcome.failure)
}

const tools: Face = async (call, signal) => {
  // A tool of an agent has no dry run: that is for whoever builds it.
  if (call.dryRun) return library(call, signal)
  const tool = toTools(world.pack, { caller }).find(({ name }) => name === toolOf(call))!
  const value = (await tool.execute(call.input, { signal })) as ToolFailure
  return value.failure ? failureOf(value.failure) : { value }
}

const overHttp: Face = async ({ integration, step, input, dryRun }, signal) => {
  const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' }
  const response = fetch(`${world.address}/v1/steps/${integration}/${step}/run`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ input, dryRun }),
    signal,
  })
  const reply = await response.catch(() => undefined)
  if (!reply) return { gone: true }
  const body = (await reply.json()) as any
  if (reply.ok) return { value: body.output }
  expect(reply.status).toBe(failures[body.code as FailureCode].status)
  return failureOf(body)
}

const overMcp =
  (client: () => Client): Face =>
  async (call, signal) => {
    const result = await client()
      .callTool(
        { name: toolOf(call), arguments: call.input, _meta: call.dryRun ? { 'toolyard/dryRun': true } : {} },
        { signal },
      )
      .catch(() => undefined)
    if (!result) return { gone: true }
    if (result.isError) return failureOf(result._meta!['toolyard/failure'] as any)
    const { _notes: _, ...content } = result.structuredContent as any
    return { value: call.dryRun ? content.dryRun : content }
  }

const overCli =
  (env: Record<string, string>): Face =>
  async ({ integration, step, input, dryRun }, signal) => {
    const argv = ['run', integration, step, JSON.stringify(input), '--json', ...(dryRun ? ['--dry-run'] : [])]
    const { code, out, err } = await runLine(argv, { pack: world.pack, env, signal })
    if (code === 0) return { value: JSON.parse(out).output }
    const failure = JSON.parse(err) as FailureJson
    expect(code).toBe(failures[failure.code].exit)
    return failureOf(failure)
  }

const clients: Client[] = []
beforeAll(async () => {
  for (const era of eras) clients.push(await connect(world, era))
})
afterAll(() => Promise.all(clients.map((client) => client.close())))

const faces: Record<string, Face> = {
  library,
  'tools of the library': tools,
  HTTP: overHttp,
  'MCP of 2025': overMcp(() => clients[0]!),
  'MCP of 2026': overMcp(() => clients[1]!),
  'command line, on a server': (call, signal) =>
    overCli({ TOOLYARD_URL: world.address, TOOLYARD_TOKEN: world.token })(call, signal),
  'command line, by itself': overCli({}),
}

const board = (step: string, input: Record<string, unknown>, more: Partial<Call> = {}): Call => ({
  integration: 'work-board',
  step,
  input,
  ...more,
})
const failing =
  (code: FailureCode, pointers: string[] = []) =>
  (came: Came) =>
    expect(came).toEqual({
      failure: { code, retryable: failures[code].retryable, actor: failures[code].actor, pointers },
    })
const fault = (injectedFault: Parameters<McpWorld['sandbox']['board']['control']['fault']>[0]) => () =>
  void world.sandbox.board.control.fault(injectedFault)

const cases: Case[] = [
  {
    what: 'run: reads',
    call: board('get-boards', { fields: 'name', limit: 1 }),
    expected: (came) =>
      expect(came).toEqual({
        value: {
          boards: [{ id: expect.any(String), name: 'Launch plan' }],
          count: 1,
          more: true,
          next: expect.any(String),
        },
      }),
  },
  {
    what: 'run: creates',
    call: board('create-card', { idList: 'LIST', name: 'The same everywhere', desc: 'Draft' }),
    expected: (came) => expect(came).toMatchObject({ value: { name: 'The same everywhere', desc: 'Draft', idList } }),
  },
  {
    what: 'run: a paid lookup that matches',
    call: { integration: 'contact-data', step: 'find-contact', input: { email: someone.workEmail } },
    expected: (came) =>
      expect(came).toMatchObject({
        value: {
          matched: true,
          matchedBy: 'email',
          record: { firstName: someone.firstName, lastName: someone.lastName },
        },
      }),
  },
  {
    what: 'no match: a result, not a failure',
    call: { integration: 'anz-data', step: 'company-enrichment', input: { domain: 'nobody-has-this.com.au' } },
    expected: (came) => expect(came).toMatchObject({ value: { matched: false } }),
  },
  { what: 'failure: a field is missing', call: board('get-card', {}), expected: failing('invalid_input', ['/idCard']) },
  {
    what: 'failure: a field too many',
    call: board('get-boards', { colour: 'red' }),
    expected: failing('invalid_input', ['/colour']),
  },
  {
    what: 'failure: the provider does not know it',
    call: board('get-card', { idCard: 'f'.repeat(24) }),
    expected: failing('not_found', ['/idCard']),
  },
  {
    what: 'failure: not allowed',
    call: board('api-call', { method: 'POST', path: '/1/webhooks' }),
    expected: failing('not_allowed', ['/path']),
  },
  {
    what: 'failure: refused by the provider',
    call: board('get-boards', {}),
    arrange: fault({
      match: { path: '/1/members/me/boards' },
      times: 9,
      answer: { status: 400, body: 'invalid value for fields' },
    }),
    expected: failing('rejected'),
  },
  {
    what: 'failure: the outcome is not known',
    call: board('create-list', { idBoard: 'BOARD', name: 'Once' }),
    arrange: fault({ match: { method: 'POST', path: '/1/lists' }, cut: 'reset', when: 'after' }),
    expected: failing('outcome_unknown'),
  },
  {
    what: 'cancel: while the provider is silent',
    call: board('get-boards', {}),
    arrange: fault({ match: { path: '/1/members/me/boards' }, times: 9, cut: 'hang' }),
    cancel: 'once it is at the provider',
    expected: (came) => ('gone' in came ? undefined : failing('cancelled')(came)),
  },
  {
    what: 'dry run: the exact request, and nothing sent',
    call: board('create-card', { idList: 'LIST', name: 'Not yet' }, { dryRun: true }),
    expected: (came) =>
      expect(came).toEqual({
        value: {
          complete: true,
          requests: [
            {
              method: 'POST',
              url: `${world.sandbox.board.origin}/1/cards`,
              headers: expect.objectContaining({ authorization: '***' }),
              body: { idList, name: 'Not yet' },
            },
          ],
        },
      }),
  },
  {
    what: 'dry run: what it would cost',
    call: { integration: 'contact-data', step: 'find-contact', input: { email: someone.workEmail }, dryRun: true },
    expected: (came) =>
      expect(came).toMatchObject({ value: { complete: true, price: { unit: 'credit', per: 'match', total: [1, 2] } } }),
  },
  {
    what: 'failure: a wrong parameter of API Call',
    call: board('api-call', {
      method: 'PUT',
      path: '/1/lists/5abbe4b7ddc1b351ef961414',
      body: { closed: 'perhaps', nme: 'x' },
    }),
    expected: failing('invalid_input', ['/body/closed', '/body/nme']),
  },
  {
    what: 'find endpoints: the parameters of the best',
    call: board('find-endpoints', { query: 'take a label off a card', limit: 1 }),
    expected: (came) =>
      expect(came).toMatchObject({
        value: {
          endpoints: [
            {
              method: 'DELETE',
              path: '/1/cards/{id}/idLabels/{idLabel}',
              parameters: [{ name: 'id' }, { name: 'idLabel' }],
              allowed: true,
            },
          ],
        },
      }),
  },
  {
    what: 'dry run: of a wrong input',
    call: board('get-card', {}, { dryRun: true }),
    expected: failing('invalid_input', ['/idCard']),
  },
]

/** What a run says beside its output, as each face that has a place for it gives it. */
const metas: Record<string, (call: Call) => Promise<any>> = {
  library: async (call) => (await world.pack.steps.run(caller, call)).meta,
  async HTTP({ integration, step, input }) {
    const headers = { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' }
    const reply = await fetch(`${world.address}/v1/steps/${integration}/${step}/run`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ input }),
    })
    return ((await reply.json()) as any).meta
  },
  async MCP(call) {
    const result = await clients[1]!.callTool({ name: toolOf(call), arguments: call.input })
    const { warnings, unlisted } = result._meta!['toolyard/run'] as any
    const notes = (result.structuredContent as any)._notes.join(' ')
    return warnings?.every((warning: string) => notes.includes(warning)) ||
      (unlisted && notes.includes('not a listed one'))
      ? { warnings, unlisted }
      : { notes }
  },
  async 'command line'({ integration, step, input }) {
    const env = { TOOLYARD_URL: world.address, TOOLYARD_TOKEN: world.token }
    const argv = ['run', integration, step, JSON.stringify(input)]
    const { err: shown } = await runLine(argv, { env })
    const { warnings, unlisted } = JSON.parse((await runLine([...argv, '--json'], { env })).out).meta
    return warnings?.every((warning: string) => shown.includes(`warning: ${warning}`)) ||
      (unlisted && shown.includes('not a listed one'))
      ? { warnings, unlisted }
      : { shown }
  },
}

describe.each(Object.entries(metas))('beside the output, %s', (_name, metaOf) => {
  it('gives the warnings of an API call, and says that an endpoint is not listed', async () => {
    const warned = await metaOf(
      board('api-call', { method: 'GET', path: '/1/members/me', query: { fields: 'username', unheardOf: 1 } }),
    )
    expect(warned.warnings).toEqual([
      expect.stringContaining('"unheardOf" is not among the documented parameters of GET /1/members/{id}'),
    ])
    expect((await metaOf(board('api-call', { method: 'GET', path: '/1/nowhere' }))).unlisted).toBe(true)
  })
})

let turn = 0
const requests = () => world.sandbox.board.control.requests().length
const newest = async () => (await world.pack.runs.list(caller, { limit: 1 })).items[0]

describe.each(Object.entries(faces))('over %s', (_name, face) => {
  it.each(cases)('$what', async ({ call, arrange, cancel, expected }) => {
    arrange?.()
    const [before, last] = [requests(), (await newest())?.id]
    const idBoard =
      'idBoard' in call.input
        ? (((await world.pack.steps.run(caller, board('get-boards', { limit: 1 }))) as { value: any }).value.boards[0]
            .id as string)
        : undefined
    // An unknown outcome warns of the very same creation for a while, so each face makes its own.
    const own = {
      ...(call.input.idList ? { idList } : {}),
      ...(idBoard ? { idBoard, name: `${String(call.input.name)} ${(turn += 1)}` } : {}),
    }
    const controller = new AbortController()
    const coming = face({ ...call, input: { ...call.input, ...own } }, controller.signal)
    if (cancel) {
      await until('the request is at the provider', () => requests() > before)
      controller.abort()
    }
    const came = await coming
    expected(came)
    if (call.dryRun) {
      expect(requests()).toBe(before)
      expect((await newest())?.id).toBe(last)
    } else if (!('value' in came)) {
      const code = 'gone' in came ? 'cancelled' : came.failure.code
      await until(
        'the run is in the history',
        async () => (await newest())?.id !== last && (await newest())?.code === code,
      )
      expect(await newest()).toMatchObject({
        integration: call.integration,
        step: call.step,
        state: code === 'outcome_unknown' ? 'unknown' : 'failed',
        code,
      })
    }
  })
})
