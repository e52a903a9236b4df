import { z } from '#kit'
import { byId, personFilter } from '../resources/fields.ts'
import { grant, grantChanges } from '../resources/grant.ts'
import { listOf, page } from '../resources/page.ts'
import { defineOperations } from '../operation.ts'

export const grantOperations = defineOperations({
  listGrants: {
    method: 'GET',
    path: '/v1/grants',
    tag: 'Grants',
    summary: 'List the programs that people let in',
    description:
      'Programs that somebody signed in and let act here, with what they may do and when they were last used. A token sees those that it signed and those for its person, whatever its scopes and bounds; those of others are seen with the scope `connections` or `read` and without bounds.',
    input: { query: () => z.strictObject({ ...page().shape, person: personFilter }) },
    output: { description: 'Newest first', schema: listOf(grant) },
    failures: [],
  },
  getGrant: {
    method: 'GET',
    path: '/v1/grants/{id}',
    tag: 'Grants',
    summary: 'Get a grant',
    description: 'One program that was let in, with what it may do.',
    input: { params: byId },
    output: { description: 'The grant', schema: grant },
    failures: ['not_found'],
  },
  narrowGrant: {
    method: 'PATCH',
    path: '/v1/grants/{id}',
    tag: 'Grants',
    summary: 'Narrow a grant',
    description:
      'Narrows a grant, at once. Each field lists what the program keeps, and `monthlyCredits` is its new limit; what is left out stays as it is. Nothing can be added: for that, sign in again. Those of others need the scope `connections` and a token without bounds.',
    input: { params: byId, body: grantChanges },
    output: { description: 'What is left', schema: grant },
    failures: ['not_found', 'conflict'],
  },
  endGrant: {
    method: 'DELETE',
    path: '/v1/grants/{id}',
    tag: 'Grants',
    summary: 'End a grant',
    description:
      'Ends a grant: the tokens of the program are refused at once, on every node. Those of others need the scope `connections` and a token without bounds.',
    input: { params: byId },
    output: { status: 204, description: 'Ended' },
    failures: ['not_found'],
  },
})
