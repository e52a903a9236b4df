/** Requests for signals in v3, the types of signals, and the values that filter the signals of companies. */
import type { Handled } from '../../lookups/find.ts'
import type { Handler } from '../../lookups/server.ts'
import { formed, integer, list, object, oneOf, readShape, text } from '../../lookups/shape.ts'
import type { Shape } from '../../lookups/shape.ts'
import type { World } from '../../lookups/world.ts'
import { billEach } from '../lusha/billing.ts'
import { companyId, contactId, findCompany, findPerson } from '../lusha/find.ts'
import { departments, fullNameOf, hostOf, linkedinOf, locationsLike } from '../lusha/values.ts'
import { signalsOf } from './activity.ts'
import { filterTypes, filterValues, listed, queried } from './prospecting.ts'
import type { ValueList } from './prospecting.ts'
import { companySignal, includes, signalTypes } from './webhooks/signals.ts'

const day = formed('a date', (value) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)), 400)
const dayMs = 86_400_000
const dayText = (at: number) => new Date(at).toISOString().slice(0, 10)

type Request = {
  ids: string[]
  signalTypes: string[]
  startDate?: string
  maxResultsPerSignal?: number
  filters?: { include?: { intentCategories?: string[] } }
}
type SignalQuery = { types: string[]; startDate: string; most: number; categories: string[] | undefined }
/** A record and its signals; undefined for a record that is unknown or has opted out. */
type Look = (
  world: World,
  id: string,
  query: SignalQuery,
) => { shown: object; signals: Record<string, object[]> } | undefined

const shapeOf = (what: 'contact' | 'company', more: Record<string, Shape>) =>
  object(
    {
      ids: list(text, 1, 100),
      signalTypes: list(oneOf(...signalTypes[what])),
      startDate: day,
      maxResultsPerSignal: integer(1, 100),
      ...more,
    },
    { required: ['ids', 'signalTypes'] },
  )

const handler =
  (shape: Shape, action: string, look: Look): Handler =>
  ({ world, body }): Handled => {
    const read = readShape<Request>(shape, body)
    if (!read.ok) return read
    const { ids, signalTypes: types, startDate = dayText(world.now() - 180 * dayMs), filters } = read.value
    const query = {
      types,
      startDate,
      most: read.value.maxResultsPerSignal ?? 100,
      categories: filters?.include?.intentCategories,
    }
    const looked = ids.flatMap((id) => look(world, id, query) ?? [])
    const matched = looked.flatMap(({ signals }) => Object.values(signals)).filter(({ length }) => length > 0)
    const billed = billEach(world, matched.length, action)
    if (!billed.ok) return billed
    const answer = {
      results: looked.map(({ shown, signals }) => ({ ...shown, ...signals })),
      startDate,
      endDate: dayText(world.now()),
      billing: { creditsCharged: billed.credits, resultsReturned: looked.length },
    }
    return { ok: true, answer: { status: 200, body: answer }, credits: billed.credits }
  }

/** Every signal happened a week ago, and another of its kind a month ago. */
const dates = (world: World, { startDate, most }: SignalQuery) =>
  [7, 30]
    .map((days) => dayText(world.now() - days * dayMs))
    .filter((date) => date >= startDate)
    .slice(0, most)

const signalsByKind = (
  world: World,
  id: string,
  kinds: string[],
  query: SignalQuery,
  make: (type: string, date: string, count: number) => object | undefined,
): Record<string, object[]> => {
  const active = signalsOf(id, kinds)
  const requestedKinds = kinds.filter((kind) => includes(query.types, kind))
  return Object.fromEntries(
    requestedKinds.map((type) => [
      type,
      active.includes(type) ? dates(world, query).flatMap((date, count) => make(type, date, count) ?? []) : [],
    ]),
  )
}

const kindsOf = (what: 'contact' | 'company') => signalTypes[what].slice(1)

export const contactSignals = handler(shapeOf('contact', {}), 'showSignalsContact', (world, id, query) => {
  const person = findPerson(world, { id })
  if (person === undefined || person.suppressed) return undefined
  const previous = world.companies.find((company) => company.id !== person.company.id)!
  const signals = signalsByKind(world, id, kindsOf('contact'), query, (type, signalDate) =>
    type === 'promotion'
      ? { id, signalDate, newTitle: person.title }
      : { id, signalDate, previousCompany: previous.name, newCompany: person.company.name },
  )
  return { shown: { id }, signals }
})

const category = 'Technology'
const intent = (world: World, id: string, date: string, categories: string[] | undefined) => {
  const author = world.people.find((person) => !person.suppressed && companyId(person.company) === id)
  if (author === undefined || (categories !== undefined && !categories.includes(category))) return undefined
  return {
    companyId: Number(id),
    activityPublicationDate: date,
    signalCategory: 'Technology or Stack Discussion',
    intentTopics: [{ topic: 'Cloud Security', category }],
    author: {
      id: contactId(author),
      fullName: fullNameOf(author),
      ...(author.linkedinSlug === undefined ? {} : { linkedinUrl: linkedinOf('in', author.linkedinSlug) }),
    },
    contactsMentioned: [],
    companiesMentioned: [],
    activityUrl: `https://posts.example/${id}`,
    activitySummary: null,
    activityLikes: 4,
    activityComments: 1,
    activityShares: 0,
    activityType: 'post',
  }
}

const categoryNames = list(text)
export const companySignals = handler(
  shapeOf('company', { filters: object({ include: object({ intentCategories: categoryNames }) }) }),
  'showSignalsCompany',
  (world, id, query) => {
    const company = findCompany(world, { id })
    if (company === undefined) return undefined
    const signals = signalsByKind(world, id, kindsOf('company'), query, (type, date, count) =>
      type === 'linkedinActivityIntent'
        ? intent(world, id, date, query.categories)
        : companySignal(company, type, date, count),
    )
    return { shown: { id, companyName: company.name, domain: hostOf(company) }, signals }
  },
)

const types =
  (what: 'contact' | 'company'): Handler =>
  () => ({ ok: true, answer: { status: 200, body: { signalTypes: signalTypes[what] } }, credits: 0 })

const signalLists: Record<string, ValueList> = {
  newsEventTypes: listed(['partnership', 'expansion', 'funding']),
  hiringByDepartments: listed(departments),
  hiringByLocations: queried((_world, query) => locationsLike(query).map(({ country, state }) => ({ country, state }))),
  intentCategories: { ...listed([category, 'Business']), whole: true },
}

export const contactSignalTypes = types('contact')
export const companySignalTypes = types('company')
export const signalFilterTypes = filterTypes(signalLists)
export const signalFilterValues = filterValues(signalLists)
