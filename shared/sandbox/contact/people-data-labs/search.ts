/** Searches of People Data Labs: an Elasticsearch query that costs 1 credit for each record returned. */
import { createHash } from 'node:crypto'
import { badRequest } from '../../lookups/check.ts'
import type { CheckedValue, Values } from '../../lookups/check.ts'
import { noCredits } from '../../lookups/find.ts'
import type { Handled } from '../../lookups/find.ts'
import type { Call } from '../../lookups/server.ts'
import { charge } from '../../lookups/world.ts'
import type { World } from '../../lookups/world.ts'
import { readRequestValues, notFound } from './enrich.ts'
import { QueryProblem, testOf } from './query.ts'
import type { Test } from './query.ts'
import { companyRecord, inTitleCase, personRecord } from './records.ts'
import type { PdlRecord } from './records.ts'

const knownParameters = ['query', 'sql', 'size', 'from', 'scroll_token', 'titlecase', 'pretty', 'dataset']

const testIn = (query: unknown): CheckedValue<Test> => {
  try {
    return { ok: true, value: testOf(typeof query === 'string' ? (JSON.parse(query) as unknown) : query) }
  } catch (error) {
    if (error instanceof QueryProblem || error instanceof SyntaxError)
      return badRequest(`The query cannot be read: ${error.message}`, 'query')
    throw error
  }
}

/** A scroll token is valid only with the query it was made for. */
const tokenFor = (query: unknown, at: number): string =>
  `${at}$${createHash('sha256').update(JSON.stringify(query)).digest('hex').slice(0, 8)}`

const isCount = (value: unknown, least: number, most: number) =>
  /^\d+$/.test(String(value)) && Number(value) >= least && Number(value) <= most

type Page = { test: Test; from: number; size: number; isTitled: boolean; query: unknown }

const read = (requestValues: Values): CheckedValue<Page> => {
  const unknown = Object.keys(requestValues).find((name) => !knownParameters.includes(name))
  if (unknown !== undefined)
    return badRequest(`Unknown parameter "${unknown}". Known: ${knownParameters.join(', ')}.`, unknown)
  const { query, sql, size = 1, from, scroll_token: token } = requestValues
  if ((query === undefined) === (sql === undefined))
    return badRequest('Give either "query" or "sql", and not both.', 'query')
  if (sql !== undefined) return badRequest('This sandbox reads "query" only, no "sql".', 'sql')
  if (!isCount(size, 1, 100)) return badRequest('"size" has to be from 1 to 100.', 'size')
  if (from !== undefined && (token !== undefined || !isCount(from, 0, 9999)))
    return badRequest('"from" has to be from 0 to 9999, and without a scroll_token.', 'from')
  const at = token === undefined ? Number(from ?? 0) : Number(String(token).split('$')[0])
  if (token !== undefined && tokenFor(query, at) !== token)
    return badRequest('"scroll_token" was not made for this query.', 'scroll_token')
  const test = testIn(query)
  return test.ok
    ? {
        ok: true,
        value: {
          test: test.value,
          from: at,
          size: Number(size),
          isTitled: String(requestValues.titlecase) === 'true',
          query,
        },
      }
    : test
}

const search =
  (type: string, all: (world: World) => PdlRecord[]) =>
  (call: Call): Handled => {
    const { world } = call
    const requestValues = readRequestValues(call)
    if (requestValues === undefined) return badRequest('The body has to be a JSON object.')
    const page = read(requestValues)
    if (!page.ok) return page
    const { test, from, size, isTitled, query } = page.value
    const records = all(world).filter(test)
    const rows = records.slice(from, from + size)
    const headers = { 'x-call-credits-type': type }
    if (rows.length === 0) return { ok: true, answer: { status: 404, headers, body: notFound }, credits: 0 }
    if (rows.length > world.credits.remaining) return { ok: false, problem: noCredits(world, rows.length) }
    charge(world, rows.length)
    const end = from + size
    const body = {
      status: 200,
      data: isTitled ? inTitleCase(rows) : rows,
      ...(end < records.length ? { scroll_token: tokenFor(query, end) } : {}),
      total: records.length,
    }
    return { ok: true, answer: { status: 200, headers, body }, credits: rows.length }
  }

export const searchPeople = search('search', (world) =>
  world.people.filter(({ suppressed }) => !suppressed).map(personRecord),
)
export const searchCompanies = search('search_company', (world) => world.companies.map(companyRecord))
