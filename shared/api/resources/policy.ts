import { once, z } from '#kit'
import { id } from './fields.ts'
import { tenantLimits } from './tenant-limits.ts'

export const policy = once(() =>
  z.strictObject({
    limits: z.exactOptional(tenantLimits()).describe('Absent: the limits of the server'),
    defaultAccount: z
      .exactOptional(z.enum(['personal', 'shared', 'personal-then-shared']))
      .describe(
        'What a call for a person uses that names no connection: their own account, the default of the workspace, or the first of these that exists. Absent: as the server is set',
      ),
    apiCallAllow: z
      .exactOptional(z.record(id, z.array(z.string().max(512)).max(100)))
      .describe("By integration: patterns of its manifest's apiCall.deny that this tenant may use anyway"),
    apiCallUnpriced: z
      .exactOptional(z.record(id, z.array(z.string().max(256)).max(100)))
      .describe('By integration: path patterns that API Call may use within a budget though nobody knows their price'),
  }),
)

export type Policy = z.infer<ReturnType<typeof policy>>
