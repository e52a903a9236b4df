import {
  completeSets,
  defineStep,
  keySets,
  linkedinPersonSlug,
  linkedinPersonUrl,
  lookupAgentFields,
  lookupOutput,
  normalisedText,
  normaliseEmail,
  personRecord,
  z,
} from '#kit'
import { country, personId, requireSame, specs } from '../inputs.ts'

/** Identifier sets, strongest first. */
const identifiers = [['personId'], ['linkedinUrl'], ['linkedinSlug'], ['email']]

export default defineStep({
  id: 'people-enrichment',
  title: 'People Enrichment',
  group: 'Enrichment',
  purpose:
    'Returns e-mail addresses, phone numbers and work details of one known person in Australia or New Zealand; no match is a result, not an error.',
  keywords: [
    'contact',
    'lead',
    'e-mail finder',
    'phone',
    'profile',
    'enrich person',
    'work e-mail address',
    'phone number',
    'who is',
  ],
  icon: 'person-enrich',
  effect: 'read',
  version: '1.1',
  cost: { unit: 'credit', per: 'match', typical: [1, 2] },
  input: () =>
    keySets(
      z.strictObject({
        linkedinUrl: normalisedText(linkedinPersonUrl).optional().meta({
          title: 'LinkedIn address',
          description: 'Address of the LinkedIn profile.',
        }),
        linkedinSlug: normalisedText(linkedinPersonSlug).optional().meta({
          title: 'LinkedIn slug',
          description: 'Last part of that address, such as name-123.',
        }),
        email: normalisedText(normaliseEmail)
          .optional()
          .meta({ title: 'E-mail', description: 'Work or private e-mail address.' }),
        personId: personId().optional(),
        country: country('Country of the person.').optional(),
      }),
      identifiers,
    ),
  output: () => lookupOutput(personRecord()),
  agentFields: lookupAgentFields('person'),
  fields: {
    linkedinUrl: { placeholder: 'https://www.linkedin.com/in/mia-example' },
    linkedinSlug: { placeholder: 'mia-example' },
    email: { placeholder: 'mia@example.com.au' },
    country: specs.country,
  },
  lookup: 'person',
  endpoints: ['enrich-person'],
  async run(ctx, { linkedinUrl, linkedinSlug, email, personId: id, country: land }) {
    if (linkedinUrl !== undefined && linkedinSlug !== undefined) {
      const slug = linkedinPersonSlug(linkedinUrl)
      requireSame('linkedinSlug', 'linkedinUrl', linkedinSlug, slug.ok ? slug.value : linkedinSlug)
    }
    const personFields = {
      personId: id,
      linkedinUrl,
      linkedinSlug: linkedinUrl === undefined ? linkedinSlug : undefined,
      email,
    }
    return ctx.lookup(
      'enrich-person',
      completeSets(personFields, identifiers),
      land === undefined ? {} : { country: land },
    )
  },
})
