import { z } from '#kit'

/** Fields of the signal triggers: whom to watch, and for which signals. */

/** How many ids a subscription can name; a stored list can have more. */
const maxWatched = 100

export const watchedIds = (what: 'people' | 'companies', description: string) =>
  z
    .array(z.string().trim().min(1).max(255))
    .min(1, { error: `Name the ${what} to watch.` })
    .max(maxWatched, {
      error: `At most ${maxWatched} ${what} can be named here. Store a list of up to 10,000 ${what}, and watch that list.`,
    })
    .optional()
    .meta({ title: what === 'people' ? 'People' : 'Companies', description: `${description} 1 to ${maxWatched}.` })

/** The stored list whose rows are watched. */
export const watchedListName = (what: 'people' | 'companies') =>
  z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .meta({
      title: what === 'people' ? 'List of people' : 'List of companies',
      description: `Name or id of a stored list of up to 10,000 ${what}, made from a search, a file or cards of a board. Rows that have the provider's id are watched; changes to the list are followed.`,
    })

/** The columns of a stored list that may have the provider's id. */
export const idColumns = { people: ['personId', 'contactId', 'id'], companies: ['companyId', 'id'] }

export const signalsField = (types: readonly string[]) =>
  z
    .array(z.enum(types as [string, ...string[]]))
    .optional()
    .meta({
      title: 'Signals',
      description:
        'Only signals of these types; leave empty for every type. Each signal costs a credit at the provider.',
    })

/** The event types that a configuration selects; all when it names none. */
export const selectedTypes =
  (types: readonly string[]) =>
  ({ signals }: { signals?: string[] | undefined }): string[] =>
    signals === undefined || signals.length === 0 ? [...types] : signals

export const signalDay = () =>
  z.string().optional().meta({ description: 'The day that the provider gives for it, such as 2026-01-31.' })
export const signalCredits = () => z.number().meta({ description: 'Credits that the provider charged for the signal.' })
export const signalDetails = () =>
  z.looseObject({}).meta({ description: "The provider's own fields of the signal, unchanged." })
