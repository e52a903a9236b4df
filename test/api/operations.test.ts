import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '../../shared/api/operations/index.ts'
import type { Operation } from '../../shared/api/operation.ts'
import { allScopes } from '../../shared/api/rules.ts'
import type { BoundRule, OperationId, Scope } from '../../shared/api/rules.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { firstList, openFace, secretsOf } from '../faces/setup.ts'
import type { Ask } from '../faces/setup.ts'
import * as make from '../store/make.ts'
import { accessOf } from './access.ts'

/**
 * Every operation, by every kind of caller, on objects that somebody else made. What is expected follows from
 * `access.ts` and from `bound` of the operation; a new operation is tried without being named here, unless it needs a
 * body.
 */
const store = createMemoryStore()
const face = await openFace({
  store,
  limits: { wrongTokens: 10_000, tenant: { subscriptions: 10_000, connections: 10_000, files: 10_000 } },
})
const { pack, sandbox } = face
afterAll(() => face.close())

const all: Operation[] = Object.values(operations)
const scopes: Scope[] = [...allScopes]
const tenant = 'default'
const connect = async (name: string) =>
  (
    await pack.connections.create(
      { tenant },
      { integration: 'work-board', type: 'key-token', name, secrets: secretsOf(sandbox) },
    )
  ).id
let theirs = await connect('Theirs')
const spare = await connect('Spare')
const { board, list } = await firstList(face)
const people = await pack.connections.create(
  { tenant },
  { integration: 'contact-data', type: 'api-key', name: 'People', secrets: sandbox.contact.credentials },
)
await pack.tenants.create({ id: 'blue', name: 'Blue' })
const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
let count = 0

/** One of each object that an id can name, of the step Create Card and of the connection of somebody else. */
const furnish = async () => {
  count += 1
  // An operation before may have removed it.
  if (!(await store.connections.get(tenant, theirs))) theirs = await connect('Theirs')
  const name = (kind: string) => `${kind}_furnished_${count}`
  const ids = {
    connection: theirs,
    people: people.id,
    subscription: name('sub'),
    event: name('evt'),
    start: name('start'),
    hook: name('hook'),
    run: name('run'),
    budget: name('bud'),
    ledger: name('entry'),
    job: name('job'),
    suppression: name('hash'),
    file: '',
    token: '',
  }
  const { subscription, event, start, hook, run, budget, ledger, job, suppression } = ids
  const of = { connection: theirs }
  ids.file = (
    await pack.files.create(
      { tenant, connections: [theirs] },
      { name: 'people.csv', base64: Buffer.from('email\nnobody@unknown.example\n').toString('base64') },
    )
  ).id
  ids.token = (await pack.tokens.create(tenant, { name: 'Named' })).token.id
  await store.budgets.put({
    tenant,
    id: budget,
    scope: 'connection',
    subject: theirs,
    integration: null,
    credits: 9,
    period: 'day',
    timeZone: 'UTC',
    warnAt: null,
    createdAt: 1,
    updatedAt: 1,
  })
  const entry = {
    tenant,
    entry: ledger,
    entryAt: 1,
    job: null,
    ...of,
    integration: 'work-board',
    step: 'create-card',
    token: null,
  }
  await store.credits.reserve({ ...entry, part: 1, kind: 'reserved', credits: 1, estimated: true, at: 1 })
  await store.credits.abandon(tenant, ledger, 2)
  await store.bulkJobs.add(
    make.bulkJob(tenant, job, theirs, { order: { ...make.bulkJob(tenant, job, theirs).order, file: ids.file } }),
  )
  await store.suppressions.add([{ tenant, hash: suppression, kind: 'email', source: 'manual', createdAt: 1 }])
  await store.subscriptions.add(
    make.subscription(tenant, subscription, { ...of, config: { boards: ['6afd8f840000000000000008'] }, secrets: {} }),
  )
  await store.hooks.attach(make.hook(tenant, hook, of), subscription)
  await store.runs.record(make.run(tenant, run, { ...of, createdAt: Date.now() }))
  await store.ingest({
    events: [make.event(tenant, event, { ...of, hook })],
    starts: [make.start(tenant, start, { ...of, subscription, event, state: 'dead', endedAt: 1 })],
    gaps: [
      {
        tenant,
        id: name('gap'),
        ...of,
        model: 'board:b1',
        fromAt: 1,
        toAt: 2,
        kind: 'depth',
        reason: 'made for a test',
        createdAt: 3,
      },
    ],
  })
  await face.ask('/v1/steps/work-board/create-card/sample', { method: 'PUT', body: { input: {}, output: {} } })
  await face.ask('/v1/admin/notifications', { method: 'PUT', body: { url: 'https://platform.example/told', secret } })
  return ids
}
type Ids = Awaited<ReturnType<typeof furnish>>
/** By the part of a path before its `{id}`. */
const collections: { [part: string]: keyof Ids } = {
  connections: 'connection',
  subscriptions: 'subscription',
  events: 'event',
  starts: 'start',
  runs: 'run',
  budgets: 'budget',
  ledger: 'ledger',
  jobs: 'job',
  files: 'file',
  tokens: 'token',
  suppressions: 'suppression',
}
const names: { [part: string]: string } = {
  integration: 'work-board',
  step: 'create-card',
  trigger: 'new-card',
  tool: 'work_board_create_card',
  kind: 'person',
}

