import { afterAll, describe, expect, it } from 'vitest'
import { isFailure, toFailureJson } from '#kit'
import type { FailureJson } from '#kit'
import { allScopes, rules } from '../../shared/api/rules.ts'
import type { OperationId, Scope } from '../../shared/api/rules.ts'
import { createPack } from '../../shared/pack.ts'
import type { Caller } from '../../shared/pack.ts'
import { accessOf } from './access.ts'

/**
 * Every verb of the library that takes a caller, by callers with a token: a host passes beside no face. Which operation
 * a verb is and what opens it is written a second time here; who is refused whatever they ask for follows from `bound`.
 */
const pack = await createPack()
afterAll(() => pack.close())

const tenant = 'default'
const step = { integration: 'work-board', step: 'create-card' }
const trigger = { integration: 'work-board', trigger: 'new-card' }
const page = { limit: 10 }
const id = 'id_of_nothing'
type Ask = (caller: Caller) => unknown
type Uses = { [verb: string]: [OperationId | Scope[], Ask] }

const uses: Uses = {
  'steps.run': ['runStep', (caller) => pack.steps.run(caller, { ...step, input: {} })],
  'steps.begin': ['runStep', (caller) => pack.steps.begin(caller, { ...step, input: {} }).coming],
  'steps.beginQuietly': ['runStep', (caller) => pack.steps.beginQuietly(caller, { ...step, input: {} }).coming],
  'steps.options': ['loadStepOptions', (caller) => pack.steps.options(caller, { ...step, field: 'idBoard' })],
  'steps.fields': ['loadStepFields', (caller) => pack.steps.fields(caller, step)],
  'lookups.run': [
    'lookUp',
    (caller) =>
      pack.lookups.run(caller, { kind: 'person', identifiers: { email: 'nobody@example.com' }, want: ['workEmail'] }),
  ],
  'connections.list': ['listConnections', (caller) => pack.connections.list(caller)],
  'connections.get': ['getConnection', (caller) => pack.connections.get(caller, id)],
  'connections.create': [
    'createConnection',
    (caller) =>
      pack.connections.create(caller, { integration: 'work-board', type: 'key-token', name: 'New', secrets: {} }),
  ],
  'connections.patch': ['changeConnection', (caller) => pack.connections.patch(caller, id, {})],
  'connections.remove': ['removeConnection', (caller) => pack.connections.remove(caller, id)],
  'connections.authorize': ['authorizeConnection', (caller) => pack.connections.authorize(caller, { connection: id })],
  'connections.test': ['testConnection', (caller) => pack.connections.test(caller, id)],
  'connections.limits': ['getConnectionLimits', (caller) => pack.connections.limits(caller, id)],
  'connections.usage': ['getConnectionUsage', (caller) => pack.connections.usage(caller, id)],
  'connections.names': ['listConnectionNames', (caller) => pack.connections.names(caller, id)],
  'connections.wireCheck': ['checkConnectionWire', (caller) => pack.connections.wireCheck(caller, id)],
  'toolConnections.list': [['run', 'read'], (caller) => pack.toolConnections.list(caller)],
  'toolConnections.authorize': [['run'], (caller) => pack.toolConnections.authorize(caller, { connection: id })],
  'apps.get': ['getApp', (caller) => pack.apps.get(caller, 'work-board')],
  'apps.put': ['putApp', (caller) => pack.apps.put(caller, 'work-board', { key: 'app-key' })],
  'triggers.options': [
    'loadTriggerOptions',
    (caller) => pack.triggers.options(caller, { ...trigger, field: 'boards' }),
  ],
  'subscriptions.list': ['listSubscriptions', (caller) => pack.subscriptions.list(caller, page)],
  'subscriptions.get': ['getSubscription', (caller) => pack.subscriptions.get(caller, id)],
  'subscriptions.create': [
    'createSubscription',
    (caller) =>
      pack.subscriptions.create(caller, {
        ...trigger,
        connection: id,
        config: {},
        agent: { url: 'https://agents.example/start' },
      }),
  ],
  'subscriptions.patch': ['changeSubscription', (caller) => pack.subscriptions.patch(caller, id, {})],
  'subscriptions.pause': ['pauseSubscription', (caller) => pack.subscriptions.pause(caller, id)],
  'subscriptions.resume': ['resumeSubscription', (caller) => pack.subscriptions.resume(caller, id)],
  'subscriptions.rotateSecret': [
    'rotateSubscriptionSecret',
    (caller) => pack.subscriptions.rotateSecret(caller, id, {}),
  ],
  'subscriptions.remove': ['removeSubscription', (caller) => pack.subscriptions.remove(caller, id)],
  'subscriptions.recover': ['recoverSubscription', (caller) => pack.subscriptions.recover(caller, id)],
  'subscriptions.test': ['testSubscription', (caller) => pack.subscriptions.test(caller, id)],
  'subscriptions.sample': ['sampleSubscription', (caller) => pack.subscriptions.sample(caller, id)],
  'agents.list': ['listAgents', (caller) => pack.agents.list(caller, page)],
  'agents.test': ['testAgent', (caller) => pack.agents.test(caller, { subscription: id })],
  'notifications.get': ['getNotificationTarget', (caller) => pack.notifications.get(caller)],
  'notifications.put': [
    'putNotificationTarget',
    (caller) => pack.notifications.put(caller, { url: 'https://platform.example/told' }),
  ],
  'notifications.remove': ['removeNotificationTarget', (caller) => pack.notifications.remove(caller)],
  'notifications.rotateSecret': ['rotateNotificationSecret', (caller) => pack.notifications.rotateSecret(caller, {})],
  'hooks.list': ['listHooks', (caller) => pack.hooks.list(caller, page)],
  'hooks.prune': ['pruneHooks', (caller) => pack.hooks.prune(caller)],
  'hooks.reconcile': [['subscriptions'], (caller) => pack.hooks.reconcile(caller, id)],
  'events.list': ['listEvents', (caller) => pack.events.list(caller, page)],
  'events.withStarts': ['listEvents', (caller) => pack.events.withStarts(caller, { items: [] })],
  'events.get': ['getEvent', (caller) => pack.events.get(caller, id)],
  'events.replay': ['replayEvent', (caller) => pack.events.replay(caller, id)],
  'events.undecodable': ['listUndecodable', (caller) => pack.events.undecodable(caller, page)],
  'starts.list': ['listStarts', (caller) => pack.starts.list(caller, page)],
  'starts.get': ['getStart', (caller) => pack.starts.get(caller, id)],
  'starts.replay': ['replayStart', (caller) => pack.starts.replay(caller, id)],
  'starts.replayAll': ['replayStarts', (caller) => pack.starts.replayAll(caller, { subscription: id })],
  'gaps.list': ['listGaps', (caller) => pack.gaps.list(caller, page)],
  'deliveries.preview': [
    'previewDelivery',
    (caller) => pack.deliveries.preview(caller, { integration: 'work-board', connection: id, body: {} }),
  ],
  'files.create': ['createFile', (caller) => pack.files.create(caller, { name: 'a.txt', base64: 'YQ==' })],
  'files.createFrom': ['createFile', (caller) => pack.files.createFrom(caller, { url: 'http://127.0.0.1/a' })],
  'files.list': ['listFiles', (caller) => pack.files.list(caller, page)],
  'files.get': ['getFile', (caller) => pack.files.get(caller, id)],
  'files.open': ['downloadFile', (caller) => pack.files.open(caller, id)],
  'files.remove': ['deleteFile', (caller) => pack.files.remove(caller, id)],
  'grants.list': ['listGrants', (caller) => pack.grants.list(caller, page)],
  'grants.get': ['getGrant', (caller) => pack.grants.get(caller, id)],
  'grants.patch': ['narrowGrant', (caller) => pack.grants.patch(caller, id, {})],
  'grants.remove': ['endGrant', (caller) => pack.grants.remove(caller, id)],
  'people.list': ['listPeople', (caller) => pack.people.list(caller, page)],
  'people.get': ['getPerson', (caller) => pack.people.get(caller, id)],
  'samples.get': ['getStepSample', (caller) => pack.samples.get(caller, step)],
  'samples.put': ['saveStepSample', (caller) => pack.samples.put(caller, step, { input: {}, output: {} })],
  'samples.remove': ['deleteStepSample', (caller) => pack.samples.remove(caller, step)],
  'peopleLists.create': [
    'createPeopleList',
    (caller) => pack.peopleLists.create(caller, { name: 'Leads', rows: [{ email: 'nobody@example.com' }] }),
  ],
  'peopleLists.list': ['listPeopleLists', (caller) => pack.peopleLists.list(caller, page)],
  'peopleLists.get': ['getPeopleList', (caller) => pack.peopleLists.get(caller, id)],
  'peopleLists.remove': ['deletePeopleList', (caller) => pack.peopleLists.remove(caller, id)],
  'jobs.create': ['createJob', (caller) => pack.jobs.create(caller, { file: id, integration: 'contact-data' })],
  'jobs.list': ['listJobs', (caller) => pack.jobs.list(caller, page)],
  'jobs.get': ['getJob', (caller) => pack.jobs.get(caller, id)],
  'jobs.preview': ['previewJob', (caller) => pack.jobs.preview(caller, id)],
  'jobs.pause': ['pauseJob', (caller) => pack.jobs.pause(caller, id)],
  'jobs.resume': ['resumeJob', (caller) => pack.jobs.resume(caller, id, {})],
  'jobs.cancel': ['cancelJob', (caller) => pack.jobs.cancel(caller, id)],
  'approvals.list': ['listApprovals', (caller) => pack.approvals.list(caller, page)],
  'approvals.get': ['getApproval', (caller) => pack.approvals.get(caller, id)],
  'approvals.approve': ['approveRun', (caller) => pack.approvals.approve(caller, id)],
  'approvals.deny': ['denyRun', (caller) => pack.approvals.deny(caller, id)],
  'approvalRules.list': ['listApprovalRules', (caller) => pack.approvalRules.list(caller, page)],
  'approvalRules.get': ['getApprovalRule', (caller) => pack.approvalRules.get(caller, id)],
  'approvalRules.create': [
    'createApprovalRule',
    (caller) => pack.approvalRules.create(caller, { when: { tokens: ['none'] }, by: 'approvers', expiresMinutes: 60 }),
  ],
  'approvalRules.patch': ['changeApprovalRule', (caller) => pack.approvalRules.patch(caller, id, {})],
  'approvalRules.remove': ['deleteApprovalRule', (caller) => pack.approvalRules.remove(caller, id)],
  'budgets.list': ['listBudgets', (caller) => pack.budgets.list(caller)],
  'budgets.get': ['getBudget', (caller) => pack.budgets.get(caller, id)],
  'budgets.create': [
    'createBudget',
    (caller) => pack.budgets.create(caller, { scope: 'tenant', credits: 1, period: 'day' }),
  ],
  'budgets.patch': ['patchBudget', (caller) => pack.budgets.patch(caller, id, {})],
  'budgets.remove': ['removeBudget', (caller) => pack.budgets.remove(caller, id)],
  'ledger.list': ['listLedger', (caller) => pack.ledger.list(caller, page)],
  'ledger.spent': ['getUsage', (caller) => pack.ledger.spent(caller, 1)],
  'ledger.resolve': ['resolveLedgerEntry', (caller) => pack.ledger.resolve(caller, id, 1)],
  'cache.clear': ['clearCache', (caller) => pack.cache.clear(caller, { connection: id })],
  'suppressions.list': ['listSuppressions', (caller) => pack.suppressions.list(caller, page)],
  'suppressions.add': ['addSuppressions', (caller) => pack.suppressions.add(caller, [{ email: 'nobody@example.com' }])],
  'suppressions.remove': [
    'removeSuppressions',
    (caller) => pack.suppressions.remove(caller, [{ email: 'nobody@example.com' }]),
  ],
  'suppressions.removeById': ['removeSuppression', (caller) => pack.suppressions.removeById(caller, id)],
  'privacy.export': ['exportPerson', (caller) => pack.privacy.export(caller, [{ email: 'nobody@example.com' }])],
  'privacy.erase': ['erasePerson', (caller) => pack.privacy.erase(caller, [{ email: 'nobody@example.com' }], {})],
  'runs.list': ['listRuns', (caller) => pack.runs.list(caller, page)],
  'runs.get': ['getRun', (caller) => pack.runs.get(caller, id)],
  'runs.usage': ['getUsage', (caller) => pack.runs.usage(caller, 1)],
  'runs.totals': ['getUsage', (caller) => pack.runs.totals(caller, { by: 'step', span: 1 })],
  'runs.exportTotals': ['exportUsage', (caller) => pack.runs.exportTotals(caller, { by: 'person', span: 1 })],
  'approvals.outcome': [['run'], (caller) => pack.approvals.outcome(caller, id)],
  'runs.outcome': [['run'], (caller) => pack.runs.outcome(caller, id)],
  'runs.cancel': ['cancelRun', (caller) => pack.runs.cancel(caller, id)],
  'tokens.create': ['createToken', (caller) => pack.tokens.create(tenant, { name: 'New' }, caller)],
  'tokens.revoke': ['revokeToken', (caller) => pack.tokens.revoke(tenant, id, caller)],
  'tenants.create': ['createTenant', (caller) => pack.tenants.create({ name: 'New' }, caller)],
  'keys.rotate': ['rotateKeys', (caller) => pack.keys.rotate(caller)],
  'policies.put': ['putPolicy', (caller) => pack.policies.put(tenant, {}, caller)],
}

