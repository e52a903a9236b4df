/** Finds single records, and writes misses in the chosen form. */
import type { Company, Person } from '../people/data-set.ts'
import type { Problem } from './check.ts'
import type { Answer } from './faults.ts'
import { charge } from './world.ts'
import type { NoMatchForm, World } from './world.ts'

const same = (left: string, right: string) =>
  left.normalize('NFC').toLowerCase() === right.normalize('NFC').toLowerCase()

export const hasCompanyName = (company: Company, text: string): boolean =>
  same(company.name, text) || same(company.legalName, text) || same(company.domain, text)

export const personByEmail = (world: World, email: string): Person | undefined =>
  world.people.find(({ workEmail, personalEmail }) => same(workEmail ?? '', email) || same(personalEmail ?? '', email))

export const personBySlug = (world: World, slug: string): Person | undefined =>
  world.people.find(({ linkedinSlug }) => same(linkedinSlug ?? '', slug))

export const personByName = (world: World, first: string, last: string, company: string): Person | undefined =>
  world.people.find(
    (person) => same(person.firstName, first) && same(person.lastName, last) && hasCompanyName(person.company, company),
  )

export const companyByDomain = (world: World, domain: string): Company | undefined =>
  world.companies.find((company) => same(company.domain, domain.replace(/^www\./i, '')))

export const companyBySlug = (world: World, slug: string): Company | undefined =>
  world.companies.find((company) => same(company.linkedinSlug, slug) || company.linkedinId === slug)

export const companyByAbn = (world: World, abn: string): Company | undefined =>
  world.companies.find((company) => company.abn === abn)

export const companyByName = (world: World, name: string): Company | undefined =>
  world.companies.find((company) => same(company.name, name) || same(company.legalName, name))

const markers: [marker: string, form: NoMatchForm][] = [
  ['miss-null', 'null'],
  ['miss-object', 'object'],
  ['miss-list', 'list'],
  ['miss-404', '404'],
  ['miss-500', '500'],
]

/** The form that an identifier names ("miss-500@field.example"), otherwise the current form. */
export const noMatchForm = (world: World, identifiers: string[]): NoMatchForm =>
  markers.find(([marker]) => identifiers.some((text) => text.toLowerCase().includes(marker)))?.[1] ?? world.noMatch

/**
 * The answer for each form of a miss. `error`: this provider's body of a 404; a 500 has the same body for both
 * providers.
 */
export const noMatchAnswer = (form: NoMatchForm, message: string, error: unknown): Answer => {
  const answers: Record<NoMatchForm, Answer> = {
    null: { status: 200, body: null },
    object: { status: 200, body: {} },
    list: { status: 200, body: [] },
    '404': { status: 404, body: { error } },
    '500': { status: 500, body: { error: message } },
  }
  return answers[form]
}

export const noCredits = (world: World, needed: number): Problem => ({
  status: 402,
  code: 'NO_CREDITS',
  message: `The account has ${world.credits.remaining} credits left and this needs ${needed}.`,
})

export const optedOut: Problem = { status: 451, code: 'SUPPRESSED', message: 'This person opted out of this service.' }

/** The result of a handler: an answer and its cost, or a problem, which costs nothing. */
export type Handled = { ok: true; answer: Answer; credits: number } | { ok: false; problem: Problem }

/**
 * One paid lookup: refused without credits; 451 for people who opted out; otherwise a match, which is charged, or a
 * free miss. An account without credits is refused before the lookup, because it could not pay for a match.
 */
export const lookUp = <T extends Person | Company>(
  world: World,
  lookup: {
    record: T | undefined
    cost: (record: T) => number
    render: (record: T, cost: number) => unknown
    miss: () => Answer
  },
): Handled => {
  if (world.credits.remaining < 1) return { ok: false, problem: noCredits(world, 1) }
  const { record } = lookup
  if (record === undefined) {
    world.counters.misses += 1
    return { ok: true, answer: lookup.miss(), credits: 0 }
  }
  if ('suppressed' in record && record.suppressed) {
    world.counters.suppressed += 1
    return { ok: false, problem: optedOut }
  }
  const credits = lookup.cost(record)
  if (credits > world.credits.remaining) return { ok: false, problem: noCredits(world, credits) }
  world.counters.matches += 1
  charge(world, credits)
  return { ok: true, answer: { status: 200, body: lookup.render(record, credits) }, credits }
}

/** Costs 1 credit, or 2 when the record has a phone number. */
export const personCost = (person: Person): number => (person.phones.length > 0 ? 2 : 1)
