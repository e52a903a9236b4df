import { fail, failField, z } from '#kit'
import type { StepContext } from '#kit'

/** Lists of the values that a provider accepts in search filters. */

const text = (description: string) => z.string().optional().meta({ description })
export const filterValue = () =>
  z.object({
    value: z.string().meta({ description: 'The value, as a filter accepts it.' }),
    label: text('What the value stands for, if it is a code.'),
    city: text('City of a place, for the field "city" or, of an employer, "companyCity".'),
    state: text('State of a place, as its field accepts it.'),
    country: text('Country of a place, as its field accepts it.'),
    continent: text('Continent of a place, as its field accepts it.'),
  })
export type FilterValue = z.output<ReturnType<typeof filterValue>>

type Item = { [name: string]: unknown }
type Read = (item: unknown) => FilterValue[]

const partsOf = (item: unknown): Item => (typeof item === 'object' && item !== null ? (item as Item) : {})
const textIn = (value: unknown): string | undefined =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '') ? String(value) : undefined
const firstOf = (item: Item, names: string[]) =>
  names.map((name) => textIn(item[name])).find((value) => value !== undefined)

/** A text or number, or an object that names its value under one of `names`. */
const readFrom =
  (names: string[], labels: string[] = []): Read =>
  (item) => {
    const value = textIn(item) ?? firstOf(partsOf(item), names)
    const label = firstOf(partsOf(item), labels)
    return value === undefined ? [] : [{ value, ...(label === undefined ? {} : { label }) }]
  }
const readName = readFrom(['name', 'value', 'label'])
const readCode = readFrom(['code', 'id', 'value'], ['description', 'name', 'label'])

const readRange: Read = (item) => {
  const { min, max } = partsOf(item)
  const [from, to] = [textIn(min), textIn(max)]
  return from === undefined ? [] : [{ value: to === undefined ? `${from}+` : `${from}-${to}` }]
}

const readPlace: Read = (item) => {
  const parts = partsOf(item)
  const fields = Object.fromEntries(
    ['city', 'state', 'country', 'continent'].flatMap((name) => {
      const value = textIn(parts[name])
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const { continent, ...line } = fields
  const words = Object.values(line)
  const value = words.length > 0 ? words.join(', ') : (continent ?? textIn(item))
  return value === undefined ? [] : [{ value, ...fields }]
}

const readSubIndustry: Read = (item) =>
  [partsOf(item).sub_industries].flat().flatMap(readFrom(['id'], ['value', 'name']))

type List = {
  title: string
  endpoint: string
  /** Filter fields that accept the values; for a place, the fields that accept its parts. */
  fields: string[]
  read: Read
  /** The provider returns only values that contain a text. */
  isSearched?: true
}

const places = ['city', 'state', 'country', 'continent']
const employerPlaces = ['companyCity', 'companyState', 'companyCountry', 'companyContinent']

export const filterLists = {
  seniority: {
    title: 'Seniority',
    endpoint: 'contact-seniorities',
    fields: ['seniority', 'contactSeniority'],
    read: readName,
  },
  department: {
    title: 'Department',
    endpoint: 'contact-departments',
    fields: ['department', 'contactDepartment'],
    read: readName,
  },
  has: { title: 'Known data', endpoint: 'contact-data-points', fields: ['has', 'contactHas'], read: readName },
  country: {
    title: 'Country',
    endpoint: 'contact-countries',
    fields: ['country', 'companyCountry'],
    read: readFrom(['code', 'name'], ['name']),
  },
  place: {
    title: 'Place of a person',
    endpoint: 'contact-locations',
    fields: places,
    read: readPlace,
    isSearched: true,
  },
  companyPlace: {
    title: 'Place of a company',
    endpoint: 'company-locations',
    fields: [...places, ...employerPlaces],
    read: readPlace,
    isSearched: true,
  },
  company: {
    title: 'Company',
    endpoint: 'company-names',
    fields: ['name', 'company'],
    read: readName,
    isSearched: true,
  },
  size: { title: 'Company size', endpoint: 'company-sizes', fields: ['size', 'companySize'], read: readRange },
  revenue: { title: 'Revenue', endpoint: 'company-revenues', fields: ['revenue'], read: readRange },
  industry: {
    title: 'Industry',
    endpoint: 'company-industries',
    fields: ['industry'],
    read: readFrom(['main_industry']),
  },
  subIndustry: {
    title: 'Sub-industry',
    endpoint: 'company-industries',
    fields: ['subIndustry'],
    read: readSubIndustry,
  },
  technologies: {
    title: 'Technology',
    endpoint: 'company-technologies',
    fields: ['technologies'],
    read: readName,
    isSearched: true,
  },
  sic: { title: 'SIC code', endpoint: 'company-sics', fields: ['sic'], read: readCode },
  naics: { title: 'NAICS code', endpoint: 'company-naics', fields: ['naics'], read: readCode },
  intentTopic: { title: 'Intent topic', endpoint: 'company-topics', fields: ['intentTopic'], read: readName },
  signalDepartment: {
    title: 'Department of a hiring signal',
    endpoint: 'signal-departments',
    fields: ['signalDepartment'],
    read: readName,
  },
  signalPlace: {
    title: 'Place of a hiring signal',
    endpoint: 'signal-locations',
    fields: ['signalState', 'signalCountry'],
    read: readPlace,
    isSearched: true,
  },
  signalIntentCategory: {
    title: 'Category of an intent signal',
    endpoint: 'signal-categories',
    fields: ['signalIntentCategory'],
    read: readName,
  },
} satisfies { [filter: string]: List }
export type FilterName = keyof typeof filterLists
export const filterNames = Object.keys(filterLists) as [FilterName]

/** The list in an answer: the answer itself, or its "values", which are null when there are none. */
const itemsOf = (answer: unknown): unknown[] => {
  const items = Array.isArray(answer) ? (answer as unknown[]) : (partsOf(answer).values ?? [])
  if (Array.isArray(items)) return items
  throw fail('bad_reply', 'The provider answered with something other than a list of values.')
}

const minQueryLength = 2

/**
 * The values of one filter, without duplicates; with `query`, only those that contain it.
 *
 * @throws Failure `invalid_input` without the text that a list is searched by, `bad_reply` for values of another form
 */
export const valuesOf = async (ctx: Pick<StepContext, 'ask'>, filter: FilterName, query: string | undefined) => {
  const { title, endpoint, read, isSearched }: List = filterLists[filter]
  if (isSearched && (query?.length ?? 0) < minQueryLength)
    throw failField('query', `${title}: give at least ${minQueryLength} letters of the value to find.`)
  const items = itemsOf(await ctx.ask(endpoint, isSearched ? { query } : {}))
  const values = items.flatMap(read)
  if (items.length > 0 && values.length === 0)
    throw fail('bad_reply', `The provider answered with a list that contains no readable ${title.toLowerCase()}.`)
  const words = isSearched ? '' : (query ?? '').toLowerCase()
  const fits = ({ value, label = '' }: FilterValue) => `${value}\n${label}`.toLowerCase().includes(words)
  return [...new Map(values.filter(fits).map((value) => [JSON.stringify(value), value])).values()]
}