/** What takes no caller, or serves those who are nobody yet. */
const others = new Set([
  ...['integrations', 'connect', 'sessions', 'audit', 'limits', 'registry'].map((room) => `${room}.`),
  'steps.find',
  'files.readPdf',
  'triggers.counts',
  'ledger.resolveKnown',
  'keys.get',
  'policies.get',
  'tenants.ensure',
  'tenants.list',
  ...['authenticate', 'find', 'useOwn', 'makeFirst', 'list', 'forget'].map((verb) => `tokens.${verb}`),
])

/** How it ends: the failure that is thrown, or given as the outcome of a run. */
const endOf = async (ask: Ask, caller: Caller): Promise<FailureJson | undefined> => {
  try {
    return ((await ask(caller)) as { failure?: FailureJson } | undefined)?.failure
  } catch (thrown) {
    if (isFailure(thrown)) return toFailureJson(thrown)
    throw thrown
  }
}
const caller = (scopes: Scope[], bounds: Partial<Caller> = {}): Caller => ({
  tenant,
  token: 'tok_host',
  scopes,
  ...bounds,
})
const lacks = /^This token lacks permission/
const scopesOf = (of: OperationId | Scope[]): Scope[] =>
  Array.isArray(of)
    ? of
    : (Object.entries(accessOf)
        .find(([, ids]) => ids.includes(of))![0]
        .split(' ') as Scope[])

