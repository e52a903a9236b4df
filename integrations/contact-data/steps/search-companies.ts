import {
  companyRecord,
  defineStep,
  keySets,
  pageCursor,
  pageLimit,
  searchAgentFields,
  searchOutput,
  searchPage,
  words,
  z,
} from '#kit'
import { companyFilters, domain, filterSpecs, size } from '../filters.ts'

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
  version: '1.1',
  cost: { unit: 'credit', per: 'record', typical: [0, 1] },
  input: () =>
    keySets(
      z.strictObject({
        industry: words('Industry', 'Industry of the company.').optional(),
        location: words('Location', 'City, region or country.').optional(),
        size: size('Size', 'Number of employees.').optional(),
        name: words('Name', 'Name of the company or part of it.').optional(),
        domain: domain('Domain', 'Web domain of the company, such as example.com.').optional(),
        ...companyFilters(),
        limit: pageLimit(),
        cursor: pageCursor(),
      }),
      [['industry'], ['location'], ['size'], ['name'], ['domain'], ['country'], ['revenue'], ['technologies']],
    ),
  output: () => searchOutput(companyRecord()),
  agentFields: searchAgentFields('company'),
  fields: {
    ...filterSpecs,
    size: { placeholder: '11-50', unit: 'people' },
    name: { placeholder: 'Example' },
    domain: { placeholder: 'example.com' },
  },
  endpoints: ['search-companies'],
  run: (ctx, query) => searchPage(ctx, 'search-companies', query),
})
