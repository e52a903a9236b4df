import type { App, Connection, Intent, Run, Tenant, Token } from '../../shared/runtime/ports.ts'

/** Rows with every field filled, so that a column that is lost on the way is seen. */
export const t0 = Date.UTC(2026, 2, 1, 12)

export const tenant = (id: string, over: Partial<Tenant> = {}): Tenant => ({ id, name: `Tenant ${id}`, createdAt: t0, ...over })

export const token = (tenantId: string, id: string, over: Partial<Token> = {}): Token => ({
  id, tenant: tenantId, name: 'laptop', hash: `hash-of-${tenantId}-${id}`, last4: 'w9Qx', scopes: ['run', 'read'],
  steps: ['work-board/create-card'], connections: null, createdAt: t0, expiresAt: t0 + 1000, revokedAt: null, ...over,
})

export const app = (tenantId: string, over: Partial<App> = {}): App => ({
  tenant: tenantId, integration: 'work-board', key: 'app-key', secrets: { secret: 'v1.k.a.b.c' }, hints: { secret: 'last' },
  createdAt: t0, updatedAt: t0 + 1, ...over,
})

export const connection = (tenantId: string, id: string, over: Partial<Connection> = {}): Connection => ({
  id, tenant: tenantId, integration: 'work-board', type: 'key-token', name: 'Ada at Example', state: 'connected', stateReason: null, stateAt: t0,
  accountId: 'acc-1', accountName: 'ada', secrets: { key: 'v1.k.a.b.c', token: 'v1.k.d.e.f' }, hints: { key: 'abcd', token: 'wxyz' },
  policy: { methods: ['GET'] }, externalId: 'ext-1', labels: { team: 'blue', stage: 'test' }, isDefault: false,
  createdAt: t0, updatedAt: t0, lastUsedAt: null, ...over,
})

export const run = (tenantId: string, id: string, over: Partial<Run> = {}): Run => ({
  id, tenant: tenantId, integration: 'work-board', step: 'create-card', connection: 'c1', token: 'tok1', startId: null, effect: 'create',
  state: 'done', code: null, failure: null, attempts: 1, calls: 2, credits: 0.5, creditsEstimated: true, createdAt: t0, durationMs: 12.25, ...over,
})

export const intent = (tenantId: string, key: string, over: Partial<Intent> = {}): Intent => ({
  tenant: tenantId, key, requestHash: 'h1', runId: 'run1', state: 'planned', outcome: null, createdAt: t0, expiresAt: t0 + 86_400_000, ...over,
})
