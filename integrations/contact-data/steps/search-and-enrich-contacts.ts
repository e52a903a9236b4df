import { defineStep, keySets, manyAgentFields, pageCursor, personRecord, z } from '#kit'
import { searchedOutput } from '../enrich.ts'
import { contactFilterFields } from '../filter-fields.ts'
import { reveal, revealSpec, waterfallReveal } from '../inputs.ts'
import { mostRevealed, searchAndEnrich } from '../search-and-enrich.ts'
import { contactSearch, contactSets, contactSpecs } from '../search-inputs.ts'

export default defineStep({
  id: 'search-and-enrich-contacts',
  title: 'Search and Enrich Contacts',
  group: 'Contacts',
  purpose:
    'Finds people by their work and reveals how to reach them, in one step; the search and each person revealed are charged. A failure for one person does not affect the others.',
  keywords: ['prospecting', 'leads', 'search and reveal', 'e-mail addresses', 'phone numbers', 'find and enrich'],
  icon: 'person-search',
  effect: 'read',
  cost: { unit: 'credit', per: 'match', typical: [1, 7] },
  input: () =>
    keySets(
      z.strictObject({
        ...contactSearch(),
        reveal: reveal().optional(),
        waterfallReveal: waterfallReveal().optional(),
        limit: mostRevealed('people'),
        cursor: pageCursor(),
      }),
      contactSets(),
    ),
  output: () => searchedOutput(personRecord()),
  agentFields: [...manyAgentFields('person', []), 'charged', 'total', 'next'],
  fields: { ...contactSpecs, reveal: revealSpec, waterfallReveal: { rare: true } },
  endpoints: ['search-contacts', 'reveal-contacts'],
  run: (ctx, { reveal: fieldsToReveal, waterfallReveal: isWaterfall, ...query }) =>
    searchAndEnrich(
      ctx,
      { search: 'search-contacts', reveal: 'reveal-contacts', id: 'personId', fields: contactFilterFields() },
      query,
      { reveal: fieldsToReveal, waterfallReveal: isWaterfall },
    ),
})
