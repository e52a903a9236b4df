import { defineStep, keySets, pageCursor, pageLimit, personRecord, searchOutput, searchPage, words, z } from '#kit'

export default defineStep({
  id: 'search-contacts',
  title: 'Search Contacts',
  group: 'Contacts',
  purpose: 'Finds people by job title, employer, location, industry or role within the company; all given filters must match.',
  effect: 'read',
  cost: { unit: 'credit', per: 'record', typical: [0, 1] },
  input: () =>
    keySets(
      z.strictObject({
        jobTitle: words('Job title', 'Job title, such as "operations manager".').optional(),
        company: words('Company', 'Name of the employer.').optional(),
        location: words('Location', 'City, region or country.').optional(),
        industry: words('Industry', 'Industry of the employer.').optional(),
        role: words(
          'Role',
          'Role within the company, such as decision maker, director or sales. Passed on as given unless the operator has set a translation.',
        ).optional(),
        limit: pageLimit(),
        cursor: pageCursor(),
      }),
      [['jobTitle'], ['company'], ['location'], ['industry'], ['role']],
    ),
  output: () => searchOutput(personRecord()),
  endpoints: ['search-contacts'],
  run: (ctx, given) => searchPage(ctx, 'search-contacts', given),
})
