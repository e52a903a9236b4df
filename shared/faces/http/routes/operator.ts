import { z } from '#kit'
import { id, tenantId } from '../bounds.ts'
import { responses } from '../responses.ts'
import type { Routes } from '../parts.ts'
import { check } from '../report-schemas.ts'
import { auditRow, auditVerdict, keysView, policy, rotation } from '../schemas-admin.ts'
import { listOf, page } from '../schemas.ts'
import { backupRoutes } from './backup.ts'

const tags = ['Admin']
const config = { access: ['admin' as const] }
const text = z.string()

const keyRoutes: Routes = (app, { pack }) => {
  app.get(
    '/v1/admin/keys',
    {
      config,
      schema: {
        operationId: 'getKeys',
        tags,
        summary: 'List master keys by id',
        description: 'Ids of the master keys in use, never the keys themselves. Needs the scope admin.',
        response: responses({ description: 'Ids only, never a key', schema: keysView }),
      },
    },
    () => pack.keys.get(),
  )
  app.post(
    '/v1/admin/keys/rotate',
    {
      config,
      schema: {
        operationId: 'rotateKeys',
        tags,
        summary: 'Rotate the master key while the server keeps running',
        description: 'Creates a new master key and reseals every stored secret with it. Needs the scope admin.',
        response: responses({ description: 'What was done', schema: rotation }, ['conflict']),
      },
    },
    ({ caller }) => pack.keys.rotate(caller),
  )
}

const auditFilter = z.strictObject({
  ...page.shape,
  tenant: tenantId,
  connection: id.optional(),
  outcome: id.optional(),
  actor: id.optional(),
})

const headText = z
  .string()
  .max(128)
  .regex(/^\d{1,15}:([0-9a-f]{64})?$/)
  .describe('Number and hash of a row, as exported')
const readHead = (head: string) => {
  const [seq, hash = ''] = head.split(':')
  return { seq: Number(seq), hash }
}

const auditRoutes: Routes = (app, { pack }) => {
  app.get(
    '/v1/admin/audit',
    {
      config,
      schema: {
        operationId: 'listAudit',
        tags,
        summary: 'List the audit trail: writes, paid lookups, refusals, changes to connections, tokens and keys',
        description: 'The audit trail of a tenant, newest first. Needs the scope admin.',
        querystring: auditFilter,
        response: responses({ description: 'Newest first; retained for a year', schema: listOf(auditRow) }),
      },
    },
    ({ query: { tenant, limit, cursor, ...asked } }) => {
      const filter = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
      return pack.audit.list(tenant, { limit, cursor }, filter)
    },
  )
  app.get(
    '/v1/admin/audit/verify',
    {
      config,
      schema: {
        operationId: 'verifyAudit',
        tags,
        summary: 'Verify the audit trail',
        description: 'Checks that no row of the audit trail was changed, reordered or removed. Needs the scope admin.',
        querystring: z.strictObject({ tenant: tenantId, head: headText.optional() }),
        response: responses({
          description: 'seq and reason of the first broken row, if any',
          schema: auditVerdict,
        }),
      },
    },
    ({ query }) => pack.audit.verify(query.tenant, query.head === undefined ? undefined : readHead(query.head)),
  )
  app.get(
    '/v1/admin/audit/head',
    {
      config,
      schema: {
        operationId: 'getAuditHead',
        tags,
        summary: 'Get the newest row of the audit trail, to store elsewhere',
        description: 'Number and hash of the newest row. Passed to the verification later, it shows whether rows up to it were removed. Needs the scope admin.',
        querystring: z.strictObject({ tenant: tenantId }),
        response: responses({ description: 'Number and hash, and both as one text', schema: z.object({ seq: z.int(), hash: text, head: headText }) }),
      },
    },
    async ({ query }) => {
      const { seq, hash } = await pack.audit.head(query.tenant)
      return { seq, hash, head: `${seq}:${hash}` }
    },
  )
}

const ofTenant = z.strictObject({ tenant: tenantId })

const policyRoutes: Routes = (app, { pack }) => {
  app.get(
    '/v1/admin/policies',
    {
      config,
      schema: {
        operationId: 'getPolicy',
        tags,
        summary: 'Get the limits and exceptions of a tenant',
        description: 'The limits and exceptions that apply to a tenant. Needs the scope admin.',
        querystring: ofTenant,
        response: responses({ description: 'Empty: the limits of the server apply', schema: policy }, ['not_found']),
      },
    },
    ({ query }) => pack.policies.get(query.tenant),
  )
  app.put(
    '/v1/admin/policies',
    {
      config,
      schema: {
        operationId: 'putPolicy',
        tags,
        summary: 'Replace the limits and exceptions of a tenant',
        description: 'Replaces the limits and exceptions of a tenant. They apply at once. Needs the scope admin.',
        querystring: ofTenant,
        body: policy,
        response: responses({ description: 'The changed policy', schema: policy }, ['not_found'], { body: true }),
      },
    },
    ({ query, body, caller }) => pack.policies.put(query.tenant, body, caller),
  )
}

const checkRoutes: Routes = (app, { pack }) => {
  app.get(
    '/v1/admin/checks',
    {
      config,
      schema: {
        operationId: 'listChecks',
        tags,
        summary: 'Check this installation',
        description:
          'What an operator should look at, over all tenants: store, keys, wire settings, connections, hooks, dead starts, undecodable deliveries, the audit log and limits. Sends nothing to a provider. Needs the scope admin.',
        response: responses({ description: 'Every finding, including those with level ok', schema: z.object({ items: z.array(check) }) }),
      },
    },
    async () => ({ items: await pack.checks() }),
  )
}

/** The operator's routes: keys, audit trail, tenant policies, checks, backups. */
export const operatorRoutes: Routes = (app, parts) => {
  keyRoutes(app, parts)
  auditRoutes(app, parts)
  policyRoutes(app, parts)
  checkRoutes(app, parts)
  backupRoutes(app, parts)
}
