/**
 * Lookalikes and buying groups of v3. People are similar who work in the same departments, companies that are in the
 * same industries; the order is that of the records.
 */
import type { Problem } from '../../lookups/check.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Handler } from '../../lookups/server.ts'
import { all, integer, list, object, oneOf, readShape, text } from '../../lookups/shape.ts'
import type { Shape } from '../../lookups/shape.ts'
import type { World } from '../../lookups/world.ts'
import type { Company, Person } from '../../people/data-set.ts'
import { billEach } from '../lusha/billing.ts'
import { companyId, contactId, email, findCompany, findPerson, requestId, uuidOf } from '../lusha/find.ts'
import { slugOfUrl } from '../../lookups/check.ts'
import { companyPreview, contactPreview } from './records.ts'

const most = 100
type Batch = { [name: string]: unknown[] }
type LookalikeRequest = { dedupeSessionId?: string; seeds: Batch; exclude?: Batch; limit?: number }

const some = (item: Shape) => list(item, 0, most)
const named = object(
  { firstName: text, lastName: text, companyDomain: text, companyName: text },
  {
    required: ['firstName', 'lastName'],
  },
)
const contactBatch = object({ linkedinUrls: some(text), contacts: some(named), emails: some(email), ids: some(text) })
const companyBatch = object({ domains: some(text), linkedinUrls: some(text) })

const sizeOf = (batch: Batch) => Object.values(batch).flat().length
const lookalikeShape = (batch: Shape): Shape =>
  all(
    object({ dedupeSessionId: text, seeds: batch, exclude: batch, limit: integer(1, most) }, { required: ['seeds'] }),
    (value, at) => {
      const { seeds, dedupeSessionId } = value as LookalikeRequest
      const count = sizeOf(seeds)
      // A request for more may name as many as it likes.
      const least = dedupeSessionId === undefined ? 5 : 1
      return count >= least && count <= most
        ? undefined
        : { at: 'seeds', message: `seeds must contain between ${least} and ${most} records${at}` }
    },
  )

/** Ids of what was shown in a session, which later requests leave out. */
const expired: Problem = { status: 410, code: 'GONE', message: 'dedupeSessionId is invalid or expired' }
const sessionMs = 30 * 86_400_000

type Kind<T extends Person | Company> = {
  what: string
  all(world: World): T[]
  batch(world: World, batch: Batch): T[]
  isAlike(record: T, seeds: T[]): boolean
  render(world: World, record: T): object
}

const lookalikes =
  <T extends Person | Company>(shape: Shape, kind: Kind<T>): Handler =>
  ({ world, body }): Handled => {
    const read = readShape<LookalikeRequest>(shape, body)
    if (!read.ok) return read
    const { dedupeSessionId, seeds, exclude = {}, limit = 25 } = read.value
    const session = dedupeSessionId === undefined ? undefined : world.searches.get(dedupeSessionId)
    if (dedupeSessionId !== undefined && (session === undefined || session.at + sessionMs < world.now()))
      return { ok: false, problem: expired }
    const key = dedupeSessionId ?? uuidOf(kind.what, String(world.counters.requests), String(world.now()))
    const shownBefore = session?.ids ?? []
    const seedRecords = kind.batch(world, seeds)
    const left = new Set([...shownBefore, ...[...seedRecords, ...kind.batch(world, exclude)].map(({ id }) => id)])
    const alike = kind.all(world).filter((record) => !left.has(record.id) && kind.isAlike(record, seedRecords))
    const results = alike.slice(0, limit)
    const billed = billEach(world, results.length, kind.what)
    if (!billed.ok) return billed
    world.searches.set(key, { ids: [...shownBefore, ...results.map(({ id }) => id)], at: world.now() })
    const answer = {
      dedupeSessionId: key,
      results: results.map((record) => kind.render(world, record)),
      meta: { returned: results.length, hasMore: alike.length > results.length },
      billing: { creditsCharged: billed.credits, resultsReturned: results.length },
    }
    return { ok: true, answer: { status: 200, body: answer }, credits: billed.credits }
  }

const present = <T>(records: (T | undefined)[]): T[] => records.filter((record) => record !== undefined)
/** Lookalikes are shown without what they have to reveal. */
const withoutReveal = (preview: object) => {
  const { has: _, canReveal: __, ...shown } = preview as { has: unknown; canReveal: unknown }
  return shown
}

