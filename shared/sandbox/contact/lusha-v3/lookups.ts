/** Lookups of v3: by identifiers or by id, up to 100 in a request, each with an answer of its own. */
import type { Handled } from '../../lookups/find.ts'
import type { Call, Handler } from '../../lookups/server.ts'
import { all, flag, list, object, oneOf, readShape, text } from '../../lookups/shape.ts'
import type { Shape } from '../../lookups/shape.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { bill, pointElsewhere, pointOfCompany, pointsOf, prices } from '../lusha/billing.ts'
import type { DataPoint, RequestedData } from '../lusha/billing.ts'
import { findCompany, findPerson, identifierShapes, identifies, requestId } from '../lusha/find.ts'
import type { Identifiers } from '../lusha/find.ts'
import { companyDetailNames, companyDetails } from './company-details.ts'
import { companyPreview, companyRecord, contactPreview, contactRecord, recordFromElsewhere } from './records.ts'

const max = 100
type Item = Identifiers & { clientReferenceId?: string; name?: string; domain?: string }
type Sought = { item: Item; person?: Person | undefined; company?: Company | undefined }

const failed = { code: 'ENRICH_FAILED', message: 'Failed to enrich' }
const restricted = {
  code: 'COMPLIANCE_RESTRICTED',
  message: 'This contact cannot be processed due to compliance restrictions',
}
const notFound = (what: string) => ({ code: 'NOT_FOUND', message: `${what} not found` })

/**
 * The error that an item is answered with instead of a record. "enrich-failed" in an identifier simulates a fault of
 * the vendor.
 */
const errorOf = (what: string, { item, person, company }: Sought) => {
  if (Object.values(item).some((value) => value.toLowerCase().includes('enrich-failed'))) return failed
  if (person === undefined && company === undefined) return notFound(what)
  return person?.suppressed ? restricted : undefined
}

const count = (world: World, error: { code: string } | undefined) => {
  if (error === undefined) world.counters.matches += 1
  else if (error.code === 'COMPLIANCE_RESTRICTED') world.counters.suppressed += 1
  else world.counters.misses += 1
}

type Plan = {
  what: 'Contact' | 'Company'
  points(sought: Sought): DataPoint[]
  render(world: World, sought: Sought): object
  /** Whether finding the records is charged as well. */
  searched: boolean
}

/**
 * Bills and answers the items. When every item can be recognised by its reference or id, the matches come first, in the
 * order of the request.
 */
const answer = (world: World, soughtRecords: Sought[], plan: Plan): Handled => {
  const items = soughtRecords.map((sought) => ({ sought, error: errorOf(plan.what, sought) }))
  const foundItems = items.filter(({ error }) => error === undefined)
  const billed = bill(
    world,
    foundItems.flatMap(({ sought }) => plan.points(sought)),
    plan.searched ? foundItems.length : 0,
  )
  if (!billed.ok) return billed
  for (const { error } of items) count(world, error)
  world.counters.records += items.length
  const traceable = items.every(
    ({ sought: { item } }) => item.clientReferenceId !== undefined || Object.keys(item).join() === 'id',
  )
  const ordered = traceable ? [...foundItems, ...items.filter(({ error }) => error !== undefined)] : items
  const results = ordered.map(({ sought, error }) => {
    const { clientReferenceId, id } = sought.item
    const reference = clientReferenceId === undefined ? {} : { clientReferenceId }
    if (error !== undefined) return { ...reference, ...(id === undefined ? {} : { id }), error }
    return { ...reference, ...plan.render(world, sought) }
  })
  const billing = { creditsCharged: billed.credits, resultsReturned: foundItems.length }
  return {
    ok: true,
    answer: { status: 200, body: { requestId: requestId(world), results, billing } },
    credits: billed.credits,
  }
}

const contactItem: Shape = all(object({ clientReferenceId: text, id: text, ...identifierShapes }), (value, at) =>
  identifies(value as Identifiers)
    ? undefined
    : {
        at,
        message: `${at} must have one of: id, linkedinUrl, email, or firstName and lastName with companyName or companyDomain`,
      },
)
const companyItem: Shape = all(object({ clientReferenceId: text, id: text, name: text, domain: text }), (value, at) =>
  ['id', 'name', 'domain'].some((name) => name in (value as object))
    ? undefined
    : { at, message: `${at} must have one of: id, name, domain` },
)

