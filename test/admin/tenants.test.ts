import { afterAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../shared/runtime/ports/index.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { Ask } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'
import * as make from '../store/make.ts'
import * as makeApprovals from '../store/make-approvals.ts'
import { routesOf } from '../connections/route-table.ts'

/**
 * Every route of the running server with ids of somebody else. The routes come from the server's own table and
 * document, so a new one is tried without being named here; one whose ids this file does not know fails.
 */
const store = createMemoryStore()
const face = await openHttpWorld({ store })
const { pack, sandbox } = face
afterAll(() => face.close())

/** What can be named in a request, by the names that address, query and body use for it. */
const places: Record<string, string> = {
  connection: 'connection',
  connectionId: 'connection',
  subscription: 'subscription',
  event: 'event',
  start: 'start',
  startId: 'start',
  run: 'run',
  hook: 'hook',
}
/** By the part of the address before `:id`. */
const collections: Record<string, string> = {
  connections: 'connection',
  subscriptions: 'subscription',
  events: 'event',
  starts: 'start',
  runs: 'run',
  hooks: 'hook',
  tokens: 'token',
  files: 'file',
  budgets: 'budget',
  ledger: 'entry',
  jobs: 'job',
  'people-lists': 'list',
  suppressions: 'suppression',
  people: 'person',
  grants: 'grant',
  approvals: 'approval',
  'approval-rules': 'rule',
}
/** Parts of addresses that name nothing of a tenant. */
const common = new Set(['integration', 'step', 'trigger', 'tool', 'kind'])
/**
 * Addresses of browsers and providers: what they hold is a secret of its own, tried in connect.test.ts and by the tests
 * of deliveries.
 */
const capabilities = new Set(['/connect/:state', '/v1/oauth/:integration/callback', '/hooks/:integration/:hookId'])
/** Bodies that reach the place where an id is looked up. */
const bodies: Record<string, object> = {
  '/v1/connections/authorize': { integration: 'work-board', type: 'key-token' },
  '/v1/steps/:integration/:step/run': { input: { idList: '6afd8f840000000000000008', name: 'Theirs' } },
  '/v1/steps/:integration/:step/options': { field: 'idBoard' },
  '/v1/triggers/:integration/:trigger/options': { field: 'boards' },
  '/v1/subscriptions': {
    integration: 'work-board',
    trigger: 'new-card',
    config: { boards: ['6afd8f840000000000000008'] },
    agent: { url: 'https://agents.example/start' },
  },
  '/v1/ledger/:id/resolve': { credits: 1 },
  '/v1/deliveries/preview': { integration: 'work-board', body: { action: {} } },
}
/** Of the steps, only this one has fields that the account defines. */
const steps: Record<string, string> = { '/v1/steps/:integration/:step/fields': 'set-custom-fields' }
const params: Record<string, string> = {
  integration: 'work-board',
  step: 'create-card',
  trigger: 'new-card',
  tool: 'work_board_get_boards',
}

/**
 * What a tenant has: one of everything that an id can name. Rows that retention removes are of now: the server of this
 * suite runs it, however long the suite takes.
 */
const furnish = async (tenant: string) => {
  if (tenant !== 'default') await pack.tenants.create({ id: tenant, name: tenant })
  const by: Caller = { tenant }
  const { id: connection } = await pack.connections.create(by, {
    integration: 'work-board',
    type: 'key-token',
    name: `Of ${tenant}`,
    secrets: secretsOf(sandbox),
  })
  const { meta } = await pack.steps.run(by, { integration: 'work-board', step: 'get-boards', input: {}, connection })
  const ids = {
    connection,
    run: meta.runId,
    subscription: `sub_${tenant}`,
    event: `evt-${tenant}`,
    start: `start-${tenant}`,
    hook: `hook-${tenant}`,
    token: '',
    budget: `bud_${tenant}`,
    entry: `entry-${tenant}`,
    job: `job_${tenant}`,
    suppression: `hash-${tenant}`,
    person: `person-${tenant}`,
    grant: `grant-${tenant}`,
    approval: `approval_${tenant}`,
    rule: `rule_${tenant}`,
    list: (
      await pack.peopleLists.create(
        { ...by, connections: [connection] },
        { name: `Of ${tenant}`, rows: [{ email: 'nobody@example.com' }] },
      )
    ).id,
    file: (await pack.files.create({ ...by, connections: [connection] }, { name: `Of ${tenant}.txt`, base64: '' })).id,
  }
  const { budget, entry, job, suppression } = ids
  await store.budgets.put({
    tenant,
    id: budget,
    scope: 'connection',
    subject: connection,
    integration: null,
    credits: 9,
    period: 'day',
    timeZone: 'UTC',
    warnAt: null,
    createdAt: 1,
    updatedAt: 1,
  })
  const ofEntry = {
    tenant,
    entry,
    entryAt: 1,
    job: null,
    connection,
    integration: 'work-board',
    step: 'get-boards',
    token: null,
  }
  await store.credits.reserve({ ...ofEntry, part: 1, kind: 'reserved', credits: 1, estimated: true, at: 1 })
  await store.credits.abandon(tenant, entry, 2)
  await store.people.add({ tenant, id: ids.person, createdAt: 1 })
  await store.grants.add(make.granted(tenant, ids.grant), make.code(tenant, ids.grant), { open: 9, unredeemed: 9 })
  await store.bulkJobs.add(make.bulkJob(tenant, job, connection))
  // It meets nothing that is run here.
  await store.approvalRules.add(makeApprovals.approvalRule(tenant, ids.rule, { when: { tokens: ['tok_nobody'] } }), 9)
  const nobody = { token: null, person: null, callerPerson: null, startId: null, runId: null, attempt: null }
  await store.approvals.add(
    makeApprovals.approval(tenant, ids.approval, {
      ...nobody,
      connection,
      code: null,
      decidedBy: null,
      decidedAt: null,
      // Nothing of it was sealed.
      secrets: {},
      createdAt: Date.now(),
      expiresAt: Date.now() + 3_600_000,
      nextAt: Date.now() + 3_600_000,
    }),
    9,
  )
  await store.suppressions.add([{ tenant, hash: suppression, kind: 'email', source: 'manual', createdAt: 1 }])
  await store.subscriptions.add(
    make.subscription(tenant, ids.subscription, {
      connection,
      config: { boards: ['6afd8f840000000000000008'] },
      secrets: {},
    }),
  )
  await store.hooks.attach(make.hook(tenant, ids.hook, { connection }), ids.subscription)
  await store.ingest({
    events: [make.event(tenant, ids.event, { connection, hook: ids.hook, receivedAt: Date.now() })],
    starts: [
      make.start(tenant, ids.start, {
        connection,
        subscription: ids.subscription,
        event: ids.event,
        state: 'dead',
        createdAt: Date.now(),
        endedAt: Date.now(),
      }),
    ],
    gaps: [
      {
        tenant,
        id: `gap-${tenant}`,
        connection,
        model: 'board:b1',
        fromAt: 1,
        toAt: 2,
        kind: 'depth',
        reason: 'made for a test',
        createdAt: Date.now(),
      },
    ],
  })
  ids.token = (await pack.tokens.create(tenant, { name: 'Named' })).token.id
  return ids
}
const mine = await furnish('default')
const theirs = await furnish('blue')
const rows = await pack.files.create(
  { tenant: 'default' },
  { name: 'people.csv', base64: Buffer.from('email\nnobody@example.com\n').toString('base64') },
)
bodies['/v1/people-lists'] = { name: 'Leads' }
bodies['/v1/jobs'] = { integration: 'contact-data', file: rows.id }
const nobodys: typeof mine = {
  connection: 'con_nobody',
  run: 'run-nobody',
  subscription: 'sub_nobody',
  event: 'evt-nobody',
  start: 'start-nobody',
  hook: 'hook-nobody',
  token: 'tok_nobody',
  file: 'file_nobody',
  list: 'plst_nobody',
  budget: 'bud_nobody',
  entry: 'entry-nobody',
  job: 'job_nobody',
  suppression: 'hash-nobody',
  person: 'person-nobody',
  grant: 'grant-nobody',
  approval: 'approval_nobody',
  rule: 'rule_nobody',
}
type Kind = keyof typeof mine

const everybody = ['run', 'connections', 'subscriptions', 'approvals', 'read'] as const
const stranger = await pack.tokens.create('default', { name: 'Stranger', scopes: [...everybody] })
/** Of the tenant that has it all, but bound to another account of it. */
const spare = await pack.connections.create(
  { tenant: 'blue' },
  { integration: 'work-board', type: 'key-token', name: 'Spare', secrets: secretsOf(sandbox) },
)
const bound = await pack.tokens.create('blue', { name: 'Bound', scopes: [...everybody], connections: [spare.id] })
const operator = await pack.tokens.create('default', { name: 'Operator', scopes: [...everybody, 'admin'] })

type Try = { title: string; path: string; kind: Kind; isFilter: boolean; ask(ids: typeof mine): [string, Ask] }
const withParams = (path: string, id: string | undefined) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) =>
    name === 'id' && id !== undefined
      ? encodeURIComponent(id)
      : ((name === 'step' ? steps[path] : undefined) ?? params[name] ?? 'x'),
  )
