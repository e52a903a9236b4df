/**
 * Everything that operations can be about, made by somebody else: by direct writes to the store, in every state that a
 * request can name. And a request for each operation that fits its schema and names these objects.
 */
import type { Operation } from '../../shared/api/operation.ts'
import type { OperationId } from '../../shared/api/rules.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { movableClock } from '../support/clock.ts'
import { firstList, openHttpWorld } from '../support/http-world.ts'
import type { Ask } from '../support/http-world.ts'
import { secretsOf } from '../support/world.ts'
import * as make from '../store/make.ts'
import { approvalRule } from '../store/make-approvals.ts'
import { heldIn } from '../approvals/world.ts'

export const tenant = 'default'
/** Whose everything is; a caller for a person acts for another one. */
const bea = 'person_furnished_bea'
/** Whose runs alone wait for a decision. */
const holding = 'tok_furnished'
const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`

const openWorld = async () => {
  const store = createMemoryStore()
  const clock = movableClock()
  const face = await openHttpWorld({
    store,
    clock,
    oauthServer: 'on',
    limits: { wrongTokens: 10_000, tenant: { subscriptions: 10_000, connections: 10_000, files: 10_000 } },
  })
  const { pack, sandbox } = face
  const connect = async (name: string) =>
    (
      await pack.connections.create(
        { tenant },
        { integration: 'work-board', type: 'key-token', name, secrets: secretsOf(sandbox) },
      )
    ).id
  const theirs = await connect('Theirs')
  const spare = await connect('Spare')
  const { board, list } = await firstList(face)
  const people = await pack.connections.create(
    { tenant },
    { integration: 'contact-data', type: 'api-key', name: 'People', secrets: sandbox.contact.credentials },
  )
  await store.connections.patch(tenant, people.id, { person: bea })
  await store.people.add({ tenant, id: bea, createdAt: 1 })
  await pack.tenants.create({ id: 'empty', name: 'Empty' })
  await pack.approvalRules.create({ tenant }, { when: { tokens: [holding] }, by: 'approvers', expiresMinutes: 60 })
  return { store, clock, face, connect, theirs, spare, board, list, people: people.id, peopleList: '', count: 0 }
}
type World = Awaited<ReturnType<typeof openWorld>>

/** A run of theirs that waits for a decision; of former ones nothing waits any more. */
const holdRun = async ({ store, face: { pack }, theirs, list, count }: World): Promise<string> => {
  const { items } = await store.approvals.list(tenant, { limit: 200 }, { states: ['open'] })
  for (const row of items)
    await store.approvals.change(row, { state: 'expired', identity: null, nextAt: null, endedAt: 1 })
  const call = { integration: 'work-board', step: 'create-card', connection: theirs }
  const input = { idList: list.id, name: `Held ${count}` }
  return heldIn(await pack.steps.run({ tenant, token: holding, person: bea }, { ...call, input }))
}

/** One of each object that an id can name, of the step Create Card and of the connection of somebody else. */
const furnish = async (world: World) => {
  const { store, face, connect } = world
  const { pack } = face
  const count = (world.count += 1)
  // An operation before may have removed it.
  if (!(await store.connections.get(tenant, world.theirs))) world.theirs = await connect('Theirs')
  const { theirs } = world
  // An operation before may have given it away.
  await store.connections.patch(tenant, theirs, { person: bea })
  const name = (kind: string) => `${kind}_furnished_${count}`
  const ids = {
    connection: theirs,
    people: world.people,
    subscription: name('sub'),
    event: name('evt'),
    start: name('start'),
    hook: name('hook'),
    run: name('run'),
    budget: name('bud'),
    ledger: name('entry'),
    job: name('job'),
    suppression: name('hash'),
    person: bea,
    grant: name('grant'),
    rule: name('rule'),
    approval: await holdRun(world),
    file: '',
    list: '',
    token: '',
  }
  const { subscription, event, start, hook, run, budget, ledger, job, suppression } = ids
  const of = { connection: theirs }
  ids.file = (
    await pack.files.create(
      { tenant, connections: [theirs], person: bea },
      { name: 'people.csv', base64: Buffer.from('email\nnobody@unknown.example\n').toString('base64') },
    )
  ).id
  // A tenant has a hundred lists at most, so the former one goes.
  if (world.peopleList) await store.peopleLists.remove(tenant, world.peopleList)
  world.peopleList = ids.list = (
    await pack.peopleLists.create(
      { tenant, connections: [theirs], person: bea },
      { name: name('list'), rows: [{ email: 'nobody@unknown.example' }] },
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
  await store.grants.add(make.granted(tenant, ids.grant, { person: bea }), make.code(tenant, ids.grant), {
    open: 9_999,
    unredeemed: 9_999,
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
    person: bea,
  }
  await store.credits.reserve({ ...entry, part: 1, kind: 'reserved', credits: 1, estimated: true, at: 1 })
  await store.credits.abandon(tenant, ledger, 2)
  await store.bulkJobs.add(
    make.bulkJob(tenant, job, theirs, {
      caller: { person: bea },
      order: { ...make.bulkJob(tenant, job, theirs).order, file: ids.file },
    }),
  )
  await store.approvalRules.remove(tenant, `rule_furnished_${count - 1}`)
  await store.approvalRules.add(approvalRule(tenant, ids.rule, { when: { tokens: ['tok_nobody'] } }), 9_999)
  await store.suppressions.add([{ tenant, hash: suppression, kind: 'email', source: 'manual', createdAt: 1 }])
  await store.subscriptions.add(
    make.subscription(tenant, subscription, {
      ...of,
      person: bea,
      config: { boards: ['6afd8f840000000000000008'] },
      options: {},
      secrets: {},
    }),
  )
  await store.hooks.attach(make.hook(tenant, hook, of), subscription)
  await store.runs.record(make.run(tenant, run, { ...of, person: bea, createdAt: Date.now() }))
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
export type Ids = Awaited<ReturnType<typeof furnish>>
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
  'people-lists': 'list',
  tokens: 'token',
  suppressions: 'suppression',
  people: 'person',
  grants: 'grant',
  approvals: 'approval',
  'approval-rules': 'rule',
}
const names: { [part: string]: string } = {
  integration: 'work-board',
  step: 'create-card',
  trigger: 'new-card',
  tool: 'work_board_create_card',
  kind: 'person',
}

/** What the path alone does not say. An operation that is about a connection names the one of somebody else. */
const bodies: { [id in OperationId]?: (ids: Ids, world: World) => unknown } = {
  runStep: ({ connection }, { list }) => ({ connection, dryRun: true, input: { idList: list.id, name: 'A card' } }),
  loadStepOptions: ({ connection }) => ({ connection, field: 'idBoard' }),
  loadStepFields: ({ connection }, { board }) => ({ connection, values: { idBoard: board.id } }),
  callTool: ({ connection }, { list }) => ({ connection, idList: list.id, name: 'A card' }),
  saveStepSample: () => ({ input: {}, output: {} }),
  lookUp: ({ people }) => ({
    identifiers: { email: 'nobody@unknown.example' },
    want: ['workEmail'],
    providers: [{ integration: 'contact-data', connection: people }],
  }),
  createJob: ({ file, people }) => ({ file, integration: 'contact-data', connection: people }),
  createPeopleList: ({ file }, { count }) => ({ name: `New ${count}`, file }),
  resumeJob: () => ({ confirm: true }),
  createApprovalRule: () => ({ when: { tokens: ['tok_nobody'] } }),
  createBudget: () => ({ scope: 'tenant', credits: 1, period: 'day', integration: 'work-board' }),
  patchBudget: () => ({ credits: 5 }),
  resolveLedgerEntry: () => ({ credits: 1 }),
  createConnection: (_, { count, face: { sandbox } }) => ({
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
  createSubscription: ({ connection }, { board }) => ({
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
  previewDelivery: ({ connection }, { board }) => ({
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
  // Rows of `furnish` hold secrets that were never sealed, so those of another tenant are searched.
  exportPerson: () => ({ tenant: 'empty', identifiers: [{ email: 'nobody@example.com' }] }),
  erasePerson: () => ({ tenant: 'empty', identifiers: [{ email: 'nobody@example.com' }] }),
  createFile: () => ({ name: 'a.txt', base64: '' }),
  signIn: (_, { face }) => ({ token: face.token }),
}
const queries: { [id in OperationId]?: (ids: Ids) => string } = {
  searchCatalogue: () => '?query=card',
  clearCache: ({ connection }) => `?connection=${connection}`,
}
/** What these objects do not have, so that the operation fails for everybody. */
export const failing: { [id in OperationId]?: number } = {
  // No run is in the background, no entry of the ledger is open, no session is signed in.
  cancelRun: 404,
  resolveLedgerEntry: 404,
  signOut: 404,
  // The job is not under way.
  pauseJob: 409,
  // There is no public address, and nothing on disk.
  authorizeConnection: 503,
  backup: 400,
}
/** A stream does not end by itself, so it is tried only where it is refused. */
export const endless = new Set(['stream'])

const requestOf = ({ id, path, method, input }: Operation, ids: Ids, world: World): [string, Ask] => {
  const collection = /([^/]+)\/\{id\}/.exec(path)?.[1]
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // Of the steps of the board, this one has fields that the account defines.
    if (name === 'step' && id === 'loadStepFields') return 'set-custom-fields'
    if (name !== 'id') return names[name]!
    return collection === 'integrations' ? 'work-board' : encodeURIComponent(ids[collections[collection!]!])
  })
  const body = bodies[id as OperationId]?.(ids, world) ?? (input?.body ? {} : undefined)
  return [
    address + (queries[id as OperationId]?.(ids) ?? ''),
    { method, ...(body === undefined ? {} : { body }) } as Ask,
  ]
}

export const openObjects = async () => {
  const world = await openWorld()
  return {
    ...world,
    furnish: () => furnish(world),
    /** The request of an operation about these objects. */
    requestOf: (operation: Operation, ids: Ids) => requestOf(operation, ids, world),
  }
}
