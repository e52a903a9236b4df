import { defineIntegration, secretText, z } from '#kit'
import type { ConnectionType } from '#kit'
import { firmable } from './profiles/firmable.ts'
import companyEnrichment from './steps/company-enrichment.ts'
import peopleEnrichment from './steps/people-enrichment.ts'
import peopleSearch from './steps/people-search.ts'
import { wire } from './wire.ts'

// No test request: every documented endpoint costs credits, and a paid lookup is never a test.
const apiKey: ConnectionType = {
  id: 'api-key',
  scheme: 'secrets',
  title: 'API key',
  purpose: 'The key of your own account at the data provider; lookups are charged to it.',
  recommended: true,
  secrets: z.strictObject({
    apiKey: secretText('API key', 'Key from the provider account. Treat it like a password.'),
  }),
  help: 'Open the settings of the provider account, go to API access, make a key and paste it here.',
}

export default defineIntegration({
  id: 'anz-data',
  title: 'ANZ data',
  summary: 'Company and contact data of Australia and New Zealand: enrich a person or company, search people.',
  version: '0.1.0',
  maturity: 'beta',
  connections: [apiKey],
  steps: [peopleEnrichment, peopleSearch, companyEnrichment],
  apiCall: { methods: ['GET', 'POST'], under: '/', deny: [] },
  wire,
  profiles: { firmable },
})
