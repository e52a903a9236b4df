import { defineIntegration } from '#kit'
import { apiCall } from './api-call.ts'
import { apiKey } from './connections.ts'
import { events } from './events.ts'
import { apollo } from './profiles/apollo.ts'
import { hunter } from './profiles/hunter.ts'
import { lushaV2 } from './profiles/lusha-v2.ts'
import { lushaV3 } from './profiles/lusha-v3.ts'
import { peopleDataLabs } from './profiles/people-data-labs.ts'
import accountUsage from './steps/account-usage.ts'
import enrichCompanies from './steps/enrich-companies.ts'
import enrichContacts from './steps/enrich-contacts.ts'
import findBuyingGroup from './steps/find-buying-group.ts'
import findCompany from './steps/find-company.ts'
import findContact from './steps/find-contact.ts'
import findLookalikeCompanies from './steps/find-lookalike-companies.ts'
import findLookalikeContacts from './steps/find-lookalike-contacts.ts'
import getCompanySignals from './steps/get-company-signals.ts'
import getContactSignals from './steps/get-contact-signals.ts'
import getWebsiteVisits from './steps/get-website-visits.ts'
import listFilterValues from './steps/list-filter-values.ts'
import revealCompanies from './steps/reveal-companies.ts'
import revealContacts from './steps/reveal-contacts.ts'
import scoreCompanies from './steps/score-companies.ts'
import scoreContacts from './steps/score-contacts.ts'
import searchAndEnrichCompanies from './steps/search-and-enrich-companies.ts'
import searchAndEnrichContacts from './steps/search-and-enrich-contacts.ts'
import searchCompanies from './steps/search-companies.ts'
import searchContacts from './steps/search-contacts.ts'
import companySignal from './triggers/company-signal.ts'
import contactSignal from './triggers/contact-signal.ts'
import { wire } from './wire.ts'
import { words } from './words.ts'

export default defineIntegration({
  id: 'contact-data',
  title: 'Contact data',
  summary:
    'Contact and company data worldwide: enrich many records, find one, search by criteria. Made by the platform operator, not by the data provider.',
  keywords: ['Lusha', 'Apollo', 'Hunter', 'People Data Labs', 'leads', 'prospecting', 'sales', 'B2B data'],
  version: '0.2.0',
  maturity: 'beta',
  connections: [apiKey],
  steps: [
    enrichContacts,
    findContact,
    searchContacts,
    enrichCompanies,
    findCompany,
    searchCompanies,
    searchAndEnrichContacts,
    searchAndEnrichCompanies,
    revealContacts,
    revealCompanies,
    findLookalikeContacts,
    findLookalikeCompanies,
    findBuyingGroup,
    getWebsiteVisits,
    getContactSignals,
    getCompanySignals,
    scoreContacts,
    scoreCompanies,
    listFilterValues,
    accountUsage,
  ],
  triggers: [contactSignal, companySignal],
  events,
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
    {
      id: 'prospecting',
      title: 'Prospecting',
      purpose: 'Find more people and companies from those you know, and who decides in a company.',
      steps: [
        'list-filter-values',
        'search-contacts',
        'search-companies',
        'search-and-enrich-contacts',
        'search-and-enrich-companies',
        'get-contact-signals',
        'get-company-signals',
        'score-contacts',
        'score-companies',
        'find-lookalike-contacts',
        'find-lookalike-companies',
        'find-buying-group',
        'get-website-visits',
        'reveal-contacts',
        'reveal-companies',
      ],
    },
  ],
  prompts: async () => (await import('./prompts.ts')).prompts,
  apiCall,
  words,
  wire,
  profiles: { 'lusha-v3': lushaV3, 'lusha-v2': lushaV2, 'people-data-labs': peopleDataLabs, apollo, hunter },
})
