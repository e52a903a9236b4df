import { once, z } from '#kit'
import { id, tenantId, text } from './fields.ts'
import { page } from './page.ts'

export const auditRow = once(() =>
  z.object({
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
  }),
)

export type AuditRow = z.infer<ReturnType<typeof auditRow>>

export const auditVerdict = once(() =>
  z.object({
    ok: z.boolean(),
    rows: z.int().exactOptional(),
    keyedFrom: z
      .int()
      .exactOptional()
      .describe('Rows before this one were written by a version that did not sign the audit trail'),
    seq: z.int().exactOptional(),
    reason: text.exactOptional(),
  }),
)

export type AuditVerdict = z.infer<ReturnType<typeof auditVerdict>>

export const auditFilter = once(() =>
  z.strictObject({
    ...page().shape,
    tenant: tenantId,
    connection: id.optional(),
    outcome: id.optional(),
    actor: id.optional(),
  }),
)

export const auditHeadText = z
  .string()
  .max(128)
  .regex(/^\d{1,15}:([0-9a-f]{64})?$/)
  .describe('Number and hash of a row, as exported')

export const auditHead = once(() => z.object({ seq: z.int(), hash: text, head: auditHeadText }))
