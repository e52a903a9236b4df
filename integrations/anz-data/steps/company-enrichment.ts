import {
  companyRecord,
  completeSets,
  defineStep,
  keySets,
  linkedinCompanyUrl,
  lookupOutput,
  normaliseAbn,
  normaliseDomain,
  normalisedText,
  normaliseWebsite,
  z,
} from '#kit'
import { companyId, country, specs } from '../inputs.ts'

/** Strongest first. */
const identifiers = [['companyId'], ['abn'], ['domain'], ['linkedin'], ['website']]

export default defineStep({
  id: 'company-enrichment',
  title: 'Company Enrichment',
  group: 'Enrichment',
  purpose:
    'Adds size, industry, location, ABN, technologies and other facts to one known Australian or New Zealand company; no match is a result, not an error.',
  keywords: ['firmographics', 'ABN', 'account', 'business', 'employees'],
  icon: 'company-enrich',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'match', typical: [1, 1] },
  input: () =>
    keySets(
      z.strictObject({
        abn: normalisedText(normaliseAbn).optional().meta({
          title: 'ABN',
          description: 'Australian Business Number: 11 digits with correct check digits, spaces allowed. The surest identifier, tried first.',
        }),
        domain: normalisedText(normaliseDomain)
          .optional()
          .meta({ title: 'Domain', description: 'Web domain of the company, such as example.com.au; an address or e-mail address is reduced to its domain.' }),
        linkedin: normalisedText(linkedinCompanyUrl).optional().meta({
          title: 'LinkedIn page',
          description: "Address of the company's LinkedIn page, such as https://www.linkedin.com/company/name, or its last part.",
        }),
        website: normalisedText(normaliseWebsite)
          .optional()
          .meta({ title: 'Website', description: 'Web address of the company, such as https://www.example.com.au.' }),
        companyId: companyId().optional(),
        country: country('Country of the company, which narrows the lookup.').optional(),
      }),
      identifiers,
    ),
  output: () => lookupOutput(companyRecord()),
  fields: {
    abn: { placeholder: '71 973 100 006' },
    domain: specs.companyDomain,
    linkedin: { placeholder: 'https://www.linkedin.com/company/example' },
    website: { placeholder: 'https://www.example.com.au' },
    country: specs.country,
  },
  endpoints: ['enrich-company'],
  run: (ctx, { country: land, ...given }) => ctx.lookup('enrich-company', completeSets(given, identifiers), land === undefined ? {} : { country: land }),
})
