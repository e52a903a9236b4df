import {
  companyRecord,
  completeSets,
  defineStep,
  keySets,
  linkedinCompanyUrl,
  lookupAgentFields,
  lookupOutput,
  normaliseAbn,
  normaliseDomain,
  normalisedText,
  normaliseWebsite,
  z,
} from '#kit'
import { companyId, country, specs } from '../inputs.ts'

/** Identifier sets, strongest first. */
const identifiers = [['companyId'], ['abn'], ['domain'], ['linkedin'], ['website']]

export default defineStep({
  id: 'company-enrichment',
  title: 'Company Enrichment',
  group: 'Enrichment',
  purpose:
    'Returns size, industry, location, ABN, technologies and more of one known Australian or New Zealand company; no match is a result, not an error.',
  keywords: [
    'firmographics',
    'ABN',
    'account',
    'business',
    'employees',
    'company details',
    'enrich company',
    'LinkedIn page',
    'website',
  ],
  icon: 'company-enrich',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'match', typical: [1, 1] },
  input: () =>
    keySets(
      z.strictObject({
        abn: normalisedText(normaliseAbn).optional().meta({
          title: 'ABN',
          description: 'Australian Business Number, 11 digits: the surest identifier.',
        }),
        domain: normalisedText(normaliseDomain).optional().meta({
          title: 'Domain',
          description: 'Web domain, such as example.com.au; taken from an address or e-mail address too.',
        }),
        linkedin: normalisedText(linkedinCompanyUrl).optional().meta({
          title: 'LinkedIn page',
          description: 'Address of its LinkedIn page, or the last part of it.',
        }),
        website: normalisedText(normaliseWebsite)
          .optional()
          .meta({ title: 'Website', description: 'Web address of the company.' }),
        companyId: companyId().optional(),
        country: country('Country of the company.').optional(),
      }),
      identifiers,
    ),
  output: () => lookupOutput(companyRecord()),
  agentFields: lookupAgentFields('company'),
  fields: {
    abn: { placeholder: '71 973 100 006' },
    domain: specs.companyDomain,
    linkedin: { placeholder: 'https://www.linkedin.com/company/example' },
    website: { placeholder: 'https://www.example.com.au' },
    country: specs.country,
  },
  lookup: 'company',
  endpoints: ['enrich-company'],
  run: (ctx, { country: land, ...companyFields }) =>
    ctx.lookup('enrich-company', completeSets(companyFields, identifiers), land === undefined ? {} : { country: land }),
})
