import { companyRecord, defineStep, keySets, normalisedText, normaliseSizeBand, pageCursor, pageLimit, searchOutput, searchPage, words, z } from '#kit'

export default defineStep({
  id: 'search-companies',
  title: 'Search Companies',
  group: 'Companies',
  purpose: 'Finds companies by industry, location, size or name, for example those that fit an ideal customer; all given filters must match.',
  effect: 'read',
  cost: { unit: 'credit', per: 'record', typical: [0, 1] },
  input: () =>
    keySets(
      z.strictObject({
        industry: words('Industry', 'Industry of the company.').optional(),
        location: words('Location', 'City, region or country.').optional(),
        size: normalisedText(normaliseSizeBand).optional().meta({ title: 'Size', description: 'Number of employees as a band, such as "11-50" or "10001+".' }),
        name: words('Name', 'Name of the company or part of it.').optional(),
        limit: pageLimit(),
        cursor: pageCursor(),
      }),
      [['industry'], ['location'], ['size'], ['name']],
    ),
  output: () => searchOutput(companyRecord()),
  endpoints: ['search-companies'],
  run: (ctx, given) => searchPage(ctx, 'search-companies', given),
})
