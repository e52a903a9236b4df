import { z } from '#kit'
import { auditFilter, auditHead, auditHeadText, auditRow, auditVerdict } from '../resources/audit.ts'
import { check } from '../resources/check.ts'
import { byId, ofTenant, personFilter, tenantId } from '../resources/fields.ts'
import { listOf, page } from '../resources/page.ts'
import { keysView, rotation } from '../resources/keys.ts'
import { policy } from '../resources/policy.ts'
import { newTenant, tenant } from '../resources/tenant.ts'
import { createdToken, newToken, token } from '../resources/token.ts'
import { defineOperations } from '../operation.ts'

export const adminOperations = defineOperations({
  listTenants: {
    method: 'GET',
    path: '/v1/admin/tenants',
    tag: 'Admin',
    summary: 'List tenants',
    description: 'Every tenant of this installation, newest first. Needs the scope admin.',
    input: { query: page },
    output: { description: 'Newest first', schema: listOf(tenant) },
    failures: [],
  },
  createTenant: {
    method: 'POST',
    path: '/v1/admin/tenants',
    tag: 'Admin',
    summary: 'Add a tenant',
    description:
      'Creates a tenant: a customer or team whose connections, subscriptions and runs no other tenant sees. Needs the scope admin.',
    input: { body: newTenant },
    output: { status: 201, description: 'The tenant', schema: tenant },
    failures: ['conflict'],
  },
  listTokens: {
    method: 'GET',
    path: '/v1/admin/tokens',
    tag: 'Admin',
    summary: 'List the tokens of a tenant',
    description: 'The tokens of a tenant without their text, including revoked ones. Needs the scope admin.',
    input: { query: () => z.strictObject({ ...page().shape, tenant: tenantId, person: personFilter }) },
    output: { description: 'Newest first', schema: listOf(token) },
    failures: [],
  },
  createToken: {
    method: 'POST',
    path: '/v1/admin/tokens',
    tag: 'Admin',
    summary: 'Create a token; its text is returned only once',
    description:
      'Creates an API token, optionally limited to scopes, steps, connections and an expiry. Its text appears only in this response. Needs the scope admin.',
    input: { query: () => z.strictObject({}), body: newToken },
    output: { status: 201, description: 'The token', schema: createdToken },
    failures: ['not_found'],
  },
  revokeToken: {
    method: 'DELETE',
    path: '/v1/admin/tokens/{id}',
    tag: 'Admin',
    summary: 'Revoke a token',
    description: 'Revokes a token. Requests with it are refused at once. Needs the scope admin.',
    input: { params: byId, query: ofTenant },
    output: { status: 204, description: 'Revoked' },
    failures: ['not_found'],
  },
  getKeys: {
    method: 'GET',
    path: '/v1/admin/keys',
    tag: 'Admin',
    summary: 'List master keys by id',
    description: 'Ids of the master keys in use, never the keys themselves. Needs the scope admin.',
    output: { description: 'Ids only, never a key', schema: keysView },
    failures: [],
  },
  rotateKeys: {
    method: 'POST',
    path: '/v1/admin/keys/rotate',
    tag: 'Admin',
    summary: 'Rotate the master key while the server keeps running',
    description: 'Creates a new master key and reseals every stored secret with it. Needs the scope admin.',
    output: { description: 'What was done', schema: rotation },
    failures: ['conflict'],
  },
  listAudit: {
    method: 'GET',
    path: '/v1/admin/audit',
    tag: 'Admin',
    summary: 'List the audit trail: writes, paid lookups, refusals, changes to connections, tokens and keys',
    description: 'The audit trail of a tenant, newest first. Needs the scope admin.',
    input: { query: auditFilter },
    output: { description: 'Newest first; retained for a year', schema: listOf(auditRow) },
    failures: [],
  },
  verifyAudit: {
    method: 'GET',
    path: '/v1/admin/audit/verify',
    tag: 'Admin',
    summary: 'Verify the audit trail',
    description: 'Checks that no row of the audit trail was changed, reordered or removed. Needs the scope admin.',
    input: { query: () => z.strictObject({ tenant: tenantId, head: auditHeadText.optional() }) },
    output: { description: 'seq and reason of the first broken row, if any', schema: auditVerdict },
    failures: [],
  },
  getAuditHead: {
    method: 'GET',
    path: '/v1/admin/audit/head',
    tag: 'Admin',
    summary: 'Get the newest row of the audit trail, to store elsewhere',
    description:
      'Number and hash of the newest row. Passed to the verification later, it shows whether rows up to it were removed. Needs the scope admin.',
    input: { query: ofTenant },
    output: { description: 'Number and hash, and both as one text', schema: auditHead },
    failures: [],
  },
  getPolicy: {
    method: 'GET',
    path: '/v1/admin/policies',
    tag: 'Admin',
    summary: 'Get the limits and exceptions of a tenant',
    description: 'The limits and exceptions that apply to a tenant. Needs the scope admin.',
    input: { query: ofTenant },
    output: { description: 'Empty: the limits of the server apply', schema: policy },
    failures: ['not_found'],
  },
  putPolicy: {
    method: 'PUT',
    path: '/v1/admin/policies',
    tag: 'Admin',
    summary: 'Replace the limits and exceptions of a tenant',
    description: 'Replaces the limits and exceptions of a tenant. They apply at once. Needs the scope admin.',
    input: { query: ofTenant, body: policy },
    output: { description: 'The changed policy', schema: policy },
    failures: ['not_found'],
  },
  listChecks: {
    method: 'GET',
    path: '/v1/admin/checks',
    tag: 'Admin',
    summary: 'Check this installation',
    description:
      'What an operator should look at, over all tenants: store, keys, wire settings, connections, hooks, dead starts, undecodable deliveries, the audit log and limits. Sends nothing to a provider. Needs the scope admin.',
    output: {
      description: 'Every finding, including those with level ok',
      schema: () => z.object({ items: z.array(check()) }),
    },
    failures: [],
  },
  backup: {
    method: 'POST',
    path: '/v1/admin/backup',
    tag: 'Admin',
    summary: 'Back up all tenants while the server keeps running',
    description:
      'Streams a consistent copy of the database while the server keeps running. It contains the sealed secrets but not the master key. Needs the scope admin.',
    output: {
      description: 'A SQLite file. Secrets in it are sealed; the master key is not included',
      content: 'application/vnd.sqlite3',
    },
    failures: [],
  },
})
