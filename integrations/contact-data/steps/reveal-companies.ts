import { defineStep, manyAgentFields, words, z } from '#kit'
import { companyDetails, detailedCompany, detailFields, details } from '../company-details.ts'
import { revealedCompanies, summaryOf } from '../enrich.ts'

const maxIds = 100
export default defineStep({
  id: 'reveal-companies',
  title: 'Reveal Companies',
  group: 'Companies',
  purpose:
    'Shows companies by their ids, with chosen details such as buying intent or competitors, each for its price; each id has its own result: matched, not matched or failed.',
  keywords: ['enrich by id', 'buying intent', 'competitors', 'IT spend', 'headcount', 'firmographics'],
  icon: 'company-enrich',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [1, 8] },
  input: () =>
    z.strictObject({
      companyIds: z
        .array(words('Company id', 'Id of one company.'))
        .min(1, { error: 'Company ids: the list is empty. Give at least one id.' })
        .max(maxIds)
        .meta({ title: 'Company ids', description: `Ids of companies that a search found, 1 to ${maxIds}.` }),
      reveal: details(),
    }),
  output: () => revealedCompanies(detailedCompany()),
  agentFields: [...manyAgentFields('company', ['companyId']), ...detailFields],
  fields: { reveal: { labels: companyDetails } },
  endpoints: ['reveal-companies'],
  async run(ctx, { companyIds, reveal }) {
    const answers = await ctx.lookupMany(
      'reveal-companies',
      companyIds.map((companyId) => [{ companyId }]),
      companyIds.map(() => ({ reveal })),
    )
    const results = companyIds.map((companyId, index) => ({ index, companyId, ...answers[index]! }))
    return { results, summary: summaryOf(results) }
  },
})
