import { companyRecord, defineStep, keySets, pageCursor, searchAgentFields, searchOutput, searchPage, z } from '#kit'
import { domain } from '../inputs.ts'
import { companyUrl, listOf, requireSeeds } from '../seeds.ts'

export default defineStep({
  id: 'find-lookalike-companies',
  title: 'Find Lookalike Companies',
  group: 'Companies',
  purpose:
    'Finds companies that resemble at least 5 that you know, such as your best customers; each company found is charged.',
  keywords: ['similar companies', 'lookalikes', 'ideal customer', 'target accounts', 'more like these'],
  icon: 'company-search',
  effect: 'read',
  cost: { unit: 'credit', per: 'record', typical: [0, 3] },
  input: () =>
    keySets(
      z.strictObject({
        domains: listOf(domain(), 'Domains', 'Companies to resemble, by web domain.'),
        linkedinUrls: listOf(companyUrl(), 'LinkedIn addresses', 'Companies to resemble, by LinkedIn page.'),
        excludeDomains: listOf(domain(), 'Leave out domains', 'Companies not to return, by web domain.'),
        excludeLinkedinUrls: listOf(companyUrl(), 'Leave out pages', 'Companies not to return, by LinkedIn page.'),
        limit: z.int().min(1).max(100).optional().meta({ title: 'Limit', description: 'How many to find, 1 to 100.' }),
        cursor: pageCursor(),
      }),
      [['domains'], ['linkedinUrls']],
    ),
  output: () => searchOutput(companyRecord()),
  agentFields: searchAgentFields('company'),
  fields: { limit: { placeholder: '25' } },
  endpoints: ['lookalike-companies'],
  run: (ctx, query) => {
    requireSeeds(['domains', 'linkedinUrls'], query)
    return searchPage(ctx, 'lookalike-companies', query)
  },
})
