/** What people and companies did, in v3: signals, scores by signals, and visits of websites. */
import type { Handled } from '../../lookups/find.ts'
import type { Handler } from '../../lookups/server.ts'
import { all, formed, integer, list, number, object, oneOf, readShape, text } from '../../lookups/shape.ts'
import type { Shape } from '../../lookups/shape.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { billEach } from '../lusha/billing.ts'
import {
  companyId,
  contactId,
  email,
  findCompany,
  findPerson,
  identifierShapes,
  identifies,
  requestId,
} from '../lusha/find.ts'
import type { Identifiers } from '../lusha/find.ts'
import { fullNameOf } from '../lusha/values.ts'
import { companyPreview, companyRef } from './records.ts'

type Item = Identifiers & { clientReferenceId?: string; name?: string; domain?: string }

/** Signals that are active depend on nothing but the id: every fifth record has none, and some no score. */
export const signalsOf = (id: string, kinds: string[]): string[] =>
  Number(id) % 5 === 0 ? [] : kinds.filter((_, at) => (Number(id) + at) % 2 === 0)
const hasScore = (id: string) => Number(id) % 11 !== 0

const scored = (id: string, kinds: string[]) => {
  const signalTypes = signalsOf(id, kinds)
  return {
    signalScore: Math.round((signalTypes.length / kinds.length) * 100) / 100,
    signalTypes,
    noActiveSignals: signalTypes.length === 0,
  }
}
const contactKinds = ['promotion', 'companyChange', 'websiteVisit']
const companyKinds = ['hiringSignalIncrease', 'websiteVisit', 'itSpendIncrease', 'headcountIncrease3m']

type Scores = {
  what: string
  action: string
  look(world: World, item: Item): { id: string; shown: object } | undefined
}

const scores =
  (name: 'contacts' | 'companies', item: Shape, { what, action, look }: Scores): Handler =>
  ({ world, body }): Handled => {
    const read = readShape<Record<string, Item[]>>(object({ [name]: list(item, 1, 100) }, { required: [name] }), body)
    if (!read.ok) return read
    const results = read.value[name]!.map((wanted) => {
      const { clientReferenceId, id, domain, name: companyName } = wanted
      const record = look(world, wanted)
      const known = clientReferenceId === undefined ? {} : { clientReferenceId }
      if (record !== undefined && hasScore(record.id)) return { ...known, ...record.shown }
      const echoed = { ...(id === undefined ? {} : { id }), ...(domain === undefined ? {} : { domain }) }
      const error =
        record === undefined
          ? { code: 'NOT_FOUND', message: `${what} not found` }
          : { code: 'NO_SCORE', message: `${what} has no score` }
      return { ...known, ...echoed, ...(companyName === undefined ? {} : { name: companyName }), error }
    })
    const count = results.filter((result) => !('error' in result)).length
    const billed = billEach(world, count, action)
    if (!billed.ok) return billed
    const answer = {
      requestId: requestId(world),
      results,
      billing: { creditsCharged: billed.credits, resultsReturned: count },
    }
    return { ok: true, answer: { status: 200, body: answer }, credits: billed.credits }
  }

const reference = text
const contactItem = all(object({ clientReferenceId: reference, id: text, ...identifierShapes }), (value, at) =>
  identifies(value as Identifiers)
    ? undefined
    : { at, message: `${at} must have one of: id, linkedinUrl, email, or a name with a company` },
)
const companyItem = all(
  object({ clientReferenceId: reference, id: text, domain: text, name: text, email }),
  (value, at) =>
    ['id', 'domain', 'name', 'email'].filter((name) => name in (value as object)).length === 1
      ? undefined
      : { at, message: `${at} must have exactly one of: id, domain, name, email` },
)

export const scoreContacts = scores('contacts', contactItem, {
  what: 'Contact',
  action: 'signalScoreContact',
  look: (world, item) => {
    const person: Person | undefined = findPerson(world, item)
    if (person === undefined || person.suppressed) return undefined
    const id = contactId(person)
    const shown = { id, fullName: fullNameOf(person), company: companyRef(person.company), ...scored(id, contactKinds) }
    return { id, shown }
  },
})
export const scoreCompanies = scores('companies', companyItem, {
  what: 'Company',
  action: 'signalScoreCompany',
  look: (world, { email: address, ...item }) => {
    const company = findCompany(world, address === undefined ? item : { domain: address.split('@')[1]! })
    if (company === undefined) return undefined
    const id = companyId(company)
    return { id, shown: { ...companyRef(company), ...scored(id, companyKinds) } }
  },
})

