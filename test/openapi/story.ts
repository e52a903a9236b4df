import type { Client } from '@modelcontextprotocol/client'
import { expect } from 'vitest'
import type { HttpWorld } from '../support/http-world.ts'
import { signedInClient } from '../oauth/world.ts'
import { callEveryTool } from '../mcp/every-tool.ts'
import { findIds } from '../sandbox/board-client.ts'
import { until } from '../support/agent-world.ts'
import type { AgentServer } from '../support/agent-world.ts'

export type Reply = { status: number; json: any; text: string }
export type Asking = (
  method: string,
  url: string,
  request?: { body?: unknown; token?: string; headers?: Record<string, string> },
) => Promise<Reply>

/** Every step, through its own operation. */
const runEveryStep = async (face: HttpWorld, ask: Asking) => {
  const steps = new Map(
    face.pack.registry.all
      .flatMap((loaded) => [...loaded.steps.values()])
      .map(({ tool, step, loaded }) => [tool, `/v1/steps/${loaded.integration.id}/${step.id}`]),
  )
  const { paths } = (await face.ask('/openapi.json')).json as {
    paths: Record<string, Record<string, { responses: object }>>
  }
  const client = {
    async callTool({ name, arguments: input }: { name: string; arguments: object }) {
      const at = steps.get(name)!
      const unset = await face.ask(`${at}/run`, { body: { input, dryRun: true } })
      // Prism answers for a server that says 501, so what the documented profile does not offer is asked past it.
      if (unset.status === 501) {
        const { status, json } = await face.ask(`${at}/run`, { body: { input } })
        expect([status, Object.keys(paths[`${at}/run`]!.post!.responses)]).toEqual([
          501,
          expect.arrayContaining(['501']),
        ])
        expect((await ask('POST', `${at}/run`, { body: { input: { ...input, noSuchField: 1 } } })).status).toBe(400)
        return { isError: true, content: [], _meta: { 'toolyard/failure': json } }
      }
      const dry = await ask('POST', `${at}/run`, { body: { input, dryRun: true } })
      expect(dry.status, dry.text).toBe(200)
      const { status, json } = await ask('POST', `${at}/run`, { body: { input } })
      await ask('POST', `${at}/run`, { body: { input: { ...input, noSuchField: 1 } } })
      const content = [{ type: 'text', text: JSON.stringify(json.output ?? json) }]
      return status === 200 ? { structuredContent: json.output, content } : { isError: true, content }
    },
  }
  return callEveryTool(client as unknown as Client)
}

const accounts = async (face: HttpWorld, ask: Asking) => {
  const { key, token, secondToken } = face.sandbox.board.credentials
  await ask('GET', '/v1/integrations')
  for (const { integration } of face.pack.registry.all) await ask('GET', `/v1/integrations/${integration.id}`)
  await ask('GET', '/v1/integrations/nothing')
  await ask('GET', '/v1/steps?query=card%20checklist')
  await ask('GET', '/v1/steps?integration=nothing')
  const made = await ask('POST', '/v1/connections', {
    body: {
      integration: 'work-board',
      type: 'key-token',
      name: 'Second',
      secrets: { key, token: secondToken },
      labels: { team: 'blue' },
      policy: { methods: ['GET'] },
    },
  })
  expect(made.status, made.text).toBe(201)
  const connectionUrl = `/v1/connections/${made.json.id}`
  await ask('POST', '/v1/connections', {
    body: { integration: 'work-board', type: 'key-token', name: 'Second', secrets: { key, token } },
  })
  await ask('POST', '/v1/connections', {
    body: { integration: 'work-board', type: 'key-token', secrets: { key, token: 'ATTAnot-a-real-token-1234567890' } },
  })
  await ask('POST', '/v1/connections', { body: { integration: 'work-board' } })
  await ask('GET', '/v1/connections?label=team:blue&limit=1')
  await ask('GET', '/v1/connections?limit=900')
  await ask('GET', connectionUrl)
  await ask('GET', `${connectionUrl}/names?limit=5`)
  await ask('PATCH', connectionUrl, { body: { disabled: true } })
  await ask('POST', '/v1/steps/work-board/get-boards/run', { body: { connection: 'Second', input: {} } })
  await ask('PATCH', connectionUrl, { body: { disabled: false, policy: null } })
  await ask('POST', `${connectionUrl}/test`)
  for (const report of ['limits', 'usage'])
    for (const of of [connectionUrl, '/v1/connections/con_none']) await ask('GET', `${of}/${report}`)
  const { json: all } = await ask('GET', '/v1/connections')
  for (const { id } of all.items)
    for (const body of [{}, { spend: true }, { spend: 'yes' }])
      await ask('POST', `/v1/connections/${id}/wire-check`, { body })
  await ask('POST', '/v1/steps/work-board/create-card/options', { body: { connection: 'Second', field: 'idBoard' } })
  await ask('POST', '/v1/steps/work-board/create-card/options', { body: { field: 'none' } })
  await ask('POST', '/v1/connections/authorize', { body: { integration: 'work-board' } })
  await ask('GET', '/v1/apps/work-board')
  await ask('PUT', '/v1/apps/work-board', { body: { key, secret: face.sandbox.board.credentials.appSecret } })
  await ask('DELETE', connectionUrl)
  await ask('DELETE', connectionUrl)
  await ask('POST', `${connectionUrl}/wire-check`, { body: {} })
  return connectionUrl
}

