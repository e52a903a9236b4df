import type { FieldSpec } from '#kit'
import { normaliseDomain, normaliseRevenueBand, normalisedText, normaliseSizeBand, words, z } from '#kit'
import { country } from './inputs.ts'

/** Filters of both searches; a profile whose provider does not support a filter does not offer it. */
export const domain = (title: string, description: string) =>
  normalisedText(normaliseDomain).meta({ title, description })
export const size = (title: string, description: string) =>
  normalisedText(normaliseSizeBand).meta({ title, description: `${description} Such as "11-50" or "10001+".` })
/** Form settings of the filters. */
export const filterSpecs = {
  location: { placeholder: 'Auckland' },
  industry: { placeholder: 'Software' },
  country: { placeholder: 'NZ' },
  revenue: { placeholder: '1000000-10000000' },
  technologies: { placeholder: 'PostgreSQL' },
  limit: { placeholder: '25' },
} satisfies Record<string, FieldSpec>
export const companyFilters = () => ({
  country: country('Country to search in.').optional(),
  revenue: normalisedText(normaliseRevenueBand).optional().meta({
    title: 'Revenue',
    description: 'Yearly revenue in US dollars, such as "1000000-10000000" or "1000000000+".',
  }),
  technologies: z
    .array(words('Technology', 'Name of one technology.'))
    .min(1)
    .max(25)
    .optional()
    .meta({ title: 'Technologies', description: 'Technologies that the company uses, by name.' }),
})
