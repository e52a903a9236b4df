import type { App, AuditEntry, Authorization, Connection, Hook, Intent, Run, Start, StoredEvent, Subscription, Tenant, Token } from '../../shared/runtime/ports.ts'

/** Rows with every field filled, so that a column that is lost on the way is seen. */
export const t0 = Date.UTC(2026, 2, 1, 12)

export const tenant = (id: string, over: Partial<Tenant> = {}): Tenant => ({ id, name: `Tenant ${id}`, createdAt: t0, policy: { limits: { running: 3 } }, ...over })

export const token = (tenantId: string, id: string, over: Partial<Token> = {}): Token => ({
  id, tenant: tenantId, name: 'laptop', hash: `hash-of-${tenantId}-${id}`, last4: 'w9Qx', scopes: ['run', 'read'],
  steps: ['work-board/create-card'], connections: null, createdAt: t0, expiresAt: t0 + 1000, revokedAt: null, ...over,
})

export const app = (tenantId: string, over: Partial<App> = {}): App => ({
  tenant: tenantId, integration: 'work-board', key: 'app-key', clientId: 'client-1', secrets: { secret: 'v1.k.a.b.c' }, hints: { secret: 'last' },
  createdAt: t0, updatedAt: t0 + 1, ...over,
})

export const connection = (tenantId: string, id: string, over: Partial<Connection> = {}): Connection => ({
  id, tenant: tenantId, integration: 'work-board', type: 'key-token', name: 'Ada at Example', state: 'connected', stateReason: null, stateAt: t0,
  accountId: 'acc-1', accountName: 'ada', secrets: { key: 'v1.k.a.b.c', token: 'v1.k.d.e.f' }, hints: { key: 'abcd', token: 'wxyz' },
  policy: { methods: ['GET'] }, externalId: 'ext-1', labels: { team: 'blue', stage: 'test' }, isDefault: false,
  createdAt: t0, updatedAt: t0, lastUsedAt: null, oauthVersion: '2.0', expiresAt: t0 + 3_600_000, ...over,
})

export const run = (tenantId: string, id: string, over: Partial<Run> = {}): Run => ({
  id, tenant: tenantId, integration: 'work-board', step: 'create-card', connection: 'c1', token: 'tok1', startId: null, effect: 'create',
  state: 'done', code: null, failure: null, attempts: 1, calls: 2, credits: 0.5, creditsEstimated: true, createdAt: t0, durationMs: 12.25, ...over,
})

export const intent = (tenantId: string, key: string, over: Partial<Intent> = {}): Intent => ({
  tenant: tenantId, key, requestHash: 'h1', runId: 'run1', state: 'planned', outcome: null, createdAt: t0, expiresAt: t0 + 86_400_000, ...over,
})

export const subscription = (tenantId: string, id: string, over: Partial<Subscription> = {}): Subscription => ({
  tenant: tenantId, id, integration: 'work-board', trigger: 'new-card', connection: 'c1', config: { boards: ['b1'], deep: { a: [1, null, true] } },
  agent: { id: 'agent-1', url: 'https://agents.example/start' }, secrets: { secret: 'v1.k.a.b.c' }, options: { settleMs: 5, serial: true },
  delivery: 'webhook', state: 'active', stateReason: null, stateAt: t0, startMark: t0, externalId: 'ext-1', labels: { team: 'blue' },
  createdAt: t0, updatedAt: t0, deletedAt: null, ...over,
})

export const hook = (tenantId: string, id: string, over: Partial<Hook> = {}): Hook => ({
  tenant: tenantId, id, integration: 'work-board', connection: 'c1', model: 'board:b1', callbackUrl: `https://pack.example/hooks/work-board/${id}`,
  providerId: null, state: 'wanted', stateReason: null, stateAt: t0, failures: 0, lastDeliveryAt: null, suspectSince: null, createdAt: t0, updatedAt: t0, ...over,
})

export const event = (tenantId: string, id: string, over: Partial<StoredEvent> = {}): StoredEvent => ({
  tenant: tenantId, connection: 'c1', id, integration: 'work-board', hook: 'h1', type: 'card.created', at: t0, receivedAt: t0 + 5, via: 'webhook',
  causedByUs: 'unknown', runId: null, depth: 0, board: 'b1', card: 'k1', state: 'matched', attempts: 0, dueAt: 0,
  raw: new Uint8Array(Buffer.from('{"action":{}}')), ...over,
})

export const start = (tenantId: string, id: string, over: Partial<Start> = {}): Start => ({
  tenant: tenantId, id, subscription: 's1', event: 'e1', integration: 'work-board', trigger: 'new-card', connection: 'c1', subject: null, serial: false,
  settleMs: null, state: 'pending', attempts: 0, dueAt: t0, leaseEpoch: 0, eventAt: t0, via: 'webhook', causedByUs: false, depth: 1, late: false,
  test: false, mergedInto: null, replayOf: null, data: { card: { id: 'k1' } }, answer: null, createdAt: t0, endedAt: null, ...over,
})

export const authorization = (tenantId: string, id: string, over: Partial<Authorization> = {}): Authorization => ({
  id, tenant: tenantId, integration: 'work-board', type: 'oauth', connection: null, name: 'Ada', browser: null, returnTo: '/console', externalId: null,
  labels: { a: 'b' }, secrets: { verifier: 'v1.k.a.b.c' }, token: 'tok1', createdAt: t0, expiresAt: t0 + 600_000, usedAt: null, ...over,
})

export const auditEntry = (tenantId: string, over: Partial<AuditEntry> = {}): AuditEntry => ({
  tenant: tenantId, at: t0, actor: 'tok1', startId: null, runId: 'r1', integration: 'work-board', connection: 'c1', method: 'POST',
  path: '/1/cards/{id}', outcome: 'ok', providerStatus: 200, decision: 'allowed', keyId: 'k1', ...over,
})
