import { z } from '#kit'
import { askedProvider, companyAnswer, lookupOrder, personAnswer } from '../../../api/resources/lookup-answer.ts'
import type { Kind } from './record-fields.ts'

/** Schema of the result of a lookup at several providers. */
export const lookupOutputOf = (kind: Kind) => (kind === 'person' ? personAnswer() : companyAnswer())

/** Input fields of a lookup besides its identifiers. */
export const lookupOptions = (fields: [string, ...string[]]) => ({
  want: z.array(z.enum(fields)).min(1).max(50).meta({
    title: 'Wanted',
    description: 'Fields to fill; the next provider is asked only while one is empty. A landline is no "mobilePhone".',
  }),
  providers: z.array(askedProvider()).min(1).max(20).optional().meta({
    title: 'Providers',
    description: 'Providers in the order to ask them; absent: all that are connected, the cheapest first.',
  }),
  order: lookupOrder().optional().meta({
    title: 'Order',
    description: 'expected-cost: asks in the order that earlier lookups suggest; needs maxCredits.',
  }),
  maxCredits: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .meta({ title: 'Most credits', description: 'The most that the lookup may cost in all.' }),
  maxAge: z
    .int()
    .min(0)
    .max(315_360_000)
    .optional()
    .meta({ title: 'Maximum age', description: 'How old a stored result may be, in seconds; 0 asks the providers.' }),
  refresh: z.boolean().optional().meta({
    title: 'Refresh',
    description: 'true: asks the providers, and stores their answers in place of the stored ones.',
  }),
})