/** Verbs that refuse a bound caller whatever they are asked for, and to whom. */
type Kind = 'steps' | 'connections' | 'person' | 'program'
const refusing: { [bound: string]: Kind[] } = {
  step: ['steps'],
  trigger: ['steps'],
  'not-steps': ['steps', 'program'],
  'not-connections': ['connections'],
  workspace: ['connections', 'person', 'program'],
  person: ['steps', 'connections'],
  unbound: ['steps', 'connections', 'person', 'program'],
}
const bounds: { [kind in Kind]: Partial<Caller>[] } = {
  steps: [{ steps: ['anz-data/people-enrichment'] }, { toolSet: 'read' }],
  connections: [{ connections: ['con_other'] }],
  person: [{ person: 'ann' }],
  program: [{ program: true }],
}

it('has no verb that is not tried here', () => {
  const verbs = Object.entries(pack as unknown as { [room: string]: object }).flatMap(([room, verbsOf]) =>
    typeof verbsOf === 'object' && verbsOf !== null && !others.has(`${room}.`)
      ? Object.entries(verbsOf).flatMap(([verb, value]) => (typeof value === 'function' ? [`${room}.${verb}`] : []))
      : [],
  )
  expect(verbs.filter((verb) => !others.has(verb)).toSorted()).toEqual(Object.keys(uses).toSorted())
})

