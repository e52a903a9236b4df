import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

/** People and companies of the sandboxes. */
export const { people, companies } = createDataSet()

const isKnown = ({ knownTo, workEmail }: (typeof people)[number]) =>
  knownTo.includes('contact') && workEmail !== undefined

/** People whom the sandbox of contacts knows by address. */
export const knownPeople = people.filter((person) => isKnown(person) && !person.suppressed)
export const knownEmails = knownPeople.map(({ workEmail }) => workEmail!)
/** A person whom it does not show. */
export const optedOut = people.find((person) => isKnown(person) && person.suppressed)!

/** A person whom both data providers know by every identifier. */
export const someone = knownPeople.find(
  ({ knownTo, linkedinSlug, company }) =>
    knownTo.length === 2 && linkedinSlug && company.abn && company.knownTo.length === 2,
)!
