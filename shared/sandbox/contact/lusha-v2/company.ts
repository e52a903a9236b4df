/** Companies in v2: one by query, or up to 100 in a body, answered under the caller's own ids. */
import type { Handler } from '../../lookups/server.ts'
import { all, flag, list, object, oneOf, readShape, text } from '../../lookups/shape.ts'
import type { Shape } from '../../lookups/shape.ts'
import { bill, pointOfCompany } from '../lusha/billing.ts'
import { findCompany } from '../lusha/find.ts'
import { distinct, queryOf, signalShapes } from './person.ts'
import { bulkCompanyRecord, companyRecord } from './records.ts'

const identifiers = { domain: text, companyId: text }
const query = object({ ...identifiers, company: text, partialCompany: oneOf('true', 'false'), ...signalShapes })

type CompanyQuery = { domain?: string; fqdn?: string; name?: string; companyId?: string }

const find = (world: Parameters<typeof findCompany>[0], { companyId, domain, fqdn, name }: CompanyQuery) => {
  const host = domain ?? fqdn
  return findCompany(world, {
    ...(companyId === undefined ? {} : { id: companyId }),
    ...(host === undefined ? {} : { domain: host.replace(/^https?:\/\//i, '') }),
    ...(name === undefined ? {} : { name }),
  })
}

export const getCompany: Handler = ({ world, query: search }) => {
  const read = readShape<CompanyQuery & { company?: string }>(query, queryOf(search))
  if (!read.ok) return read
  const { company: name, ...identifierFields } = read.value
  if ([name, identifierFields.domain, identifierFields.companyId].every((identifier) => identifier === undefined)) {
    return {
      ok: false,
      problem: { status: 400, code: 'INVALID', message: 'At least one of domain, company, or companyId is required' },
    }
  }
  const company = find(world, { ...identifierFields, ...(name === undefined ? {} : { name }) })
  const billed = bill(world, company === undefined ? [] : [pointOfCompany(company)])
  if (!billed.ok) return billed
  world.counters[company === undefined ? 'misses' : 'matches'] += 1
  if (company !== undefined)
    return {
      ok: true,
      answer: { status: 200, body: { data: companyRecord(company), meta: {} } },
      credits: billed.credits,
    }
  const answer =
    world.switches.companyMiss === '404'
      ? { status: 404, body: { statusCode: 404, message: 'Resource not found' } }
      : { status: 200, body: { data: {}, errors: { message: 'Could not find requested data' }, meta: {} } }
  return { ok: true, answer, credits: billed.credits }
}

const item: Shape = all(
  object({ ...identifiers, id: text, fqdn: text, name: text }, { required: ['id'] }),
  (value, at) =>
    Object.keys(value as object).length > 1
      ? undefined
      : { at, message: `${at} must have one of: domain, fqdn, name, companyId` },
)
const bulk = object(
  { companies: all(list(item, 1, 100), distinct('id')), partialCompany: flag, ...signalShapes },
  { required: ['companies'] },
)

export const postCompanies: Handler = ({ world, body }) => {
  const read = readShape<{ companies: (CompanyQuery & { id: string })[] }>(bulk, body)
  if (!read.ok) return read
  const items = read.value.companies.map((requestedCompany) => ({
    id: requestedCompany.id,
    company: find(world, requestedCompany),
  }))
  const companies = items.flatMap(({ company }) => (company === undefined ? [] : [company]))
  const billed = bill(world, companies.map(pointOfCompany), companies.length)
  if (!billed.ok) return billed
  world.counters.records += items.length
  world.counters.matches += companies.length
  world.counters.misses += items.length - companies.length
  const answers = Object.fromEntries(
    items.map(({ id, company }) => [id, company === undefined ? {} : bulkCompanyRecord(company)]),
  )
  return { ok: true, answer: { status: 200, body: answers }, credits: billed.credits }
}