const filesAndTools = async (face: HttpWorld, ask: Asking) => {
  const made = await ask('POST', '/v1/files', { body: { name: 'agenda.txt', base64: 'QWdlbmRh' } })
  expect(made.status, made.text).toBe(201)
  const fileUrl = `/v1/files/${made.json.id}`
  await ask('POST', '/v1/files', { body: { name: '../agenda.txt', base64: 'QQ==' } })
  for (const url of ['/v1/files?limit=1', fileUrl, `${fileUrl}/metadata`, '/v1/files/none', '/v1/files/none/metadata'])
    await ask('GET', url)
  for (let n = 0; n < 2; n += 1) await ask('DELETE', fileUrl)
  const { board } = findIds(face.sandbox.board)
  const fields = await ask('POST', '/v1/steps/work-board/set-custom-fields/fields', {
    body: { values: { idBoard: board } },
  })
  expect(fields.status, fields.text).toBe(200)
  await ask('POST', '/v1/steps/work-board/get-card/fields', { body: { values: {} } })
  const tool = await ask('POST', '/v1/tools/work_board_get_boards', { body: {} })
  expect(tool.status, tool.text).toBe(200)
  await ask('POST', '/v1/tools/work_board_get_boards', { body: { noSuchField: 1 } })
  await ask('POST', '/v1/tools/none', { body: {} })
  for (const url of ['/openapi/work-board.json?set=core', '/openapi/work-board.json?set=none', '/openapi/nothing.json'])
    await ask('GET', url)
}

const operator = async (ask: Asking) => {
  await ask('POST', '/v1/admin/tenants', { body: { id: 'paper-mill', name: 'Paper mill' } })
  await ask('POST', '/v1/admin/tenants', { body: { id: 'paper-mill', name: 'Paper mill' } })
  await ask('GET', '/v1/admin/tenants')
  const { json } = await ask('POST', '/v1/admin/tokens', { body: { name: 'Narrow', scopes: ['read'] } })
  for (const url of ['/v1/admin/tokens', '/v1/admin/keys', '/metrics', '/v1/connections', '/v1/runs'])
    await ask('GET', url, { token: json.text })
  await ask('POST', '/v1/steps/work-board/get-boards/run', { token: json.text, body: { input: {} } })
  await ask('GET', '/v1/admin/tokens')
  await ask('DELETE', `/v1/admin/tokens/${json.token.id}`)
  await ask('GET', '/v1/runs', { token: json.text })
  for (const url of [
    '/v1/admin/keys',
    '/v1/admin/checks',
    '/v1/admin/audit?limit=5',
    '/v1/admin/audit/verify',
    '/v1/admin/audit/head',
    '/v1/admin/policies',
    '/metrics',
    '/livez',
    '/readyz',
    '/openapi.json',
  ])
    await ask('GET', url)
  await ask('PUT', '/v1/admin/policies', { body: { limits: { requestsPerSecond: 500 } } })
  await ask('PUT', '/v1/admin/policies', { body: { limits: { requestsPerSecond: -1 } } })
  const notifications = '/v1/admin/notifications'
  await ask('GET', notifications)
  await ask('PUT', notifications, { body: { url: 'https://platform.example/toolyard' } })
  await ask('PUT', notifications, { body: { url: 'https://platform.example/toolyard', types: ['start.done'] } })
  await ask('GET', notifications)
  await ask('POST', `${notifications}/rotate-secret`, { body: {} })
  for (let n = 0; n < 2; n += 1) await ask('DELETE', notifications)
  const [entries, identifiers] = [[{ email: 'nobody@example.com' }], [{ email: 'nobody@example.com' }]]
  await ask('POST', '/v1/suppressions', { body: { entries } })
  await ask('POST', '/v1/suppressions', { body: { entries: [{ phone: '12' }] } })
  await ask('GET', '/v1/suppressions')
  await ask('POST', '/v1/privacy/export', { body: { identifiers } })
  await ask('POST', '/v1/privacy/erase', { body: { identifiers } })
  await ask('POST', '/v1/suppressions/remove', { body: { entries } })
  await ask('DELETE', '/v1/suppressions/none')
  await ask('POST', '/v1/admin/keys/rotate')
  await ask('POST', '/v1/admin/backup')
}

