import {
  defineStep,
  keySets,
  normaliseDomain,
  normalisedText,
  normaliseSizeBand,
  pageCursor,
  pageLimit,
  personRecord,
  searchAgentFields,
  searchOutput,
  searchPage,
  words,
  z,
} from '#kit'
import { companyId, country, specs } from '../inputs.ts'
import { normaliseRegion } from '../regions.ts'

const filters = [
  ['company'],
  ['position'],
  ['seniority'],
  ['department'],
  ['states'],
  ['companySize'],
  ['companyDomain'],
  ['companyId'],
  ['country'],
]

export default defineStep({
  id: 'people-search',
  title: 'People Search',
  group: 'Search',
  purpose: 'Finds people at Australian and New Zealand companies; all given filters must match.',
  keywords: [
    'prospecting',
    'contacts',
    'leads',
    'find people',
    'job title',
    'who works at',
    'employees of a company',
    'decision makers',
    'manager',
    'CEO',
  ],
  icon: 'person-search',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'record', typical: [0, 1] },
  input: () =>
    keySets(
      z.strictObject({
        company: words('Company', 'Name of the employer.').optional(),
        position: words('Position', 'Job title, such as "operations manager".').optional(),
        seniority: words(
          'Seniority',
          'Level, such as owner, c-suite, vice president, head, director, manager, senior or entry.',
        ).optional(),
        department: words(
          'Department',
          'Field of work, such as sales, finance, operations, engineering or human resources.',
        ).optional(),
        states: z.array(normalisedText(normaliseRegion)).min(1).max(25).optional().meta({
          title: 'States and regions',
          description:
            'States and regions by ISO 3166-2 code or name, such as AU-NSW, Victoria or NZ-AUK; a bare TAS is Tasmania.',
        }),
        companySize: normalisedText(normaliseSizeBand)
          .optional()
          .meta({ title: 'Company size', description: 'Employees of the employer, such as "11-50" or "10001+".' }),
        companyDomain: normalisedText(normaliseDomain)
          .optional()
          .meta({ title: 'Company domain', description: 'Web domain of the employer.' }),
        companyId: companyId().optional(),
        country: country('Country to search in.').optional(),
        limit: pageLimit(),
        cursor: pageCursor(),
      }),
      filters,
    ),
  output: () => searchOutput(personRecord()),
  agentFields: searchAgentFields('person'),
  fields: {
    company: { placeholder: 'Example Pty Ltd' },
    position: { placeholder: 'operations manager' },
    seniority: { placeholder: 'director' },
    department: { placeholder: 'finance' },
    states: { placeholder: 'AU-NSW' },
    companySize: { placeholder: '11-50', unit: 'people' },
    companyDomain: specs.companyDomain,
    country: specs.country,
    limit: { placeholder: '25' },
  },
  endpoints: ['search-people'],
  run: (ctx, { states, ...searchFields }) =>
    searchPage(ctx, 'search-people', {
      ...searchFields,
      ...(states === undefined ? {} : { states: [...new Set(states)] }),
    }),
})
