import { defineStep, keySets, manyAgentFields, pageCursor, z } from '#kit'
import { companyDetails, detailedCompany, detailFields, details } from '../company-details.ts'
import { searchedOutput } from '../enrich.ts'
import { companyFilterFields } from '../filter-fields.ts'
import { mostRevealed, searchAndEnrich } from '../search-and-enrich.ts'
import { companySearch, companySets, companySpecs } from '../search-inputs.ts'

export default defineStep({
  id: 'search-and-enrich-companies',
  title: 'Search and Enrich Companies',
  group: 'Companies',
  purpose:
    'Finds companies and shows each with chosen details, such as buying intent, in one step; the search, each company and each detail are charged. A failure for one company does not affect the others.',
  keywords: ['prospecting', 'accounts', 'ideal customer', 'buying intent', 'firmographics', 'find and enrich'],
  icon: 'company-search',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [1, 9] },
  input: () =>
    keySets(
      z.strictObject({
        ...companySearch(),
        reveal: details(),
        limit: mostRevealed('companies'),
        cursor: pageCursor(),
      }),
      companySets(),
    ),
  output: () => searchedOutput(detailedCompany()),
  agentFields: [...manyAgentFields('company', []), ...detailFields, 'charged', 'total', 'next'],
  fields: { ...companySpecs, reveal: { labels: companyDetails } },
  endpoints: ['search-companies', 'reveal-companies'],
  run: (ctx, { reveal, ...query }) =>
    searchAndEnrich(
      ctx,
      { search: 'search-companies', reveal: 'reveal-companies', id: 'companyId', fields: companyFilterFields() },
      query,
      { reveal },
    ),
})