const kindOf = (path: string) => collections[/([^/]+)\/:id\b/.exec(path)?.[1] ?? '']

const routes = await routesOf(face)
const tries: Try[] = []
const unmapped: string[] = []
for (const { method, path, query, body, isDocumented } of routes) {
  if (capabilities.has(path)) continue
  const title = `${method} ${path}`
  const names = [...path.matchAll(/:(\w+)/g)]
    .map(([, name]) => name!)
    .filter((name) => !common.has(name) && !(name === 'id' && path === '/v1/integrations/:id'))
  if (names.some((name) => name !== 'id' || !kindOf(path))) unmapped.push(title)
  if (!isDocumented) continue
  const request = body ? { body: bodies[path] ?? {} } : {}
  const kind = kindOf(path) as Kind | undefined
  if (kind)
    tries.push({
      title: `${title}: its id`,
      path,
      kind,
      isFilter: false,
      ask: (ids) => [withParams(path, ids[kind]), { method, ...request } as Ask],
    })
  for (const name of query.filter((parameter) => parameter in places)) {
    const at = places[name] as Kind
    tries.push({
      title: `${title}: ?${name}`,
      path,
      kind: at,
      isFilter: true,
      ask: (ids) => [
        `${withParams(path, mine[kind ?? 'connection'])}?${name}=${encodeURIComponent(ids[at])}`,
        { method, ...request } as Ask,
      ],
    })
  }
  for (const name of (body ?? []).filter((field) => field in places)) {
    const at = places[name] as Kind
    tries.push({
      title: `${title}: "${name}"`,
      path,
      kind: at,
      isFilter: false,
      ask: (ids) => [
        withParams(path, kind && mine[kind]),
        { method, body: { ...bodies[path], [name]: ids[at] } } as Ask,
      ],
    })
  }
}