/** What the path alone does not say. An operation that is about a connection names the one of somebody else. */
const bodies: { [id in OperationId]?: (ids: Ids) => unknown } = {
  runStep: ({ connection }) => ({ connection, dryRun: true, input: { idList: list.id, name: 'A card' } }),
  loadStepOptions: ({ connection }) => ({ connection, field: 'idBoard' }),
  loadStepFields: ({ connection }) => ({ connection, values: { idBoard: board.id } }),
  callTool: ({ connection }) => ({ connection, idList: list.id, name: 'A card' }),
  saveStepSample: () => ({ input: {}, output: {} }),
  lookUp: ({ people }) => ({
    identifiers: { email: 'nobody@unknown.example' },
    want: ['workEmail'],
    providers: [{ integration: 'contact-data', connection: people }],
  }),
  createJob: ({ file }) => ({ file, integration: 'contact-data' }),
  resumeJob: () => ({ confirm: true }),
  createBudget: () => ({ scope: 'tenant', credits: 1, period: 'day', integration: 'work-board' }),
  patchBudget: () => ({ credits: 5 }),
  resolveLedgerEntry: () => ({ credits: 1 }),
  createConnection: () => ({
    integration: 'work-board',
    type: 'key-token',
    name: `New ${count}`,
    secrets: secretsOf(sandbox),
  }),
  authorizeConnection: ({ connection }) => ({ connection }),
  changeConnection: () => ({ labels: { a: 'b' } }),
  checkConnectionWire: () => ({}),
  putApp: () => ({ key: 'app-key' }),
  loadTriggerOptions: ({ connection }) => ({ connection, field: 'boards' }),
  createSubscription: ({ connection }) => ({
    integration: 'work-board',
    trigger: 'new-card',
    connection,
    config: { boards: [board.id] },
    agent: { url: 'https://agents.example/start' },
    // Without a public address nothing is delivered here.
    options: { delivery: 'poll' },
  }),
  changeSubscription: () => ({ labels: { a: 'b' } }),
  rotateSubscriptionSecret: () => ({ secret }),
  testAgent: ({ subscription }) => ({ subscription }),
  previewDelivery: ({ connection }) => ({
    integration: 'work-board',
    connection,
    body: {
      action: { id: '6afd8f840000000000000009', type: 'createCard', date: '2026-11-20T09:00:00.000Z', data: {} },
      model: { id: board.id },
    },
  }),
  replayStart: () => ({}),
  replayStarts: ({ subscription }) => ({ subscription }),
  createTenant: () => ({ name: 'Another' }),
  createToken: () => ({ name: 'Another', scopes: ['read'] }),
  putPolicy: () => ({}),
  putNotificationTarget: () => ({ url: 'https://platform.example/told', secret }),
  rotateNotificationSecret: () => ({}),
  addSuppressions: () => ({ entries: [{ email: 'nobody@example.com' }] }),
  removeSuppressions: () => ({ entries: [{ email: 'nobody@example.com' }] }),
  exportPerson: () => ({ identifiers: [{ email: 'nobody@example.com' }] }),
  erasePerson: () => ({ identifiers: [{ email: 'nobody@example.com' }] }),
  createFile: () => ({ name: 'a.txt', base64: '' }),
  signIn: () => ({ token: 'none' }),
}
const queries: { [id in OperationId]?: (ids: Ids) => string } = {
  clearCache: ({ connection }) => `?connection=${connection}`,
}
/** What these objects do not have, so that the operation fails for everybody. */
const failing: { [id in OperationId]?: number } = {
  // No run is in the background, no entry of the ledger is open, no session is signed in.
  cancelRun: 404,
  resolveLedgerEntry: 404,
  signOut: 404,
  // The job is not under way.
  pauseJob: 409,
  // There is no public address, and nothing on disk.
  authorizeConnection: 503,
  backup: 400,
  // Rows of this test hold secrets that were never sealed.
  exportPerson: 424,
  erasePerson: 424,
}
/** A stream does not end by itself, so only those are tried here to whom it is refused. */
const endless = new Set(['stream'])

