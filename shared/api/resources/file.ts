import { once, z } from '#kit'
import { idempotencyKey, ownPerson, person, personFilter, text } from './fields.ts'
import { page } from './page.ts'

const hours = z.coerce.number().int().min(1).max(720)

export const file = once(() =>
  z.object({
    id: text.describe('Give it to a step as { "file": "<id>" }'),
    name: text,
    mediaType: text.describe('Detected from the content; the declared type counts only where the content is ambiguous'),
    size: z.int().describe('In bytes'),
    sha256: text.describe('Of the content, in hexadecimal'),
    source: z
      .enum(['upload', 'address', 'step', 'job'])
      .describe(
        'Where it came from: an upload, an address, a step that read it from the provider, or a job (its result, or its copy of a list)',
      ),
    runId: text.nullable().describe('The run that stored it'),
    person: ownPerson,
    createdAt: z.iso.datetime().describe('RFC 3339'),
    expiresAt: z.iso.datetime().describe('When it is deleted'),
  }),
)

export type File = z.infer<ReturnType<typeof file>>

export const fileQuery = once(() =>
  z.strictObject({
    expiresInHours: z
      .exactOptional(hours)
      .describe('How long the file is stored, 1 to 720 hours; 168 (7 days) when absent'),
    person: z.exactOptional(person).describe('The end user of the platform whom it is for; absent: nobody'),
  }),
)

export const fileFilter = once(() => z.strictObject({ ...page().shape, person: personFilter }))

export const fileHeaders = once(() =>
  z.looseObject({
    'file-name': z
      .string()
      .max(1_000)
      .optional()
      .describe(
        'Name of the file, percent-encoded UTF-8; the body is then the content, whatever its Content-Type. Absent for multipart/form-data and JSON',
      ),
    'idempotency-key': idempotencyKey
      .optional()
      .describe(
        '1 to 255 visible ASCII characters: repeating the request with the same key and content returns the file that was stored',
      ),
  }),
)

/** Either `name` and `base64`, or `url`. */
export const fileBody = once(() =>
  z.strictObject({
    name: z
      .exactOptional(z.string().max(1_000))
      .describe('Name of the file; with url, absent: the name that the address gives'),
    base64: z.exactOptional(z.string().max(1_400_000)).describe('The content, at most 1 MB'),
    mediaType: z.exactOptional(z.string().max(200)).describe('Counts only where the content is ambiguous'),
    url: z
      .exactOptional(z.string().max(4_096))
      .describe(
        'A public https address that the server reads the content from. Redirects to another host are not followed',
      ),
    expiresInHours: z.exactOptional(hours).describe('As in the query'),
    person: z.exactOptional(person).describe('As in the query'),
  }),
)
