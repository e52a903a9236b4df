import { defineStep, words, z } from '#kit'
import { filterLists, filterNames, filterValue, valuesOf } from '../filter-values.ts'

const searched = filterNames.filter((name) => 'isSearched' in filterLists[name])

export default defineStep({
  id: 'list-filter-values',
  title: 'List Filter Values',
  group: 'Contacts',
  purpose:
    'Lists the values that a filter of Search Contacts or Search Companies accepts, such as industries or seniorities; a search with other values finds nothing. Listing is free.',
  keywords: [
    'industries',
    'seniorities',
    'departments',
    'technologies',
    'intent topics',
    'SIC',
    'NAICS',
    'allowed values',
  ],
  icon: 'list',
  effect: 'read',
  input: () =>
    z.strictObject({
      filter: z.enum(filterNames).meta({ title: 'Filter', description: 'The filter whose values to list.' }),
      query: words('Text', 'Only values that contain this text.')
        .max(256)
        .optional()
        .meta({
          title: 'Text',
          description: `Only values that contain this text; required for ${searched.join(', ')}.`,
        }),
      limit: z
        .int()
        .min(1)
        .max(1000)
        .default(100)
        .meta({ title: 'Limit', description: 'How many values to show, 1 to 1000.' }),
    }),
  output: () =>
    z.object({
      fields: z.array(z.string()).meta({ description: 'Names of the filter fields that accept these values.' }),
      values: z.array(filterValue()),
      total: z.int().meta({ description: 'How many values there are; a text narrows them down.' }),
    }),
  fields: {
    filter: { labels: Object.fromEntries(filterNames.map((name) => [name, filterLists[name].title])) },
    query: { placeholder: 'soft' },
    limit: { placeholder: '100' },
  },
  // Every profile that has lists has this one.
  endpoints: ['contact-seniorities'],
  async run(ctx, { filter, query, limit }) {
    const values = await valuesOf(ctx, filter, query)
    return { fields: filterLists[filter].fields, values: values.slice(0, limit), total: values.length }
  },
})
