import { fail, z } from '#kit'
import type { Routes } from '../parts.ts'
import { id, tenantId } from '../bounds.ts'
import { responses } from '../responses.ts'

const tags = ['Privacy']
const config = { access: ['admin' as const] }
const kind = z.enum(['email', 'linkedin', 'phone'])

const identifier = z
  .strictObject({
    email: z.string().max(2048).optional(),
    linkedin: z.string().max(2048).optional().describe('The address of a public profile, or its slug'),
    phone: z.string().max(100).optional().describe('With its country: +61 491 570 156'),
  })
  .describe('One of email, linkedin and phone')
const entry = identifier
  .extend({ emailSha256: z.string().length(64).optional().describe('SHA-256 of an e-mail address in lower case, hexadecimal') })
  .describe('One of email, linkedin, phone and emailSha256')
const entries = z.strictObject({ tenant: tenantId, entries: z.array(entry).min(1).max(1000) })

const suppression = z.object({
  id: z.string().describe('A keyed hash of the identifier, which is stored nowhere'),
  kind,
  source: z.enum(['manual', 'file', 'webhook']),
  createdAt: z.iso.datetime(),
})
const query = z.strictObject({ tenant: tenantId, limit: z.coerce.number().int().min(1).max(200).default(50), cursor: z.string().max(512).optional() })

/** Who is not to be looked up or shown. */
export const suppressionRoutes: Routes = (app, { pack: { suppressions } }) => {
  app.get(
    '/v1/suppressions',
    {
      config,
      schema: {
        operationId: 'listSuppressions',
        tags,
        summary: 'List suppressions',
        description: 'Entries of the suppression list of a tenant, newest first. Needs the scope admin.',
        querystring: query,
        response: responses({ description: 'One page', schema: z.object({ items: z.array(suppression), next: z.string().optional() }) }, ['not_found']),
      },
    },
    async ({ caller, query: { tenant, ...page } }) => suppressions.list({ ...caller, tenant }, page),
  )
  app.post(
    '/v1/suppressions',
    {
      config,
      schema: {
        operationId: 'addSuppressions',
        tags,
        summary: 'Add to the suppression list',
        description:
          'People who are neither looked up nor shown: lookups by these identifiers fail with suppressed before anything is sent, and records that hold one are not given out. Only keyed hashes are stored. Up to 1,000 entries at a time; one that cannot be read refuses them all. Needs the scope admin.',
        body: entries.extend({ source: z.enum(['manual', 'file']).default('manual') }),
        response: responses(
          { description: 'How many were added, and how many were there already', schema: z.object({ added: z.number(), present: z.number() }) },
          ['not_found'],
          { body: true },
        ),
      },
    },
    async ({ caller, body: { tenant, entries: given, source } }) => suppressions.add({ ...caller, tenant }, given, source),
  )
  app.post(
    '/v1/suppressions/remove',
    {
      config,
      schema: {
        operationId: 'removeSuppressions',
        tags,
        summary: 'Remove from the suppression list',
        description: 'Removes the entries of these identifiers. Needs the scope admin.',
        body: entries,
        response: responses({ description: 'How many were removed', schema: z.object({ removed: z.number() }) }, ['not_found'], { body: true }),
      },
    },
    async ({ caller, body: { tenant, entries: given } }) => suppressions.remove({ ...caller, tenant }, given),
  )
  app.delete(
    '/v1/suppressions/:id',
    {
      config,
      schema: {
        operationId: 'removeSuppression',
        tags,
        summary: 'Remove an entry of the suppression list',
        description: 'Removes one entry by the id that the list shows. Needs the scope admin.',
        params: z.object({ id }),
        querystring: z.strictObject({ tenant: tenantId }),
        response: responses({ status: 204, description: 'Removed' }, ['not_found']),
      },
    },
    async ({ caller, params: { id }, query: { tenant } }, reply) => {
      if (!(await suppressions.removeById({ ...caller, tenant }, id))) throw fail('not_found', 'There is no such entry in the suppression list.')
      return reply.code(204).send(null)
    },
  )
}

const identifiers = z.array(identifier).min(1).max(20).describe('All that is known of one person')
const ofPerson = z.strictObject({ tenant: tenantId, identifiers })
const exported = z.object({
  records: z.array(
    z.object({
      kind: z.string().describe('lookup, outcome, run, sample, event, unclaimed, undecodable, start, timer, poll, file, job or audit'),
      id: z.string(),
      at: z.iso.datetime().nullable(),
      data: z.unknown().describe('What is stored; null for a file, which GET /v1/files/{id} gives'),
    }),
  ),
  more: z.boolean().describe('There are more than the 1,000 records that are shown'),
  alsoKnownAs: z.array(z.object({ kind, value: z.string() })).describe('Identifiers that stored results name beside those given'),
  suppressed: z.boolean().describe('Whether one of the identifiers is on the suppression list'),
  unread: z.number().describe('Files that are no text and were not searched'),
})
const receipt = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  tenant: z.string(),
  persons: z.array(z.string()).describe('Keyed hashes of the identifiers'),
  removed: z.record(z.string(), z.number()).describe('How many of each kind'),
  unread: z.number().describe('Files that are no text and were not searched'),
  copies: z.number().describe('Copies of the database, made before upgrades, that were removed with it'),
  auditRows: z
    .number()
    .describe('Rows of the audit log that name the person. They cannot change, since each covers the one before; they are removed at their age'),
  suppressed: z.boolean().describe('Whether one of the identifiers is on the suppression list'),
})

/** What is stored about a person. */
export const privacyRoutes: Routes = (app, { pack: { privacy } }) => {
  app.post(
    '/v1/privacy/export',
    {
      config,
      schema: {
        operationId: 'exportPerson',
        tags,
        summary: 'Export what is stored about a person',
        description:
          'Searches results of lookups, outcomes of keyed runs, runs, samples, events, starts, files and the audit log of a tenant for a person, by any spelling of the identifiers. Needs the scope admin.',
        body: ofPerson,
        response: responses({ description: 'What was found', schema: exported }, ['not_found'], { body: true }),
      },
    },
    async ({ caller, body: { tenant, identifiers: given } }) => privacy.export({ ...caller, tenant }, given),
  )
  app.post(
    '/v1/privacy/erase',
    {
      config,
      schema: {
        operationId: 'erasePerson',
        tags,
        summary: 'Erase what is stored about a person',
        description:
          'Removes for good whatever an export shows: rows and files that name the person, as a whole. Where a row is needed to recognise repeats, it stays without its content. Backups that were made before are not changed. The receipt holds keyed hashes only, and says how many rows of the audit log name the person: those cannot change. Needs the scope admin.',
        body: ofPerson.extend({ suppress: z.boolean().optional().describe('Puts the identifiers on the suppression list first; false by default') }),
        response: responses({ description: 'The receipt', schema: receipt }, ['not_found'], { body: true }),
      },
    },
    async ({ caller, body: { tenant, identifiers: given, suppress } }) => privacy.erase({ ...caller, tenant }, given, { suppress }),
  )
}
