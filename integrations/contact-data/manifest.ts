import { defineIntegration } from '#kit'
import { apiCall } from './api-call.ts'
import { apiKey } from './connections.ts'
import { apollo } from './profiles/apollo.ts'
import { hunter } from './profiles/hunter.ts'
import { lushaV2 } from './profiles/lusha-v2.ts'
import { lushaV3 } from './profiles/lusha-v3.ts'
import { peopleDataLabs } from './profiles/people-data-labs.ts'
import accountUsage from './steps/account-usage.ts'
import enrichCompanies from './steps/enrich-companies.ts'
import enrichContacts from './steps/enrich-contacts.ts'
import findCompany from './steps/find-company.ts'
import findContact from './steps/find-contact.ts'
import revealContacts from './steps/reveal-contacts.ts'
import searchCompanies from './steps/search-companies.ts'
import searchContacts from './steps/search-contacts.ts'
import { wire } from './wire.ts'

export default defineIntegration({
  id: 'contact-data',
  title: 'Contact data',
  summary:
    'Contact and company data worldwide: enrich many records, find one, search by criteria. Made by the platform operator, not by the data provider.',
  keywords: ['Lusha', 'Apollo', 'Hunter', 'People Data Labs', 'leads', 'prospecting', 'sales', 'B2B data'],
  version: '0.1.0',
  maturity: 'beta',
  connections: [apiKey],
  steps: [
    enrichContacts,
    findContact,
    searchContacts,
    enrichCompanies,
    findCompany,
    searchCompanies,
    revealContacts,
    accountUsage,
  ],
  toolSets: [
    {
      id: 'core',
      title: 'Core',
      purpose: 'Find, search and complete people and companies.',
      steps: [
        'enrich-contacts',
        'find-contact',
        'search-contacts',
        'enrich-companies',
        'find-company',
        'search-companies',
      ],
    },
    {
      id: 'people',
      title: 'People',
      purpose: 'Find, search, complete and reveal people, and see what is left to pay with.',
      steps: ['enrich-contacts', 'find-contact', 'search-contacts', 'reveal-contacts', 'account-usage'],
    },
  ],
  prompts: async () => (await import('./prompts.ts')).prompts,
  apiCall,
  wire,
  profiles: { 'lusha-v3': lushaV3, 'lusha-v2': lushaV2, 'people-data-labs': peopleDataLabs, apollo, hunter },
})