export const lookalikeContacts = lookalikes<Person>(lookalikeShape(contactBatch), {
  what: 'lookalikeContact',
  all: (world) => world.people.filter(({ suppressed }) => !suppressed),
  batch: (world, { ids = [], emails = [], linkedinUrls = [], contacts = [] }) =>
    present([
      ...ids.map((id) => findPerson(world, { id: String(id) })),
      ...emails.map((address) => findPerson(world, { email: String(address) })),
      ...linkedinUrls.map((url) => findPerson(world, { linkedinUrl: String(url) })),
      ...contacts.map((contact) => findPerson(world, contact as object)),
    ]),
  isAlike: ({ department }, seeds) => seeds.some((seed) => seed.department.key === department.key),
  render: (world, person) => withoutReveal(contactPreview(world, person)),
})

const companyAt = (world: World, url: string) =>
  world.companies.find(({ linkedinSlug }) => slugOfUrl(url, 'company') === linkedinSlug)

export const lookalikeCompanies = lookalikes<Company>(lookalikeShape(companyBatch), {
  what: 'lookalikeCompany',
  all: (world) => world.companies,
  batch: (world, { domains = [], linkedinUrls = [] }) =>
    present([
      ...domains.map((domain) => findCompany(world, { domain: String(domain) })),
      ...linkedinUrls.map((url) => companyAt(world, String(url))),
    ]),
  isAlike: ({ industry }, seeds) => seeds.some((seed) => seed.industry === industry),
  render: (world, company) => {
    const { employeeCount, location, ...shown } = companyPreview(world, company)
    const { country, state, city } = location
    return {
      ...withoutReveal(shown),
      employeeCount: { exact: employeeCount.exact },
      location: { country, state, city },
    }
  },
})

const personas = ['decision_maker', 'potential_champion', 'end_user'] as const
/** Which role a person has depends on how senior the person is. */
const personaOf = ({ seniority: { key } }: Person): (typeof personas)[number] =>
  ['owner', 'founder', 'c_suite', 'partner', 'vp', 'head', 'director'].includes(key)
    ? 'decision_maker'
    : key === 'manager'
      ? 'potential_champion'
      : 'end_user'

type GroupItem = { clientReferenceId?: string; domain?: string; id?: string }
type GroupRequest = {
  companies: GroupItem[]
  personas?: string[]
  contactsLimit?: number
  pagination?: { page?: number; size?: number }
}
const groupItem = all(object({ clientReferenceId: text, domain: text, id: text }), (value, at) =>
  ['domain', 'id'].filter((name) => name in (value as object)).length === 1
    ? undefined
    : { at, message: `${at} must have exactly one of: domain, id` },
)
const groupShape = object(
  {
    companies: list(groupItem, 1, 25),
    personas: list(oneOf(...personas), 0),
    contactsLimit: integer(1, 1_000_000),
    pagination: object({ page: integer(0, 1_000_000), size: integer(10, 100) }),
  },
  { required: ['companies'] },
)

const member = (world: World, person: Person) => ({
  ...contactPreview(world, person),
  roles: [personaOf(person)],
  score: (100 - (Number(contactId(person)) % 40)) / 100,
})

export const buyingGroup: Handler = ({ world, body }) => {
  const read = readShape<GroupRequest>(groupShape, body)
  if (!read.ok) return read
  const { companies, personas: wanted = [...personas], contactsLimit = 60, pagination = {} } = read.value
  const { page = 0, size = 100 } = pagination
  const groups = companies.map((item) => {
    const company = findCompany(world, item)
    const people = world.people
      .filter((person) => !person.suppressed && person.company === company && wanted.includes(personaOf(person)))
      .slice(0, contactsLimit)
    return { item, company, people }
  })
  const every = groups.flatMap(({ people }) => people)
  const shown = new Set(every.slice(page * size, (page + 1) * size))
  const billed = billEach(world, shown.size, 'buyingGroupContact')
  if (!billed.ok) return billed
  const results = groups.map(({ item: { clientReferenceId }, company, people }) => ({
    ...(clientReferenceId === undefined ? {} : { clientReferenceId }),
    ...(company === undefined
      ? { error: { code: 'NOT_FOUND', message: 'Company not found' } }
      : {
          companyId: companyId(company),
          contacts: people.filter((person) => shown.has(person)).map((person) => member(world, person)),
        }),
  }))
  const answer = {
    requestId: requestId(world),
    results,
    pagination: { page, size, total: every.length },
    billing: { creditsCharged: billed.credits, resultsReturned: shown.size },
  }
  return { ok: true, answer: { status: 200, body: answer }, credits: billed.credits }
}