describe.each(Object.entries(uses))('%s', (verb, [of, ask]) => {
  const opening = scopesOf(of)
  it('is refused to a token without a scope that opens it', async () => {
    const failure = await endOf(ask, caller(allScopes.filter((scope) => !opening.includes(scope))))
    expect(failure).toMatchObject({ code: 'not_allowed', message: expect.stringMatching(lacks) })
  })
  it('is open to each scope that opens it, and to a host without a token', async () => {
    for (const by of [...opening.map((scope) => caller([scope])), { tenant }])
      expect((await endOf(ask, by))?.message ?? '').not.toMatch(lacks)
  })
  if (Array.isArray(of)) return
  // Of the scopes that open the choices of triggers, one lifts the bounds; of the steps of jobs and lookups, others are
  // left.
  const scopes = verb === 'triggers.options' ? opening.filter((scope) => scope === 'run') : opening
  const kinds = refusing[rules[of].bound] ?? []
  it.runIf(kinds.length > 0)('is refused to whom its bound refuses it', async () => {
    for (const kind of kinds)
      for (const bound of bounds[kind]) {
        const failure = await endOf(ask, caller(scopes, bound))
        expect([verb, bound, failure?.code]).toEqual([
          verb,
          bound,
          of === 'lookUp' && failure?.code === 'not_connected' ? 'not_connected' : 'not_allowed',
        ])
      }
  })
})

it('writes down what it refuses', async () => {
  await endOf((by) => pack.budgets.remove(by, id), caller(['read']))
  expect((await pack.audit.list(tenant, { limit: 1 })).items).toMatchObject([
    { path: 'budgets.remove', actor: 'tok_host', outcome: 'not_allowed' },
  ])
})
