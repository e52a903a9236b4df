import { companyRecord, defineStep, manyAgentFields, words, z } from '#kit'
import { revealedCompanies } from '../enrich.ts'
import { companySignalTypes } from '../signal-types.ts'
import { ids, readSignals, signalFields, signalInput } from '../signals.ts'

const types = Object.keys(companySignalTypes) as [string, ...string[]]

export default defineStep({
  id: 'get-company-signals',
  title: 'Get Company Signals',
  group: 'Companies',
  purpose:
    'Shows what happened at companies, such as hiring, more website traffic or news; takes their ids. The provider charges each kind of signal that a company has.',
  keywords: ['hiring', 'headcount', 'news', 'website traffic', 'IT spend', 'intent', 'signals'],
  icon: 'activity',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [0, types.length] },
  input: () =>
    z.strictObject({
      companyIds: ids('Company ids', 'Ids of companies that a search found.'),
      ...signalInput(types),
      categories: z.array(words('Category', 'Name of one category.')).min(1).max(50).optional().meta({
        title: 'Intent categories',
        description: 'Only intent signals of these categories; List Filter Values lists the categories.',
      }),
    }),
  output: () => revealedCompanies(companyRecord().extend(signalFields())),
  agentFields: [...manyAgentFields('company', ['companyId']), 'results.record.signals'],
  fields: {
    types: { labels: companySignalTypes },
    since: { placeholder: '2026-01-01' },
    most: { placeholder: '10' },
    categories: { placeholder: 'Technology' },
  },
  endpoints: ['company-signals'],
  run: (ctx, { companyIds, ...query }) =>
    readSignals('companyId', companyIds, query, (records, beside) =>
      ctx.lookupMany('company-signals', records, beside),
    ),
})