const day = formed(
  'a date such as 2026-03-31',
  (value) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
  400,
)
const dayMs = 86_400_000
const bands = ['cold', 'warm', 'hot'] as const
const numbers = object({ min: number, max: number })
const countries = list(text, 0)
type VisitsRequest = {
  domains: string[]
  startDate: string
  endDate: string
  pagination: { page: number; size: number }
  sort?: { by?: string; order?: 'asc' | 'desc' }
  filters?: {
    scoreBands?: string[]
    visitorCountries?: { include?: string[]; exclude?: string[] }
  } & { [name: string]: { min?: number; max?: number } }
}
const ranged = [
  'score',
  'totalSessions',
  'avgSessionMinutes',
  'uniqueVisitors',
  'daysVisited',
  'highIntentPageviews',
  'daysSinceLastVisit',
]
const visitsShape = all(
  object(
    {
      domains: list(text),
      startDate: day,
      endDate: day,
      pagination: object({ page: integer(0, 1_000_000), size: integer(1, 150) }, { required: ['page', 'size'] }),
      sort: object({ by: oneOf(...ranged, 'lastVisit'), order: oneOf('asc', 'desc') }),
      filters: object({
        scoreBands: list(oneOf(...bands), 0),
        visitorCountries: object({ include: countries, exclude: countries }),
        ...Object.fromEntries(ranged.map((name) => [name, numbers])),
      }),
    },
    { required: ['domains', 'startDate', 'endDate', 'pagination'] },
  ),
  (value) => {
    const { domains, startDate, endDate } = value as VisitsRequest
    const untracked = domains.find((domain) => domain.toLowerCase() !== trackedDomain)
    if (untracked !== undefined) return { at: 'domains', message: `domain ${untracked} is not configured for tracking` }
    const days = (Date.parse(endDate) - Date.parse(startDate)) / dayMs
    return days >= 0 && days <= 92 ? undefined : { at: 'endDate', message: 'the date range must be at most 3 months' }
  },
)

/** The only website that the account tracks. */
export const trackedDomain = 'shop.example'

/** Visits depend on nothing but the company: two of three companies were there. */
const visitOf = (world: World, company: Company, endDate: string) => {
  const seed = Number(companyId(company))
  const score = seed % 101
  const daysSinceLastVisit = seed % 7
  return {
    ...companyPreview(world, company),
    score,
    scoreBand: bands[score < 34 ? 0 : score < 67 ? 1 : 2],
    totalSessions: 1 + (seed % 13),
    uniqueVisitors: 1 + (seed % 5),
    avgSessionMinutes: 1 + (seed % 8) / 2,
    daysVisited: 1 + (seed % 4),
    highIntentPageviews: seed % 6,
    daysSinceLastVisit,
    lastVisit: new Date(Date.parse(endDate) - daysSinceLastVisit * dayMs).toISOString().slice(0, 10),
    visitorCountry: company.place.country,
  }
}
type Visit = ReturnType<typeof visitOf>
const valueOf = (visit: Visit, name: string) => Number((visit as Record<string, unknown>)[name])

const fits = (
  visit: Visit,
  { scoreBands = [], visitorCountries = {}, ...ranges }: NonNullable<VisitsRequest['filters']>,
) => {
  const { include = [], exclude = [] } = visitorCountries
  return (
    (scoreBands.length === 0 || scoreBands.includes(visit.scoreBand!)) &&
    (include.length === 0 || include.includes(visit.visitorCountry)) &&
    !exclude.includes(visit.visitorCountry) &&
    Object.entries(ranges).every(
      ([name, { min = 0, max = Number.POSITIVE_INFINITY }]) =>
        valueOf(visit, name) >= min && valueOf(visit, name) <= max,
    )
  )
}

export const websiteVisits: Handler = ({ world, body }) => {
  const read = readShape<VisitsRequest>(visitsShape, body)
  if (!read.ok) return read
  const { endDate, pagination, sort = {}, filters = {} } = read.value
  const { page, size } = pagination
  const { by = 'score', order = 'desc' } = sort
  const visits = world.companies
    .filter((company) => Number(companyId(company)) % 3 !== 0)
    .map((company) => visitOf(world, company, endDate))
    .filter((visit) => fits(visit, filters))
    .toSorted((a, b) => (valueOf(a, by) - valueOf(b, by)) * (order === 'asc' ? 1 : -1))
  const results = visits.slice(page * size, (page + 1) * size)
  const answer = {
    requestId: requestId(world),
    results,
    pagination: { page, size, total: visits.length },
    billing: { creditsCharged: 0, resultsReturned: results.length },
  }
  return { ok: true, answer: { status: 200, body: answer }, credits: 0 }
}
