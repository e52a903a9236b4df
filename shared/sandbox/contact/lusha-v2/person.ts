/** People in v2: one by query, or up to 100 in a body, answered under the caller's own ids. */
import type { Problem } from '../../lookups/check.ts'
import type { Handler } from '../../lookups/server.ts'
import { all, either, flag, formed, list, object, oneOf, readShape, text } from '../../lookups/shape.ts'
import type { Shape } from '../../lookups/shape.ts'
import { hasCompanyName, optedOut } from '../../lookups/find.ts'
import type { World } from '../../lookups/world.ts'
import type { Person } from '../../people/data-set.ts'
import { planLacks } from '../lusha/account.ts'
import { bill, pointsOf } from '../lusha/billing.ts'
import type { RequestedData } from '../lusha/billing.ts'
import { companyId, email, findPerson, identifierShapes, identifies, linkedinUrl } from '../lusha/find.ts'
import { fullNameOf } from '../lusha/values.ts'
import { contactRecord, employerRecord } from './records.ts'

const emptyData = { code: 3, name: 'EMPTY_DATA', message: 'Could not find requested data' }
const gdpr = 'We are unable to process this contact request due to our GDPR regulations'
const suppressed: Problem = { ...optedOut, message: gdpr }
const suppressedItem = { code: 451, name: 'COMPLIANCE_RESTRICTED', message: gdpr }

export type RevealFlags = { revealEmails?: unknown; revealPhones?: unknown }

/** Both details when the request asks for neither. */
export const wantedOf = ({ revealEmails, revealPhones }: RevealFlags): RequestedData => {
  const [emails, phones] = [revealEmails, revealPhones].map((flagValue) => String(flagValue) === 'true')
  return emails || phones ? { emails: emails === true, phones: phones === true } : { emails: true, phones: true }
}

/** Only some plans may choose what is revealed. */
export const refusedReveal = ({ switches }: World, { revealEmails, revealPhones }: RevealFlags): Problem | undefined =>
  switches.plan !== 'scale' && (revealEmails ?? revealPhones) !== undefined
    ? planLacks('Your pricing version does not support requesting individual datapoints [revealEmails, revealPhones]')
    : undefined

/** Signals of a person or company found; the fictional records have none. */
export const signalShapes = { signals: either(text, list(text)), signalsStartDate: text }
export const signalsOf = ({ signals }: { signals?: unknown }) => (signals === undefined ? {} : { signals: {} })

type Filtered = { filterBy?: string }

const passes = (person: Person, { filterBy }: Filtered): boolean =>
  filterBy === 'phoneNumbers'
    ? person.phones.length > 0
    : filterBy !== 'emailAddresses' || person.workEmail !== undefined || person.personalEmail !== undefined

const yesOrNo = oneOf('true', 'false')
const filterBy = oneOf('phoneNumbers', 'emailAddresses')
const query: Shape = object({
  ...identifierShapes,
  personId: text,
  filterBy,
  revealEmails: yesOrNo,
  revealPhones: yesOrNo,
  refreshJobInfo: yesOrNo,
  partialProfile: yesOrNo,
  ...signalShapes,
})

type Query = RevealFlags & Filtered & { signals?: unknown } & Record<string, string>

/** The parameters of a query, each at most once. */
export const queryOf = (search: URLSearchParams): unknown => {
  const names = [...search.keys()]
  const twice = names.find((name, index) => name !== 'signals' && names.indexOf(name) !== index)
  return { ...Object.fromEntries(search), ...(twice === undefined ? {} : { [twice]: search.getAll(twice) }) }
}

export const getPerson: Handler = ({ world, query: search }) => {
  const read = readShape<Query>(query, queryOf(search))
  if (!read.ok) return read
  const refused = refusedReveal(world, read.value)
  if (refused !== undefined) return { ok: false, problem: refused }
  const { personId, ...otherFields } = read.value
  const identifiers = { ...otherFields, ...(personId === undefined ? {} : { id: personId }) }
  if (!identifies(identifiers)) {
    const message = 'Provide personId, email, linkedinUrl, or firstName and lastName with companyName or companyDomain'
    return { ok: false, problem: { status: 400, code: 'INVALID', message } }
  }
  const person = findPerson(world, identifiers)
  if (person?.suppressed && world.credits.remaining > 0) {
    world.counters.suppressed += 1
    return { ok: false, problem: suppressed }
  }
  const matchingPerson = person !== undefined && passes(person, read.value) ? person : undefined
  const wantedData = wantedOf(read.value)
  const billed = bill(world, matchingPerson === undefined ? [] : pointsOf(matchingPerson, wantedData))
  if (!billed.ok) return billed
  world.counters[matchingPerson === undefined ? 'misses' : 'matches'] += 1
  const isCreditCharged = billed.credits > 0
  const contact =
    matchingPerson === undefined
      ? { error: emptyData, isCreditCharged }
      : {
          error: null,
          isCreditCharged,
          data: {
            ...contactRecord(matchingPerson, wantedData),
            company: employerRecord(matchingPerson.company),
            ...signalsOf(read.value),
          },
        }
  return { ok: true, answer: { status: 200, body: { contact } }, credits: billed.credits }
}