const requests = () =>
  sandbox.board.control.requests().length +
  (sandbox.anz.control.state().counters.requests ?? 0) +
  (sandbox.contact.control.state().counters.requests ?? 0)
const rowsBy = async (tenant: string, actor: string) => {
  const rows = []
  for (let cursor: string | undefined; ;) {
    const { items, next } = await pack.audit.list(tenant, { limit: 200, cursor }, { actor })
    rows.push(...items)
    if (next === undefined) return rows
    cursor = next
  }
}
/** Without what names the one thing or the one run. */
const plain = (text: string, id: string) => text.replaceAll(id, '…').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
const isAdmin = (path: string) => /^\/v1\/(admin|suppressions|privacy)\b/.test(path)
/** Everything a tenant has, as it lies in the store. */
const belongings = async (tenant: string) => {
  const page = { limit: 200 }
  const [subscriptions, hooks, events, starts, gaps, files, approvals, approvalRules] = await Promise.all([
    store.subscriptions.list(tenant, page),
    store.hooks.list(tenant, page),
    store.events.list(tenant, page),
    store.starts.list(tenant, page),
    store.gaps.list(tenant, page),
    pack.files.list({ tenant }, page),
    store.approvals.list(tenant, page),
    store.approvalRules.list(tenant),
  ])
  const connections = (await store.connections.list(tenant)).map(({ lastUsedAt: _, ...row }) => row)
  return JSON.stringify([
    connections,
    subscriptions,
    hooks,
    events,
    starts,
    gaps,
    files,
    approvals,
    approvalRules,
    await store.tokens.list(tenant),
    await store.apps.get(tenant, 'work-board'),
  ])
}

