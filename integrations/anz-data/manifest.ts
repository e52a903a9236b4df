import { defineIntegration } from '#kit'
import { apiCall } from './api-call.ts'
import { apiKey } from './connections.ts'
import { firmable } from './profiles/firmable.ts'
import companyEnrichment from './steps/company-enrichment.ts'
import peopleEnrichment from './steps/people-enrichment.ts'
import peopleSearch from './steps/people-search.ts'
import { wire } from './wire.ts'
import { words } from './words.ts'

export default defineIntegration({
  id: 'anz-data',
  title: 'ANZ data',
  summary:
    'Company and contact data of Australia and New Zealand: enrich a person or company, search people. Made by the platform operator, not by the data provider.',
  keywords: ['Firmable', 'Australian companies', 'leads', 'prospecting', 'sales', 'B2B data'],
  version: '0.2.0',
  maturity: 'beta',
  connections: [apiKey],
  steps: [peopleEnrichment, peopleSearch, companyEnrichment],
  toolSets: [
    {
      id: 'core',
      title: 'Core',
      purpose: 'Enrich a person or company, and search people.',
      steps: ['people-enrichment', 'people-search', 'company-enrichment'],
    },
  ],
  prompts: async () => (await import('./prompts.ts')).prompts,
  apiCall,
  words,
  wire,
  profiles: { firmable },
})
