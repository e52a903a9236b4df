import { byId } from '../resources/fields.ts'
import { listOf, page } from '../resources/page.ts'
import { listFilter, madeList, newList, newListHeaders, peopleList, peopleListRows } from '../resources/people-list.ts'
import { defineOperations } from '../operation.ts'

export const peopleListOperations = defineOperations({
  createPeopleList: {
    method: 'POST',
    path: '/v1/people-lists',
    tag: 'People lists',
    summary: 'Store a list of people or companies',
    description:
      'Stores up to 10,000 people or companies under a name, for jobs: from `rows`, a stored `file`, the `run` of a search, or a `step` that is run for the list. People on the suppression list are left out. A tenant has at most 100 lists.',
    input: { headers: newListHeaders, body: newList },
    output: { status: 201, description: 'The list', schema: madeList },
    failures: ['not_found', 'conflict', 'too_large'],
  },
  listPeopleLists: {
    method: 'GET',
    path: '/v1/people-lists',
    tag: 'People lists',
    summary: 'List the lists',
    description: 'Stored lists, newest first, without their rows; a bound token sees only its own.',
    input: { query: listFilter },
    output: { description: 'Newest first', schema: listOf(peopleList) },
    failures: [],
  },
  getPeopleList: {
    method: 'GET',
    path: '/v1/people-lists/{id}',
    tag: 'People lists',
    summary: 'Get a list and its rows',
    description: 'A list, by its id or name, with a page of its rows.',
    input: { params: byId, query: page },
    output: { description: 'The list and a page of its rows', schema: peopleListRows },
    failures: ['not_found', 'conflict'],
  },
  deletePeopleList: {
    method: 'DELETE',
    path: '/v1/people-lists/{id}',
    tag: 'People lists',
    summary: 'Delete a list',
    description: 'Deletes a list, by its id or name, and its rows. Jobs that use it go on with their copy of the rows.',
    input: { params: byId },
    output: { status: 204, description: 'Deleted' },
    failures: ['not_found', 'conflict'],
  },
})
