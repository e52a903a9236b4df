import { z } from '#kit'
import { notificationTypes, tenantLimits } from '../../pack.ts'
import { createdToken } from './schemas.ts'
import { id } from './bounds.ts'

const text = z.string()
const time = z.iso.datetime()

export const keysView = z.object({
  present: text.describe('Id of the master key that secrets are sealed with'),
  previous: z.array(text).describe('Former keys that still open sealed rows'),
  kept: z.array(text).describe('Former keys kept for older backups'),
  rows: z.record(text, z.int()).describe('Number of sealed rows per key'),
})
export const rotation = z.object({
  keyId: text,
  made: z.boolean().describe('false: the keys come from the environment, so no key was created'),
  resealed: z.int(),
  failed: z.array(z.object({ kind: text, tenant: text, id: text, reason: text })).describe('Rows that no available key opens'),
  dropped: z.array(text).describe('Keys that only older backups still need'),
  kept: z.array(text).describe('Former keys kept in the key file for those backups'),
})

export const auditRow = z.object({
  seq: z.int().describe('Consecutive number per tenant, without gaps'),
  at: z.iso.datetime().describe('RFC 3339'),
  tenant: text,
  actor: text.describe('Id of the token, "library" or "process"'),
  startId: text.nullable(),
  runId: text.nullable(),
  integration: text.nullable(),
  connection: text.nullable(),
  method: text.describe('Method of the request to the provider; "verb" for operations of this server'),
  path: text.describe('Path with ids replaced by {id}, or the name of the operation'),
  outcome: text.describe('"ok" or a failure code'),
  providerStatus: z.int().nullable(),
  decision: text,
  keyId: text.nullable(),
  before: text.describe('Hash of the previous row'),
  hash: text,
})

export const auditVerdict = z.object({
  ok: z.boolean(),
  rows: z.int().optional(),
  keyedFrom: z.int().optional().describe('Rows before this one were written by a version that did not sign the audit trail'),
  seq: z.int().optional(),
  reason: text.optional(),
})

export const policy = z.strictObject({
  limits: z.exactOptional(tenantLimits()).describe('Absent: the limits of the server'),
  apiCallAllow: z
    .exactOptional(z.record(id, z.array(z.string().max(512)).max(100)))
    .describe("By integration: patterns of its manifest's apiCall.deny that this tenant may use anyway"),
  apiCallUnpriced: z
    .exactOptional(z.record(id, z.array(z.string().max(256)).max(100)))
    .describe('By integration: path patterns that API Call may use within a budget though nobody knows their price'),
})

export const notificationTarget = z.object({
  tenant: z.string(),
  url: z.string().nullable(),
  types: z.array(z.enum(notificationTypes)).nullable().describe('null: every type'),
  secret: z.string().optional().describe('Signs the notifications; returned only when it is created'),
  previousSecretUntil: time.nullable().describe('Until when notifications are signed with the previous secret too'),
  createdAt: time,
  updatedAt: time,
})

/** Schemas that get a name in the OpenAPI document. */
export const namedAdmin = {
  AuditRow: auditRow,
  AuditVerdict: auditVerdict,
  CreatedToken: createdToken,
  KeyRotation: rotation,
  Keys: keysView,
  NotificationTarget: notificationTarget,
  Policy: policy,
}
