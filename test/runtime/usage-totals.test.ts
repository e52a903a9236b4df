import { describe, expect, test } from 'vitest'
import type { Scope } from '../../shared/api/rules.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { openHttpWorld } from '../support/http-world.ts'
import { run } from '../store/make.ts'

const store = createMemoryStore()
const prices = { 'contact-data': { amount: 0.02, currency: 'EUR' } }
const face = await openHttpWorld({ store, creditPrices: prices })
const now = Date.now()
const dayMs = 86_400_000
const today = new Date(now).toISOString().slice(0, 10)
const yesterday = new Date(now - dayMs).toISOString().slice(0, 10)

const contacts = await face.connect('work-board', { name: '=HYPERLINK("http://x.example")' })
const base = {
  integration: 'contact-data',
  step: 'find-contact',
  connection: contacts.id,
  calls: 1,
  creditsEstimated: false,
}
const rows = [
  { ...base, person: 'ada', credits: 2 },
  { ...base, person: 'ada', credits: 0.5, creditsEstimated: true },
  { ...base, person: 'ben', credits: 1, state: 'failed' as const },
  { ...base, person: null, credits: 4 },
  { ...base, person: null, credits: 0, integration: 'work-board', step: 'create-card', connection: null, calls: 3 },
]
for (const [index, row] of rows.entries())
  await store.runs.record(run('default', `t${index}`, { ...row, createdAt: now }))
await store.runs.record(run('default', 'old', { ...base, person: 'ada', credits: 100, createdAt: now - dayMs }))
await store.runs.record(run('default', 'older', { ...base, person: 'ada', credits: 7, createdAt: now - 40 * dayMs }))

const usage = async (query: string, token?: string) =>
  (await face.ask(`/v1/usage?${query}`, token === undefined ? {} : { token })).json
const totals = async (query: string, token?: string) =>
  (await usage(query, token)).totals.map(({ integration, step, person, connection, runs, credits, calls }: any) => [
    integration,
    step ?? person ?? connection,
    runs,
    calls,
    credits,
  ])
const since = `since=${today}`