const requestOf = ({ id, path, method, input }: Operation, ids: Ids): [string, Ask] => {
  const collection = /([^/]+)\/\{id\}/.exec(path)?.[1]
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // Of the steps of the board, this one has fields that the account defines.
    if (name === 'step' && id === 'loadStepFields') return 'set-custom-fields'
    if (name !== 'id') return names[name]!
    return collection === 'integrations' ? 'work-board' : encodeURIComponent(ids[collections[collection!]!])
  })
  const body = bodies[id as OperationId]?.(ids) ?? (input?.body ? {} : undefined)
  return [
    address + (queries[id as OperationId]?.(ids) ?? ''),
    { method, ...(body === undefined ? {} : { body }) } as Ask,
  ]
}

type Answer = { status: number; code: unknown; text: string; ids: Ids }
const tryAs = async (operation: Operation, token: string): Promise<Answer> => {
  const ids = await furnish()
  const [url, request] = requestOf(operation, ids)
  const { status, json, text } = await face.ask(url, { ...request, token })
  return { status, code: (json as { code?: unknown } | undefined)?.code, text, ids }
}
/**
 * Messages repeat what the caller wrote; budgets of connections beside the usage are those that GET /v1/budgets lists.
 */
const repeated = /"(?:message|detail)":"(?:[^"\\]|\\.)*"|"budgets":\[.*/g
const namesTheirs = ({ status, text, ids }: Answer) => {
  const shown = text.replace(repeated, '')
  return status < 300 ? [...Object.values(ids), 'Theirs'].filter((id) => shown.includes(id)) : []
}

const token = async (bounds: object, of: Scope[] = scopes) =>
  (await pack.tokens.create(tenant, { name: 'Caller', scopes: of, ...bounds })).text
const revokedOf = async () => {
  const { text, token: row } = await pack.tokens.create(tenant, { name: 'Ended', scopes, expiresAt: Date.now() + 50 })
  await new Promise((resolve) => setTimeout(resolve, 60))
  return [text, row.id] as const
}

