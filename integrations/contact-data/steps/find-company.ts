import { companyRecord, defineStep, keySets, lookupOutput, z } from '#kit'
import { companyKeys, companyName, companySets, domain } from '../inputs.ts'

export default defineStep({
  id: 'find-company',
  title: 'Find Company',
  group: 'Companies',
  purpose: 'Finds one known company by its web domain or name; no match is a result, not an error.',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [1, 1] },
  input: () => keySets(z.strictObject({ domain: domain().optional(), name: companyName().optional() }), companyKeys),
  output: () => lookupOutput(companyRecord()),
  endpoints: ['company'],
  run: (ctx, given) => ctx.lookup('company', companySets(given)),
})
