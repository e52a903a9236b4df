import {
  defineStep,
  keySets,
  normaliseDomain,
  normalisedText,
  normaliseSizeBand,
  pageCursor,
  pageLimit,
  personRecord,
  searchOutput,
  searchPage,
  words,
  z,
} from '#kit'
import { companyId, country, specs } from '../inputs.ts'
import { normaliseRegion } from '../regions.ts'

const filters = [['company'], ['position'], ['seniority'], ['department'], ['states'], ['companySize'], ['companyDomain'], ['companyId'], ['country']]

export default defineStep({
  id: 'people-search',
  title: 'People Search',
  group: 'Search',
  purpose:
    'Finds people at Australian and New Zealand companies by employer, position, seniority, department, region or company size; all given filters must match.',
  keywords: ['prospecting', 'contacts', 'leads', 'find people'],
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
          'Level, such as owner, founder, c-suite, partner, vice president, head, director, manager, senior or entry. Passed on as given unless the operator has set a translation.',
        ).optional(),
        department: words(
          'Department',
          'Field of work, such as sales, marketing, finance, operations, engineering, human resources, legal or customer service. Passed on as given unless the operator has set a translation.',
        ).optional(),
        states: z.array(normalisedText(normaliseRegion)).min(1).max(25).optional().meta({
          title: 'States and regions',
          description:
            'Australian states and New Zealand regions by ISO 3166-2 code or name, such as AU-NSW, Victoria, NZ-AUK or Otago. A bare TAS is Tasmania; write NZ-TAS for Tasman.',
        }),
        companySize: normalisedText(normaliseSizeBand)
          .optional()
          .meta({ title: 'Company size', description: 'Number of employees of the employer as a band, such as "11-50" or "10001+".' }),
        companyDomain: normalisedText(normaliseDomain)
          .optional()
          .meta({ title: 'Company domain', description: 'Web domain of the employer, such as example.com.au.' }),
        companyId: companyId().optional(),
        country: country('Country to search in.').optional(),
        limit: pageLimit(),
        cursor: pageCursor(),
      }),
      filters,
    ),
  output: () => searchOutput(personRecord()),
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
  run: (ctx, { states, ...given }) => searchPage(ctx, 'search-people', { ...given, ...(states === undefined ? {} : { states: [...new Set(states)] }) }),
})