/** What a bound caller meets: `open`, as any other; `hidden`, as if what it names were not there; `refused`. */
type Meets = 'open' | 'hidden' | 'refused'
const meets: { [bound in BoundRule]: { steps: Meets; connections: Meets } } = {
  tenant: { steps: 'open', connections: 'open' },
  step: { steps: 'refused', connections: 'hidden' },
  'step-and-connection': { steps: 'hidden', connections: 'hidden' },
  connection: { steps: 'open', connections: 'hidden' },
  trigger: { steps: 'refused', connections: 'hidden' },
  own: { steps: 'hidden', connections: 'hidden' },
  'not-steps': { steps: 'refused', connections: 'hidden' },
  'not-connections': { steps: 'open', connections: 'refused' },
  unbound: { steps: 'refused', connections: 'refused' },
}
/**
 * Of the scopes that open it, only the first: who may attach triggers reads their choices whatever steps it is bound
 * to.
 */
const scopesFor = ({ bound }: Operation): Scope[] => (bound === 'trigger' ? ['run'] : scopes)

const expectMeeting = async (operation: Operation, answer: Answer, expected: Meets) => {
  if (expected === 'refused') return expect([answer.status, answer.code]).toEqual([403, 'not_allowed'])
  if (expected === 'hidden') {
    if (answer.status >= 300) expect([answer.status, answer.code]).toEqual([404, 'not_found'])
    return expect(namesTheirs(answer)).toEqual([])
  }
  const free = await tryAs(operation, await token({}, scopesFor(operation)))
  return expect([answer.status, answer.code]).toEqual([free.status, free.code])
}

describe('access', () => {
  it('is what is written down beside this test', () => {
    const stated: { [access: string]: string[] } = {}
    for (const { id, access } of all) (stated[typeof access === 'string' ? access : access.join(' ')] ??= []).push(id)
    for (const ids of Object.values(stated)) ids.sort()
    expect(stated).toEqual(accessOf)
  })
})

describe.each(all.map((operation) => [operation.id, operation] as const))('%s', (_, operation) => {
  const { access, bound } = operation
  it.runIf(access !== 'public')('is refused to an expired token, and to none', async () => {
    const [ended] = await revokedOf()
    for (const text of [ended, 'none']) expect((await tryAs(operation, text)).status).toBe(401)
  })
  it.runIf(Array.isArray(access))('is refused to a token without one of its scopes', async () => {
    const lacking = await token(
      {},
      scopes.filter((scope) => !access.includes(scope)),
    )
    expect(await tryAs(operation, lacking)).toMatchObject({ status: 403, code: 'not_allowed' })
  })
  if (endless.has(operation.id) || access === 'public') return
  it('is open to a token with any one of its scopes', async () => {
    for (const scope of access === 'any' ? scopes : access) {
      const { status, code, text } = await tryAs(operation, await token({}, [scope]))
      expect([401, 429, 500]).not.toContain(status)
      expect([status, code === 'not_allowed' && /lacks permission/.test(text)]).not.toEqual([403, true])
    }
  })
  it('goes well with a token that is bound to nothing', async () => {
    const { status, text } = await tryAs(operation, await token({}))
    expect(status < 300 ? undefined : status, text.slice(0, 400)).toBe(failing[operation.id as OperationId])
  })
  it.each([
    ['a step', { steps: ['work-board/get-card'] }],
    ['a tool set', { toolSet: 'read' }],
  ])('by a token that is bound to %s', async (_name, bounds) => {
    await expectMeeting(
      operation,
      await tryAs(operation, await token(bounds, scopesFor(operation))),
      meets[bound].steps,
    )
  })
  it('by a token that is bound to another connection', async () => {
    await expectMeeting(
      operation,
      await tryAs(operation, await token({ connections: [spare] }, scopesFor(operation))),
      meets[bound].connections,
    )
  })
  it.runIf(bound !== 'tenant' && !(access as readonly string[]).includes('admin'))('by another tenant', async () => {
    const { text } = await pack.tokens.create('blue', {
      name: 'Blue',
      scopes: ['run', 'connections', 'subscriptions', 'read'],
    })
    const answer = await tryAs(operation, text)
    expect(namesTheirs(answer)).toEqual([])
    if (/[a-z]\/\{id\}/.test(operation.path) && !operation.path.includes('/integrations/{id}'))
      expect(answer.status).toBe(404)
  })
})
