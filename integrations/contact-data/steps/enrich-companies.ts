import { companyRecord, defineStep, keySets, once, words, z } from '#kit'
import { enrichAll, enrichOutput, recordList, reference } from '../enrich.ts'
import { companyId, companyKeys, companyName, companySets, companySpecs, country, domain } from '../inputs.ts'

const company = once(() =>
  keySets(
    z.strictObject({
      reference: reference().optional(),
      domain: domain().optional(),
      name: companyName().optional(),
      companyId: companyId().optional(),
      country: country('Country of the company, which narrows the lookup.').optional(),
      website: words('Website', 'Web address as you have it; kept as it is, and not sent.').optional(),
      industry: words('Industry', 'Industry as you have it; kept as it is, and not sent.').optional(),
      location: words('Location', 'Place as you have it; kept as it is, and not sent.').optional(),
    }),
    companyKeys,
  ),
)

export default defineStep({
  id: 'enrich-companies',
  title: 'Enrich Companies',
  group: 'Companies',
  purpose:
    'Completes company records with firmographic data, employee counts and industry; existing values are kept, and each record has its own result: matched, not matched or failed.',
  keywords: ['accounts', 'firmographics', 'organisations', 'bulk'],
  icon: 'company-enrich',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'record', typical: [1, 1] },
  input: () => z.strictObject({ companies: recordList(company(), 'Companies', 'The companies to complete, always as a list.') }),
  output: () => enrichOutput(companyRecord()),
  fields: {
    companies: {
      row: {
        reference: { placeholder: 'row-1' },
        ...companySpecs,
        website: { placeholder: 'https://www.example.com' },
        industry: { placeholder: 'Software' },
        location: { placeholder: 'Auckland' },
      },
    },
  },
  endpoints: ['company'],
  run: (ctx, { companies }) => enrichAll(ctx, { endpoint: 'company', field: 'companies', item: company(), setsOf: companySets }, companies),
})
