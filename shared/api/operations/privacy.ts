import { z } from '#kit'
import { byId, ofTenant } from '../resources/fields.ts'
import { erasureReceipt, ofPerson, personExport } from '../resources/privacy.ts'
import { suppression, suppressionEntries, suppressionFilter } from '../resources/suppression.ts'
import { defineOperations } from '../operation.ts'

export const privacyOperations = defineOperations({
  listSuppressions: {
    method: 'GET',
    path: '/v1/suppressions',
    tag: 'Privacy',
    summary: 'List suppressions',
    description: 'Entries of the suppression list of a tenant, newest first. Needs the scope admin.',
    input: { query: suppressionFilter },
    output: {
      description: 'One page',
      schema: () => z.object({ items: z.array(suppression()), next: z.string().optional() }),
    },
    failures: ['not_found'],
  },
  addSuppressions: {
    method: 'POST',
    path: '/v1/suppressions',
    tag: 'Privacy',
    summary: 'Add to the suppression list',
    description:
      'People who are neither looked up nor shown: lookups by these identifiers fail with suppressed before anything is sent, and records that hold one are not given out. Only keyed hashes are stored. Up to 1,000 entries at a time; one that cannot be read refuses them all. Needs the scope admin.',
    input: { body: () => suppressionEntries().extend({ source: z.enum(['manual', 'file']).default('manual') }) },
    output: {
      description: 'How many were added, and how many were there already',
      schema: () => z.object({ added: z.number(), present: z.number() }),
    },
    failures: ['not_found'],
  },
  removeSuppressions: {
    method: 'POST',
    path: '/v1/suppressions/remove',
    tag: 'Privacy',
    summary: 'Remove from the suppression list',
    description: 'Removes the entries of these identifiers. Needs the scope admin.',
    input: { body: suppressionEntries },
    output: { description: 'How many were removed', schema: () => z.object({ removed: z.number() }) },
    failures: ['not_found'],
  },
  removeSuppression: {
    method: 'DELETE',
    path: '/v1/suppressions/{id}',
    tag: 'Privacy',
    summary: 'Remove an entry of the suppression list',
    description: 'Removes one entry by the id that the list shows. Needs the scope admin.',
    input: { params: byId, query: ofTenant },
    output: { status: 204, description: 'Removed' },
    failures: ['not_found'],
  },
  exportPerson: {
    method: 'POST',
    path: '/v1/privacy/export',
    tag: 'Privacy',
    summary: 'Export what is stored about a person',
    description:
      'Searches results of lookups, outcomes of keyed runs, runs, samples, events, starts, files and the audit log of a tenant for a person, by any spelling of the identifiers. What cannot be read is counted in `unread`. Needs the scope admin.',
    input: { body: ofPerson },
    output: { description: 'What was found', schema: personExport },
    failures: ['not_found', 'not_connected'],
  },
  erasePerson: {
    method: 'POST',
    path: '/v1/privacy/erase',
    tag: 'Privacy',
    summary: 'Erase what is stored about a person',
    description:
      'Removes for good whatever an export shows: rows and files that name the person, as a whole. Where a row is needed to recognise repeats, it stays without its content. Backups that were made before are not changed. The receipt holds keyed hashes only, and says how many rows of the audit log name the person: those cannot change. Needs the scope admin.',
    input: {
      body: () =>
        ofPerson().extend({
          suppress: z
            .boolean()
            .optional()
            .describe('Puts the identifiers on the suppression list first; false by default'),
        }),
    },
    output: { description: 'The receipt', schema: erasureReceipt },
    failures: ['not_found', 'not_connected'],
  },
})