type Item = {
  contactId: string
  personId?: string
  fullName?: string
  email?: string
  linkedinUrl?: string
  companies?: { name?: string; domain?: string }[]
}

const fullName = formed(
  'a first and a last name: full name must have at least two words',
  (name) => name.trim().split(/\s+/).length > 1,
  412,
)
const employer: Shape = all(
  object({ name: text, domain: text, isCurrent: flag, jobTitle: text, fqdn: text }, { required: ['isCurrent'] }),
  (value, at) =>
    'name' in (value as object) || 'domain' in (value as object)
      ? undefined
      : { at, message: `${at} must have a name or a domain` },
)
const item: Shape = all(
  object(
    { contactId: text, personId: text, fullName, email, linkedinUrl, location: text, companies: list(employer) },
    { required: ['contactId'] },
  ),
  (value, at) => {
    const { personId, email: address, linkedinUrl: url, fullName: name, companies } = value as Item
    const complete =
      [personId, address, url].some((identifier) => identifier !== undefined) ||
      (name !== undefined && companies !== undefined)
    return complete
      ? undefined
      : { at, message: `${at} must have personId, email, linkedinUrl, or fullName with companies` }
  },
)
const metadata = object({
  filterBy,
  revealEmails: flag,
  revealPhones: flag,
  refreshJobInfo: flag,
  partialProfile: flag,
  ...signalShapes,
})

/** Refuses repeated ids, which would share one answer. */
export const distinct =
  (name: string): Shape =>
  (value, at) => {
    const ids = (value as Record<string, unknown>[]).map((element) => element[name])
    const twice = ids.findIndex((id, index) => ids.indexOf(id) !== index)
    return twice === -1 ? undefined : { at: `${at}.${twice}.${name}`, message: `${at}.${twice}.${name} must be unique` }
  }

const bulk = object({ contacts: all(list(item, 1, 100), distinct('contactId')), metadata }, { required: ['contacts'] })

const plain = (words: string) => words.normalize('NFC').toLowerCase().trim()

const findItem = (
  world: World,
  { personId, email: address, linkedinUrl: url, fullName: name, companies }: Item,
): Person | undefined =>
  findPerson(world, {
    ...(personId === undefined ? {} : { id: personId }),
    ...(address === undefined ? {} : { email: address }),
    ...(url === undefined ? {} : { linkedinUrl: url }),
  }) ??
  world.people.find(
    (person) =>
      name !== undefined &&
      plain(fullNameOf(person)) === plain(name) &&
      (companies ?? []).some((company) =>
        [company.name, company.domain?.replace(/^www\./i, '')].some(
          (nameOrDomain) => nameOrDomain !== undefined && hasCompanyName(person.company, nameOrDomain),
        ),
      ),
  )

export const postPeople: Handler = ({ world, body }) => {
  const read = readShape<{ contacts: Item[]; metadata?: RevealFlags & Filtered & { signals?: unknown } }>(bulk, body)
  if (!read.ok) return read
  const { contacts, metadata: chosen = {} } = read.value
  const refused = refusedReveal(world, chosen)
  if (refused !== undefined) return { ok: false, problem: refused }
  const wantedData = wantedOf(chosen)
  const items = contacts.map((contact) => ({ id: contact.contactId, person: findItem(world, contact) }))
  const people = items.flatMap(({ person }) =>
    person !== undefined && !person.suppressed && passes(person, chosen) ? [person] : [],
  )
  const billed = bill(
    world,
    people.flatMap((person) => pointsOf(person, wantedData)),
    people.length,
  )
  if (!billed.ok) return billed
  world.counters.records += items.length
  const answers = items.map(({ id, person }): [string, object] => {
    const error = person?.suppressed
      ? suppressedItem
      : person === undefined || !people.includes(person)
        ? emptyData
        : null
    world.counters[error === null ? 'matches' : person?.suppressed ? 'suppressed' : 'misses'] += 1
    if (error !== null || person === undefined) return [id, { error, isCreditCharged: false }]
    // A person named twice is charged at the first occurrence only.
    const isCreditCharged = pointsOf(person, wantedData).filter(({ key }) => billed.paid.delete(key)).length > 0
    return [id, { error, isCreditCharged, data: { ...contactRecord(person, wantedData), ...signalsOf(chosen) } }]
  })
  const companies = Object.fromEntries(people.map(({ company }) => [companyId(company), employerRecord(company)]))
  return {
    ok: true,
    answer: { status: 200, body: { contacts: Object.fromEntries(answers), companies } },
    credits: billed.credits,
  }
}