const triggers = async (face: HttpWorld, agent: AgentServer, ask: Asking) => {
  const ids = findIds(face.sandbox.board)
  await ask('POST', '/v1/triggers/work-board/card-moved/options', { body: { field: 'boards' } })
  await ask('POST', '/v1/triggers/work-board/none/options', { body: { field: 'boards' } })
  const body = {
    integration: 'work-board',
    trigger: 'new-card',
    config: { boards: [ids.board] },
    agent: { url: `${agent.origin}/new` },
    labels: { team: 'blue' },
  }
  const made = await ask('POST', '/v1/subscriptions', { body })
  expect(made.status, made.text).toBe(201)
  await ask('POST', '/v1/subscriptions', { body: { ...body, config: {} } })
  const subscriptionUrl = `/v1/subscriptions/${made.json.id}`
  for (const url of ['/v1/subscriptions', subscriptionUrl, '/v1/subscriptions/none', '/v1/hooks', '/v1/agents'])
    await ask('GET', url)
  for (const url of ['/v1/catalogue?query=card', '/v1/connections/con_none/names']) await ask('GET', url)
  await ask('GET', `${subscriptionUrl}/sample`)
  await ask('POST', `${subscriptionUrl}/test`)
  for (const tested of [{ subscription: made.json.id }, { url: `${agent.origin}/new` }, {}, { subscription: 'none' }])
    await ask('POST', '/v1/agents/test', { body: tested })
  face.sandbox.board.control.createCard({ by: 'odettequill', idList: ids.list('Ideas'), name: 'Told' })
  await until('two starts', async () => (await ask('GET', '/v1/starts')).json.items.length > 1)
  const { json: starts } = await ask('GET', '/v1/starts?limit=1')
  const { json: events } = await ask('GET', '/v1/events')
  await ask('GET', '/v1/starts?state=nonsense')
  await ask('GET', `/v1/starts/${starts.items[0].id}`)
  await ask('POST', `/v1/starts/${starts.items[0].id}/replay`)
  await ask('POST', '/v1/starts/replay', { body: { subscription: made.json.id } })
  await ask('GET', `/v1/events/${events.items[0].id}`)
  await ask('POST', `/v1/events/${events.items[0].id}/replay`)
  await ask('GET', '/v1/events/none')
  const { json: event } = await ask('GET', `/v1/events/${events.items[0].id}`)
  for (const body of [event.raw, {}, 'no JSON'])
    await ask('POST', '/v1/deliveries/preview', { body: { integration: 'work-board', body } })
  for (const url of ['/v1/gaps', '/v1/undecodable']) await ask('GET', url)
  await ask('PATCH', subscriptionUrl, { body: { labels: { team: 'green' } } })
  await ask('POST', `${subscriptionUrl}/rotate-secret`, { body: { overlapMs: 60_000 } })
  for (const verb of ['pause', 'resume', 'recover']) await ask('POST', `${subscriptionUrl}/${verb}`)
  await ask('POST', '/v1/hooks/prune')
  await ask('DELETE', subscriptionUrl)
  await ask('GET', subscriptionUrl)
}

const signIn = async (face: HttpWorld, ask: Asking) => {
  await ask('GET', '/v1/server')
  const { json } = await ask('POST', '/v1/sign-in-codes')
  const code = new URL(json.url).hash.slice('#code='.length)
  for (const body of [{ code }, { code }, { token: face.token }, { token: 'no-token-of-anybody' }, {}])
    await ask('POST', '/v1/session', { body })
  await ask('GET', '/v1/session')
  // With a bearer token there is no session to end.
  await ask('DELETE', '/v1/session')
}

const samples = async (ask: Asking) => {
  const sampleUrl = '/v1/steps/work-board/get-boards/sample'
  await ask('GET', sampleUrl)
  for (const body of [{ input: {}, output: { boards: [] } }, { input: 1 }]) await ask('PUT', sampleUrl, { body })
  await ask('GET', sampleUrl)
  for (let n = 0; n < 2; n += 1) await ask('DELETE', sampleUrl)
}