const options = object({ includePartialProfiles: flag })
const reveal = list(oneOf('emails', 'phones'))
const ids = list(text, 1, max)

/** Both details when the request names none. */
const wantedOf = (words: string[] = ['emails', 'phones']): RequestedData => ({
  emails: words.includes('emails'),
  phones: words.includes('phones'),
})

const contactPlan = (words: string[] | undefined, searched: boolean): Plan => {
  const wantedData = wantedOf(words)
  return {
    what: 'Contact',
    points: ({ person }) => (person === undefined ? [] : pointsOf(person, wantedData)),
    render: (_world, { person }) => (person === undefined ? {} : contactRecord(person, wantedData)),
    searched,
  }
}

/** With the waterfall of the account, people without a work address here get one from another provider. */
const waterfallPlan = (words: string[] | undefined): Plan => {
  const plain = contactPlan(words, false)
  const wantedData = wantedOf(words)
  const isElsewhere = (person: Person | undefined): person is Person =>
    person !== undefined && wantedData.emails && person.workEmail === undefined
  return {
    ...plain,
    points: (sought) =>
      isElsewhere(sought.person) ? [...plain.points(sought), pointElsewhere(sought.person)] : plain.points(sought),
    render: (world, sought) =>
      isElsewhere(sought.person) ? recordFromElsewhere(sought.person, wantedData) : plain.render(world, sought),
  }
}

const companyPlan: Plan = {
  what: 'Company',
  points: ({ company }) => (company === undefined ? [] : [pointOfCompany(company)]),
  render: (_world, { company }) => (company === undefined ? {} : companyRecord(company)),
  searched: false,
}

const companyPlanWith = (names: string[] = []): Plan => ({
  ...companyPlan,
  points: ({ company }) =>
    company === undefined
      ? []
      : [
          pointOfCompany(company),
          ...Object.keys(companyDetails(company, names)).map((name): DataPoint => ({
            key: `${name}:${company.id}`,
            what: 'companyField',
            credits: prices.companyField,
          })),
        ],
  render: (_world, { company }) =>
    company === undefined ? {} : { ...companyRecord(company), ...companyDetails(company, names) },
})

type Reading = { reveal?: string[]; waterfallEnabled?: boolean; contacts?: Item[]; companies?: Item[]; ids?: string[] }

const handler =
  (shape: Shape, plan: (read: Reading, world: World) => Plan): Handler =>
  ({ world, body }: Call) => {
    const read = readShape<Reading>(shape, body)
    if (!read.ok) return read
    const chosen = plan(read.value, world)
    const { contacts, companies, ids: listedIds } = read.value
    const items: Item[] = contacts ?? companies ?? listedIds?.map((id) => ({ id })) ?? []
    const sought = items.map((item) =>
      chosen.what === 'Contact'
        ? { item, person: findPerson(world, item) }
        : { item, company: findCompany(world, item) },
    )
    return answer(world, sought, chosen)
  }

const ofContacts = list(contactItem, 1, max)
const ofCompanies = list(companyItem, 1, max)

export const searchAndEnrichContacts = handler(
  object({ contacts: ofContacts, reveal, options }, { required: ['contacts'] }),
  (read) => contactPlan(read.reveal, true),
)
export const enrichContacts = handler(
  object({ ids, reveal, waterfallEnabled: flag }, { required: ['ids'] }),
  ({ reveal: words, waterfallEnabled = true }, world) =>
    waterfallEnabled && world.switches.waterfall === 'on' ? waterfallPlan(words) : contactPlan(words, false),
)
export const searchContacts = handler(object({ contacts: ofContacts, options }, { required: ['contacts'] }), () => ({
  what: 'Contact',
  points: () => [],
  render: (world, { person }) => (person === undefined ? {} : contactPreview(world, person)),
  searched: true,
}))
export const searchAndEnrichCompanies = handler(
  object({ companies: ofCompanies, options }, { required: ['companies'] }),
  () => companyPlan,
)
export const enrichCompanies = handler(
  object({ ids, reveal: list(oneOf(...companyDetailNames), 0) }, { required: ['ids'] }),
  (read) => companyPlanWith(read.reveal),
)
export const searchCompanies = handler(
  object({ companies: ofCompanies, options }, { required: ['companies'] }),
  () => ({
    what: 'Company',
    points: () => [],
    render: (world, { company }) => (company === undefined ? {} : companyPreview(world, company)),
    searched: true,
  }),
)