describe('the route table', () => {
  it('has no route whose ids are not known here', () => expect(unmapped).toEqual([]))
  it('gives what there is to try', () => {
    expect(tries.length).toBeGreaterThan(9)
    expect(new Set(tries.map(({ kind }) => kind))).toContain('connection')
  })
})

describe.each([
  ['of another tenant', stranger, 'default'],
  ['of the same tenant, to a token bound to another account', bound, 'blue'],
] as const)('%s', (_, { text: token, token: { id: actor } }, tenant) => {
  const own = tries.filter(
    ({ path, kind }) =>
      !isAdmin(path) &&
      (tenant === 'default' ||
        (!['token', 'budget', 'entry', 'person', 'grant', 'rule'].includes(kind) && path !== '/v1/jobs')),
  )
  it.each(own.map((attempt) => [attempt.title, attempt] as const))(
    '%s',
    async (_title, { path, kind, isFilter, ask }) => {
      const [before, there, rows] = [requests(), await belongings('blue'), await rowsBy(tenant, actor)]
      const [foreign, unknown] = [
        await face.ask(ask(theirs)[0], { ...ask(theirs)[1], token }),
        await face.ask(ask(nobodys)[0], { ...ask(nobodys)[1], token }),
      ]
      // Not even that it exists is told.
      expect([foreign.status, plain(foreign.text, theirs[kind])]).toEqual([
        unknown.status,
        plain(unknown.text, nobodys[kind]),
      ])
      if (isFilter && foreign.status === 200) expect(foreign.json.items).toEqual([])
      else {
        expect([foreign.status, foreign.json.code]).toEqual([404, 'not_found'])
        const added = (await rowsBy(tenant, actor)).slice(0, -rows.length || undefined)
        // Of a job the dry run of its first row is refused, too.
        expect(added.map(({ outcome }) => outcome)).toEqual(
          Array.from({ length: path === '/v1/jobs' ? 4 : 2 }, () => 'not_found'),
        )
      }
      expect(foreign.text).not.toContain('Of blue')
      expect(requests()).toBe(before)
      expect(await belongings('blue')).toBe(there)
    },
  )
})

describe('what the operator reaches', () => {
  const admin = tries.filter(({ path }) => isAdmin(path))
  it.each(
    routes
      .filter(({ path, isDocumented }) => isDocumented && isAdmin(path))
      .map(({ method, path }) => [`${method} ${path}`, method, path] as const),
  )('%s is refused without the scope "admin", whatever tenant it names', async (_title, method, path) => {
    for (const query of ['', '?tenant=default', '?tenant=blue']) {
      const reply = await face.ask(withParams(path, theirs.token) + query, {
        method: method as 'GET',
        token: stranger.text,
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
      })
      expect([reply.status, reply.json.code]).toEqual([403, 'not_allowed'])
    }
  })
  it.each(admin.map((attempt) => [attempt.title, attempt] as const))(
    '%s: an id counts in the tenant that is named only',
    async (_title, { isFilter, ask }) => {
      const [rows, there] = [await rowsBy('default', operator.token.id), await belongings('blue')]
      const reply = await face.ask(ask(theirs)[0], { ...ask(theirs)[1], token: operator.text })
      if (isFilter)
        expect((reply.json.items as { tenant: string }[]).filter((row) => row.tenant !== 'default')).toEqual([])
      else {
        expect([reply.status, reply.json.code]).toEqual([404, 'not_found'])
        expect((await rowsBy('default', operator.token.id)).length).toBe(rows.length + 1)
      }
      expect(await belongings('blue')).toBe(there)
    },
  )
})