const creditsAndJobs = async (ask: Asking) => {
  const budget = { scope: 'tenant', credits: 5_000, period: 'month', timeZone: 'Pacific/Auckland', warnAt: 0.8 }
  const made = await ask('POST', '/v1/budgets', { body: budget })
  expect(made.status, made.text).toBe(201)
  await ask('POST', '/v1/budgets', { body: { ...budget, timeZone: 'Nowhere/Else' } })
  const budgetUrl = `/v1/budgets/${made.json.id}`
  for (const url of ['/v1/budgets', budgetUrl, '/v1/budgets/none', '/v1/ledger?limit=5', '/v1/lookups'])
    await ask('GET', url)
  for (const chosen of ['?all=true', '?integration=contact-data', '?connection=none', ''])
    await ask('DELETE', `/v1/cache${chosen}`)
  for (const body of [{ credits: 4_000 }, { credits: -1 }]) await ask('PATCH', budgetUrl, { body })
  const lookup = { identifiers: { email: 'nobody@example.com' }, want: ['fullName'] }
  for (const body of [
    lookup,
    { ...lookup, dryRun: true },
    { ...lookup, maxCredits: 0, maxAge: 0 },
    { ...lookup, want: [] },
  ])
    await ask('POST', '/v1/lookups/person', { body })
  const { json: ledger } = await ask('GET', '/v1/ledger')
  for (const entry of [ledger.items[0].entry, 'none'])
    await ask('POST', `/v1/ledger/${entry}/resolve`, { body: { credits: 1 } })
  for (let n = 0; n < 2; n += 1) await ask('DELETE', budgetUrl)

  const rows = Buffer.from('email\nnobody@example.com\n').toString('base64')
  const file = await ask('POST', '/v1/files', { body: { name: 'people.csv', base64: rows } })
  const job = await ask('POST', '/v1/jobs', { body: { file: file.json.id, integration: 'contact-data' } })
  expect(job.status, job.text).toBe(201)
  await ask('POST', '/v1/jobs', { body: { file: 'none', integration: 'contact-data' } })
  for (const body of [
    { name: 'Leads', file: file.json.id },
    { name: 'Leads', rows: [{ email: 'nobody@example.com', phones: [{ number: '+64 21 555 0100' }] }] },
    { name: 'None' },
    { name: 'Gone', file: 'none' },
  ])
    await ask('POST', '/v1/people-lists', { body })
  for (const url of ['/v1/people-lists', '/v1/people-lists/Leads?limit=1', '/v1/people-lists/none'])
    await ask('GET', url)
  for (let n = 0; n < 2; n += 1) await ask('DELETE', '/v1/people-lists/Leads')
  const at = `/v1/jobs/${job.json.id}`
  await until('the file was read', async () => (await ask('GET', at)).json.state === 'ready')
  for (const url of ['/v1/jobs', `${at}/preview`, '/v1/jobs/none']) await ask('GET', url)
  await ask('POST', `${at}/resume`, { body: { confirm: true } })
  await until('the job has ended', async () => (await ask('GET', at)).json.state === 'done')
  for (const verb of ['pause', 'cancel']) await ask('POST', `${at}/${verb}`)
}

/** What a client may do that somebody let in. */
const grants = async (face: HttpWorld, ask: Asking) => {
  await signedInClient({ address: await face.listen(), token: face.token })
  const { json: grants } = await ask('GET', '/v1/grants')
  await ask('GET', '/v1/grants?limit=5')
  await ask('GET', '/v1/grants?limit=900')
  for (const url of [`/v1/grants/${grants.items[0].id}`, '/v1/grants/none']) {
    await ask('GET', url)
    for (const body of [{ scopes: ['read'] }, { scopes: ['admin'] }, { monthlyCredits: -1 }])
      await ask('PATCH', url, { body })
    for (let n = 0; n < 2; n += 1) await ask('DELETE', url)
  }
}

