import { once, z } from '#kit'
import { tenantId } from './fields.ts'
import { pageLimit } from './page.ts'
import { identifier, identifierKind } from './privacy.ts'

const suppressionEntry = once(() =>
  identifier()
    .extend({
      emailSha256: z.string().length(64).optional().describe('SHA-256 of an e-mail address in lower case, hexadecimal'),
    })
    .describe('One of email, linkedin, phone, recordId and emailSha256'),
)

export const suppressionEntries = once(() =>
  z.strictObject({ tenant: tenantId, entries: z.array(suppressionEntry()).min(1).max(1000) }),
)

export const suppression = once(() =>
  z.object({
    id: z.string().describe('A keyed hash of the identifier, which is stored nowhere'),
    kind: identifierKind,
    source: z.enum(['manual', 'file', 'webhook']),
    createdAt: z.iso.datetime(),
  }),
)

export type Suppression = z.infer<ReturnType<typeof suppression>>

export const suppressionFilter = once(() =>
  z.strictObject({ tenant: tenantId, limit: pageLimit(), cursor: z.string().max(512).optional() }),
)
