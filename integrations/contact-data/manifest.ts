import { defineIntegration, secretText, z } from '#kit'
import type { ConnectionType } from '#kit'
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
  help: 'Open the settings of the provider account, go to API and integrations, copy the key and paste it here.',
}

export default defineIntegration({
  id: 'contact-data',
  title: 'Contact data',
  summary: 'Contact and company data worldwide: enrich many records, find one, search by criteria.',
  version: '0.1.0',
  maturity: 'beta',
  connections: [apiKey],
  steps: [enrichContacts, findContact, searchContacts, enrichCompanies, findCompany, searchCompanies, revealContacts, accountUsage],
  apiCall: { methods: ['GET', 'POST'], under: '/', deny: [] },
  wire,
  profiles: { 'lusha-v3': lushaV3, 'lusha-v2': lushaV2, 'people-data-labs': peopleDataLabs, apollo, hunter },
})
