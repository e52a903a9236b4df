import { defineStep, keySets, pageCursor, pageLimit, personRecord, searchAgentFields, searchOutput, searchPage, words, z } from '#kit'
import { companyFilters, domain, filterSpecs, size } from '../filters.ts'

const filters = [
  'jobTitle',
  'company',
  'location',
  'industry',
  'role',
  'seniority',
  'department',
  'companyDomain',
  'companySize',
  'country',
  'revenue',
  'technologies',
]

export default defineStep({
  id: 'search-contacts',
  title: 'Search Contacts',
  group: 'Contacts',
  purpose: 'Finds people by their work; all given filters must match.',
  keywords: ['prospecting', 'people', 'leads', 'decision makers', 'job title', 'who works at', 'employees of a company', 'manager', 'CEO'],
  icon: 'person-search',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'record', typical: [0, 1] },
  input: () =>
    keySets(
      z.strictObject({
        jobTitle: words('Job title', 'Job title, such as "operations manager".').optional(),
        company: words('Company', 'Name of the employer.').optional(),
        location: words('Location', 'City, region or country.').optional(),
        industry: words('Industry', 'Industry of the employer.').optional(),
        role: words('Role', 'Role within the company, such as decision maker or director.').optional(),
        seniority: words('Seniority', 'Level, such as director or manager.').optional(),
        department: words('Department', 'Field of work, such as sales or finance.').optional(),
        companyDomain: domain('Company domain', 'Web domain of the employer, such as example.com.').optional(),
        companySize: size('Company size', 'Number of employees of the employer.').optional(),
        ...companyFilters(),
        limit: pageLimit(),
        cursor: pageCursor(),
      }),
      filters.map((name) => [name]),
    ),
  output: () => searchOutput(personRecord()),
  agentFields: searchAgentFields('person'),
  fields: {
    ...filterSpecs,
    jobTitle: { placeholder: 'operations manager' },
    company: { placeholder: 'Example Ltd' },
    role: { placeholder: 'decision maker' },
    seniority: { placeholder: 'director' },
    department: { placeholder: 'sales' },
    companyDomain: { placeholder: 'example.com' },
    companySize: { placeholder: '11-50', unit: 'people' },
  },
  endpoints: ['search-contacts'],
  run: (ctx, query) => searchPage(ctx, 'search-contacts', query),
})
