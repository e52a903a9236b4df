import {
  defineStep,
  keySets,
  pageCursor,
  pageLimit,
  personRecord,
  searchAgentFields,
  searchOutput,
  searchPage,
  z,
} from '#kit'
import { contactFilterFields } from '../filter-fields.ts'
import { contactSearch, contactSets, contactSpecs } from '../search-inputs.ts'

export default defineStep({
  id: 'search-contacts',
  title: 'Search Contacts',
  group: 'Contacts',
  purpose: 'Finds people by their work; all given filters must match.',
  keywords: [
    'prospecting',
    'people',
    'leads',
    'decision makers',
    'job title',
    'who works at',
    'employees of a company',
    'manager',
    'CEO',
  ],
  icon: 'person-search',
  effect: 'read',
  version: '1.2',
  cost: { unit: 'credit', per: 'record', typical: [0, 1] },
  input: () => keySets(z.strictObject({ ...contactSearch(), limit: pageLimit(), cursor: pageCursor() }), contactSets()),
  output: () => searchOutput(personRecord()),
  agentFields: searchAgentFields('person'),
  fields: contactSpecs,
  endpoints: ['search-contacts'],
  run: (ctx, query) => searchPage(ctx, 'search-contacts', query, contactFilterFields()),
})
