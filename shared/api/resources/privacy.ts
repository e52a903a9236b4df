import { once, z } from '#kit'
import { tenantId } from './fields.ts'

export const identifierKind = z.enum(['email', 'linkedin', 'phone', 'recordId'])

export const identifier = once(() =>
  z
    .strictObject({
      email: z.string().max(2048).optional(),
      linkedin: z.string().max(2048).optional().describe('The address of a public profile, or its slug'),
      phone: z.string().max(100).optional().describe('With its country: +61 491 570 156'),
      recordId: z.string().max(100).optional().describe('The id that a provider has for the person'),
    })
    .describe('One of email, linkedin, phone and recordId'),
)

const identifiers = once(() => z.array(identifier()).min(1).max(20).describe('All that is known of one person'))

export const ofPerson = once(() => z.strictObject({ tenant: tenantId, identifiers: identifiers() }))

const unread = () =>
  z
    .number()
    .describe('Files that are no text, and whatever is damaged or has lost its key: they were not searched to the end')

export const personExport = once(() =>
  z.object({
    records: z.array(
      z.object({
        kind: z
          .string()
          .describe(
            'lookup, outcome, approval, run, sample, people_list, people_list_row, event, unclaimed, undecodable, start, timer, poll, file, job or audit',
          ),
        id: z.string(),
        at: z.iso.datetime().nullable(),
        data: z.unknown().describe('What is stored; null for a file, which GET /v1/files/{id} gives'),
      }),
    ),
    more: z.boolean().describe('There are more than the 1,000 records that are shown'),
    alsoKnownAs: z
      .array(z.object({ kind: identifierKind, value: z.string() }))
      .describe('Identifiers that stored results name beside those given'),
    suppressed: z.boolean().describe('Whether one of the identifiers is on the suppression list'),
    unread: unread(),
  }),
)

export type PersonExport = z.infer<ReturnType<typeof personExport>>

export const erasureReceipt = once(() =>
  z.object({
    id: z.string(),
    at: z.iso.datetime(),
    tenant: z.string(),
    persons: z.array(z.string()).describe('Keyed hashes of the identifiers'),
    removed: z.record(z.string(), z.number()).describe('How many of each kind'),
    unread: unread(),
    copies: z.number().describe('Copies of the database, made before upgrades, that were removed with it'),
    auditRows: z
      .number()
      .describe(
        'Rows of the audit log that name the person. They cannot change, since each covers the one before; they are removed at their age',
      ),
    suppressed: z.boolean().describe('Whether one of the identifiers is on the suppression list'),
  }),
)

export type ErasureReceipt = z.infer<ReturnType<typeof erasureReceipt>>
