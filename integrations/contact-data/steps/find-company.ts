import { companyRecord, defineStep, keySets, lookupAgentFields, lookupOutput, z } from '#kit'
import { along, companyId, companyKeys, companyName, companySets, companySpecs, country, domain } from '../inputs.ts'

export default defineStep({
  id: 'find-company',
  title: 'Find Company',
  group: 'Companies',
  purpose: 'Finds one known company by its web domain or name; no match is a result, not an error.',
  keywords: ['account', 'firmographics', 'organisation', 'lookup', 'company details', 'enrich company', 'website'],
  icon: 'company-find',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'match', typical: [1, 1] },
  input: () =>
    keySets(
      z.strictObject({
        domain: domain().optional(),
        name: companyName().optional(),
        companyId: companyId().optional(),
        country: country('Country of the company.').optional(),
      }),
      companyKeys,
    ),
  output: () => lookupOutput(companyRecord()),
  agentFields: lookupAgentFields('company'),
  fields: companySpecs,
  lookup: 'company',
  endpoints: ['company'],
  run: (ctx, { country: land, ...companyFields }) =>
    ctx.lookup('company', companySets(companyFields), along({ country: land })),
})