/** Runs that wait for a decision: one is approved, one denied, one erased. */
const heldRuns = async (face: HttpWorld, ask: Asking) => {
  const { board } = findIds(face.sandbox.board)
  const { json: caller } = await ask('POST', '/v1/admin/tokens', { body: { name: 'Has to ask', scopes: ['run'] } })
  const rulesUrl = '/v1/approval-rules'
  const rule = await ask('POST', rulesUrl, { body: { name: 'Costly', when: { tokens: [caller.token.id] } } })
  expect(rule.status, rule.text).toBe(201)
  for (const when of [{ steps: ['work-board/none'] }, { connections: ['con_none'] }, { effects: [] }])
    await ask('POST', rulesUrl, { body: { when } })
  await ask('GET', rulesUrl)
  const ruleUrl = `${rulesUrl}/${rule.json.id}`
  for (const url of [ruleUrl, `${rulesUrl}/none`]) {
    await ask('GET', url)
    for (const body of [{ by: { people: ['ann'] } }, { by: 'approvers' }, { by: 'nobody' }])
      await ask('PATCH', url, { body })
  }

  const as = { token: caller.text }
  const make = (name: string) =>
    ask('POST', '/v1/steps/work-board/create-list/run', { ...as, body: { input: { idBoard: board, name } } })
  const hold = async (name: string) => {
    const { status, json, text } = await make(name)
    expect([status, json.code], text).toEqual([424, 'approval_pending'])
    return `/v1/approvals/${json.approval.id}`
  }
  await ask('POST', '/v1/tools/work_board_create_list', { ...as, body: { idBoard: board, name: 'Held as a tool' } })
  const lookup = { identifiers: { email: 'nobody@example.com' }, want: ['fullName'], maxAge: 0 }
  await ask('POST', '/v1/lookups/person', { ...as, body: lookup })
  const [sentUrl, deniedUrl, erasedUrl] = [
    await hold('Approved'),
    await hold('Denied'),
    await hold('nobody@example.com'),
  ]
  for (const url of [
    '/v1/approvals?limit=1',
    '/v1/approvals?state=open&person=ann',
    '/v1/approvals?state=lost',
    sentUrl,
  ])
    for (const by of [{}, as]) await ask('GET', url, by)
  await ask('GET', '/v1/approvals/none')
  await ask('POST', `${sentUrl}/approve`, { ...as, body: {} })
  for (const body of [{ version: 9 }, { maxCredits: -1 }, {}, {}]) await ask('POST', `${sentUrl}/approve`, { body })
  await until('what was approved to be sent', async () => (await make('Approved')).status === 200)
  for (const body of [{ reason: '' }, { reason: 'Not this week.' }, {}])
    await ask('POST', `${deniedUrl}/deny`, { body })
  expect((await make('Denied')).json.code).toBe('approval_denied')
  await ask('POST', '/v1/privacy/erase', { body: { identifiers: [{ email: 'nobody@example.com' }] } })
  for (const url of [sentUrl, deniedUrl, erasedUrl, '/v1/approvals/none']) {
    await ask('GET', url)
    for (const verb of ['approve', 'deny']) await ask('POST', `${url}/${verb}`, { body: {} })
  }
  for (let n = 0; n < 2; n += 1) await ask('DELETE', ruleUrl)
}

/** Uses every operation there is, rightly and wrongly. */
export const tell = async (face: HttpWorld, agent: AgentServer, ask: Asking): Promise<void> => {
  await accounts(face, ask)
  await runEveryStep(face, ask)
  const { json: runs } = await ask('GET', '/v1/runs?limit=3')
  await ask('GET', `/v1/runs?limit=3&cursor=${encodeURIComponent(runs.next)}`)
  await ask('GET', '/v1/runs?cursor=nonsense')
  await ask('GET', `/v1/runs/${runs.items[0].id}`)
  await ask('GET', '/v1/runs/none')
  face.sandbox.board.control.fault({ match: { path: '/1/members/me/boards' }, times: 9, cut: 'hang' })
  const begun = await ask('POST', '/v1/steps/work-board/get-boards/run', {
    body: { input: {} },
    headers: { prefer: 'respond-async' },
  })
  expect(begun.status, begun.text).toBe(202)
  await ask('GET', `/v1/runs/${begun.json.runId}`)
  for (const id of [begun.json.runId, runs.items[0].id]) await ask('POST', `/v1/runs/${id}/cancel`)
  face.sandbox.board.control.clearFaults()
  await ask('GET', '/v1/usage?days=2')
  await ask('GET', '/v1/usage?by=step')
  await ask('GET', '/v1/usage/export?by=connection')
  const step = '/v1/steps/work-board/get-boards/run'
  expect((await ask('POST', step, { body: { input: {}, person: 'ann' } })).status).toBe(200)
  await ask('GET', '/v1/people?limit=5')
  await until('the person to be noted', async () => (await ask('GET', '/v1/people/ann')).status === 200)
  await ask('GET', '/v1/people/nobody')
  await grants(face, ask)
  await filesAndTools(face, ask)
  await creditsAndJobs(ask)
  await heldRuns(face, ask)
  await samples(ask)
  await signIn(face, ask)
  await triggers(face, agent, ask)
  await operator(ask)
}
