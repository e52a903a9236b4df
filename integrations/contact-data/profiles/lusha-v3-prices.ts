import type { PricePart } from '#kit'

/** What version 3 charges, in credits, and where an answer says what it charged. */

export const perField: PricePart[] = [
  { per: 'match', credits: 1, wanted: 'emails' },
  { per: 'match', credits: 5, wanted: 'phones' },
]
export const perResults: PricePart = { per: 'results', credits: 1, of: 25 }
/** A search by signals is charged for each of them that a result has. */
export const perSignal: PricePart = { per: 'match', credits: 1, each: 'signal' }
export const billed = { path: 'billing.creditsCharged' }