describe('every step of every integration', () => {
  const steps = pack.registry.all.flatMap(({ integration, steps: all }) =>
    [...all.keys()].map((step) => [`${integration.id}/${step}`, integration.id, step] as const),
  )
  it('are many', () => expect(steps.length).toBeGreaterThan(22))
  it.each(steps)(
    '%s with a foreign account: not found, nothing sent, written down',
    async (_title, integration, step) => {
      const [before, rows] = [requests(), (await rowsBy('default', stranger.token.id)).length]
      const example = (await pack.integrations.manifest(integration)).steps
        .find(({ id }) => id === step)
        ?.examples.find(({ input }) => input !== undefined)
      const input = (example as { input?: unknown } | undefined)?.input ?? { method: 'GET', path: '/1/members/me' }
      for (const dryRun of [false, true]) {
        const { status, json } = await face.ask(`/v1/steps/${integration}/${step}/run`, {
          body: { input, dryRun, connection: theirs.connection },
          token: stranger.text,
        })
        expect([status, json.code]).toEqual([404, 'not_found'])
      }
      expect(requests()).toBe(before)
      expect((await rowsBy('default', stranger.token.id)).length).toBe(rows + 2)
    },
  )
})

describe('names and keys that two tenants share', () => {
  it('an idempotency key is a tenant’s own: the same key and request is run for each', async () => {
    const run = (token: string, connection: string) =>
      face.ask('/v1/steps/work-board/get-boards/run', {
        body: { input: {}, connection },
        token,
        headers: { 'idempotency-key': 'same-key' },
      })
    const blue = await pack.tokens.create('blue', { name: 'Blue' })
    const [first, second] = [await run(blue.text, theirs.connection), await run(stranger.text, mine.connection)]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(first.json.meta.runId).not.toBe(second.json.meta.runId)
    expect((await run(stranger.text, mine.connection)).json.meta).toMatchObject({ runId: second.json.meta.runId })
  })

  it('a name chosen by the model finds an account of its own token only', async () => {
    const run = (connection: string) =>
      face.ask('/v1/steps/work-board/get-boards/run', { body: { input: {}, connection }, token: bound.text })
    expect((await run('Of blue')).json).toMatchObject({
      code: 'not_found',
      detail: 'There is no work-board connection "Of blue". Connected: "Spare".',
    })
    expect((await run('Spare')).status).toBe(200)
    expect(
      (await face.ask('/v1/steps/work-board/get-boards/run', { body: { input: {} }, token: bound.text })).status,
    ).toBe(200)
    expect(
      (await face.ask('/v1/connections', { token: bound.text })).json.items.map(({ name }: { name: string }) => name),
    ).toEqual(['Spare'])
  })

  it('a bound token neither connects accounts nor changes the app they are connected with', async () => {
    for (const [url, method, body] of [
      ['/v1/connections', 'POST', { integration: 'work-board', type: 'key-token', secrets: secretsOf(sandbox) }],
      ['/v1/connections/authorize', 'POST', { integration: 'work-board', type: 'key-token' }],
      ['/v1/apps/work-board', 'PUT', { key: 'another-app-key', secret: 'another-app-secret' }],
    ] as const) {
      const reply = await face.ask(url, { method, body, token: bound.text })
      expect([url, reply.status, reply.json.code]).toEqual([url, 403, 'not_allowed'])
    }
  })

  it('the history of runs and their cost shows a bound token its own accounts only', async () => {
    const list = (token: string) => face.ask('/v1/runs?limit=200', { token })
    const seen = (await list(bound.text)).json.items as { connection: string | null; token: string | null }[]
    expect(seen.length).toBeGreaterThan(0)
    for (const run of seen) expect([spare.id, bound.token.id]).toContain(run.connection ?? run.token)
    expect(
      (await list(stranger.text)).json.items.map(({ connection }: { connection: string | null }) => connection),
    ).not.toContain(theirs.connection)
    expect((await face.ask('/v1/usage', { token: bound.text })).text).not.toContain(theirs.connection)
    expect((await face.ask('/v1/usage', { token: stranger.text })).text).not.toContain(theirs.connection)
    for (const { text: token } of [bound, stranger]) {
      const totals = await face.ask('/v1/usage/export?by=connection', { token })
      expect(totals.status).toBe(200)
      expect(totals.text).not.toContain(theirs.connection)
    }
  })
})
