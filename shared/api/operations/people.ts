import { byId } from '../resources/fields.ts'
import { listOf, page } from '../resources/page.ts'
import { personDetail } from '../resources/person.ts'
import { defineOperations } from '../operation.ts'

export const peopleOperations = defineOperations({
  listPeople: {
    method: 'GET',
    path: '/v1/people',
    tag: 'People',
    summary: 'List the people whom calls act for',
    description:
      "The end users of the platform that connections, tokens or calls have named, by the platform's own id, with their connections, limits and use. A token that acts for a person sees that person alone.",
    input: { query: page },
    output: { description: 'Newest first', schema: listOf(personDetail) },
    failures: [],
  },
  getPerson: {
    method: 'GET',
    path: '/v1/people/{id}',
    tag: 'People',
    summary: 'Get a person',
    description: 'One end user of the platform, with their connections, limits and use.',
    input: { params: byId },
    output: { description: 'The person', schema: personDetail },
    failures: ['not_found'],
  },
})