describe('totals of usage', () => {
  test('by step, by person and by connection, the most credits first', async () => {
    expect(await totals(`by=step&${since}`)).toEqual([
      ['contact-data', 'find-contact', 4, 4, 7.5],
      ['work-board', 'create-card', 1, 3, 0],
    ])
    expect(await totals(`by=person&${since}`)).toEqual([
      ['contact-data', null, 1, 1, 4],
      ['contact-data', 'ada', 2, 2, 2.5],
      ['contact-data', 'ben', 1, 1, 1],
      ['work-board', null, 1, 3, 0],
    ])
    expect(await totals(`by=connection&${since}`)).toEqual([
      ['contact-data', contacts.id, 4, 4, 7.5],
      ['work-board', null, 1, 3, 0],
    ])
    const [byStep] = (await usage(`by=step&${since}`)).totals
    expect(byStep).toMatchObject({ name: 'Find Contact', failed: 1, estimatedCredits: 0.5 })
    const [byConnection] = (await usage(`by=connection&${since}`)).totals
    expect(byConnection.name).toBe('=HYPERLINK("http://x.example")')
  })

  test('of a span of days, or of the days back from now', async () => {
    expect(await totals(`by=step&since=${yesterday}&until=${yesterday}`)).toEqual([
      ['contact-data', 'find-contact', 1, 1, 100],
    ])
    expect((await totals(`by=step&days=30`))[0]).toEqual(['contact-data', 'find-contact', 5, 5, 107.5])
    expect((await totals(`by=step&days=60`))[0]).toEqual(['contact-data', 'find-contact', 6, 6, 114.5])
    const spanOf = ({ since: from, until }: any) => [from, until]
    expect(spanOf(await usage(`since=${yesterday}&until=${today}`))).toEqual([yesterday, today])
    expect((await usage('days=1')).until).toBeNull()
    expect((await usage(`since=${yesterday}&until=${yesterday}`)).items).toHaveLength(1)
    expect(await face.ask(`/v1/usage?since=${today}&until=${yesterday}`)).toMatchObject({
      status: 400,
      json: { errors: [{ pointer: '/until' }] },
    })
    expect((await face.ask('/v1/usage?since=2026-13-01')).status).toBe(400)
  })

  test('of one person', async () => {
    expect(await totals(`by=step&person=ada&${since}`)).toEqual([['contact-data', 'find-contact', 2, 2, 2.5]])
    expect(await totals(`by=person&person=ben&${since}`)).toEqual([['contact-data', 'ben', 1, 1, 1]])
  })

  test('a token sees the totals of what it may see', async () => {
    const tokenOf = async (bounds: object) =>
      (await face.pack.tokens.create('default', { name: 'Bound', scopes: ['read'] as Scope[], ...bounds })).text
    expect(await totals(`by=person&${since}`, await tokenOf({ person: 'ada' }))).toEqual([
      ['contact-data', 'ada', 2, 2, 2.5],
    ])
    expect(await totals(`by=person&${since}&person=ben`, await tokenOf({ person: 'ada' }))).toEqual([])
    expect(await totals(`by=person&${since}`, await tokenOf({ steps: ['work-board/create-card'] }))).toEqual([
      ['work-board', null, 1, 3, 0],
    ])
    expect(await totals(`by=person&${since}`, await tokenOf({ connections: [contacts.id] }))).toEqual([
      ['contact-data', null, 1, 1, 4],
      ['contact-data', 'ada', 2, 2, 2.5],
      ['contact-data', 'ben', 1, 1, 1],
    ])
    await face.pack.tenants.create({ id: 'blue', name: 'Blue' })
    const { text: theirs } = await face.pack.tokens.create('blue', { name: 'Theirs', scopes: ['read'] })
    expect(await totals(`by=person&days=366`, theirs)).toEqual([])
  })

  test('a run that is written twice counts once', async () => {
    const again = run('default', 't0', { ...rows[0]!, createdAt: now })
    await store.runs.record(again)
    await store.runs.record({ ...again, credits: 3 })
    expect((await totals(`by=person&person=ada&${since}`))[0]).toEqual(['contact-data', 'ada', 2, 2, 3.5])
    const all = await totals(`by=person&${since}`)
    expect(all.find(([, person]: any) => person === 'ada')).toEqual(['contact-data', 'ada', 2, 2, 3.5])
    await store.runs.record(again)
  })

  test('credits are shown in money where the operator gives a price', async () => {
    const [first, second] = (await usage(`by=step&${since}`)).totals
    expect(first.money).toEqual({ amount: 0.15, currency: 'EUR' })
    expect(second).not.toHaveProperty('money')
    const { items } = await usage(since)
    expect(items.find(({ integration }: any) => integration === 'contact-data').money).toEqual({
      amount: 0.15,
      currency: 'EUR',
    })
    expect((await face.ask('/v1/server')).json.creditPrices).toEqual(prices)
  })

  test('as CSV, of which no spreadsheet computes anything', async () => {
    const csv = await face.ask(`/v1/usage/export?by=connection&${since}`)
    expect(csv.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="usage-by-connection.csv"',
    })
    expect(csv.text.split('\r\n')).toEqual([
      '"integration","connection","name","runs","failed","calls","credits","estimatedCredits","amount","currency"',
      `"contact-data","${contacts.id}","'=HYPERLINK(""http://x.example"")",4,1,4,7.5,0.5,0.15,"EUR"`,
      '"work-board",,,1,0,3,0,0,,',
      '',
    ])
  })
})

test('prices of an integration that is not there are refused', async () => {
  await expect(openHttpWorld({ creditPrices: { none: { amount: 1, currency: 'EUR' } } })).rejects.toMatchObject({
    code: 'not_found',
  })
})
