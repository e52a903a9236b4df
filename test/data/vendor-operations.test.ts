/** Every operation of the vendor's own document of version 3 can be called for a known price, or is refused with why. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Method } from '#kit'
import { createVerdict, operationsOf } from '../../shared/runtime/catalogue/operations.ts'
import { tableOf } from '../../shared/runtime/catalogue/operation-table.ts'
import { priceOfPath } from '../../shared/runtime/catalogue/path-price.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { integrations } from './harness.ts'

/** Method, path, and for those that are refused what they are about. */
type Row = [method: Method, path: string, refused?: 'table' | 'webhook' | 'credential']
const rows = JSON.parse(readFileSync(new URL('lusha-v3-operations.json', import.meta.url), 'utf8')) as Row[]
const refused = rows.filter(([, , about]) => about !== undefined)
const open = rows.filter(([, , about]) => about === undefined)

const contact = integrations.find(({ id }) => id === 'contact-data')!
const loaded = createRegistry([contact], { 'contact-data': { profile: 'lusha-v3' } }).integration('contact-data')
const operations = await operationsOf(loaded)
const table = tableOf(operations)
const verdict = createVerdict(contact.apiCall)
const refusalOf = (method: Method, path: string) => verdict.refusal({ method, path, title: '', parameters: [] })

/** Words of the reason; methods that API Call does not have at all are refused as such. */
const reasons = { table: /table/, webhook: /webhook/i, credential: /credential|reads the account itself/ }

it('are all of them', () => expect([rows.length, refused.length]).toEqual([58, 33]))

describe('refused', () => {
  it.each(refused)('%s %s', (method, path, about) => {
    expect(refusalOf(method, path)).toMatch(
      contact.apiCall.methods.includes(method) ? reasons[about!] : `The method ${method} is not allowed.`,
    )
    expect(table.find(method, path)).toBeUndefined()
  })
})

describe('callable, for a price that is known', () => {
  it.each(open)('%s %s', (method, path) => {
    expect(refusalOf(method, path)).toBeUndefined()
    const operation = operations.find((listed) => listed.method === method && listed.path === path)
    const choices = operation?.parameters.find((parameter) => parameter.in === 'path')?.choices
    expect(table.find(method, path.replace('{filterType}', choices?.[0] ?? ''))).toMatchObject({ method, path })
    const price = priceOfPath(loaded, operations, { method, path: path.replace('{filterType}', choices?.[0] ?? '') })
    expect(price).not.toBe('unknown')
    expect(price === 'free').toBe(method === 'GET')
  })
})

it.each([
  // The higher price where the vendor's pages disagree, for all that a request asks for.
  ['/v3/contacts/lookalike', { seeds: {}, limit: 10 }, 30],
  ['/v3/companies/website-visits', { domains: ['a.nz'], pagination: { page: 0, size: 10 } }, 10],
  ['/v3/contacts/lookalike', { seeds: {} }, 300],
  ['/v3/contacts/buying-group', { companies: [{ id: '1' }], pagination: { page: 0, size: 20 } }, 20],
  ['/v3/contacts/signals', { ids: ['1', '2'], signalTypes: ['allSignals'] }, 4],
  ['/v3/companies/signals', { ids: ['1', '2'], signalTypes: ['allSignals'] }, 46],
  ['/v3/companies/signal-score', { companies: [{ id: '1' }, { id: '2' }] }, 2],
  ['/v3/companies/enrich', { ids: ['1', '2'] }, 16],
])('%s with %j may cost %i credits', (path, body, most) => {
  expect(priceOfPath(loaded, operations, { method: 'POST', path, body })).toMatchObject({ most })
})

it.each(['/v3/contacts/lookalike', '/v3/companies/lookalike', '/v3/contacts/signals', '/v3/companies/enrich'])(
  'what %s stores in a table has no known price',
  (path) => {
    expect(priceOfPath(loaded, operations, { method: 'POST', path, body: { tableId: '7' } })).toBe('unknown')
  },
)
