import {
  companyRecord,
  defineStep,
  keySets,
  pageCursor,
  pageLimit,
  searchAgentFields,
  searchOutput,
  searchPage,
  z,
} from '#kit'
import { companyFilterFields } from '../filter-fields.ts'
import { companySearch, companySets, companySpecs } from '../search-inputs.ts'

export default defineStep({
  id: 'search-companies',
  title: 'Search Companies',
  group: 'Companies',
  purpose: 'Finds companies, for example those that fit an ideal customer; all given filters must match.',
  keywords: [
    'prospecting',
    'accounts',
    'ideal customer',
    'organisations',
    'industry',
    'company size',
    'employees',
    'similar companies',
    'market research',
  ],
  icon: 'company-search',
  effect: 'read',
  version: '1.2',
  cost: { unit: 'credit', per: 'record', typical: [0, 1] },
  input: () => keySets(z.strictObject({ ...companySearch(), limit: pageLimit(), cursor: pageCursor() }), companySets()),
  output: () => searchOutput(companyRecord()),
  agentFields: searchAgentFields('company'),
  fields: companySpecs,
  endpoints: ['search-companies'],
  run: (ctx, query) => searchPage(ctx, 'search-companies', query, companyFilterFields()),
})
