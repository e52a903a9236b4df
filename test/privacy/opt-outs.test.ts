/**
 * Whom a provider names as opted out, in requests signed as its documents say, is neither looked up nor shown any more.
 */
import { createHmac } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHttp } from '../../shared/faces/http/app.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { integrations } from '../data/harness.ts'

const caller = { tenant: 'default' }
const secret = 'webhook-secret-of-the-account'
const [person] = createDataSet().people.filter(
  ({ knownTo, suppressed, workEmail }) => knownTo.includes('contact') && !suppressed && workEmail,
)

let contact: ContactSandbox
let store: ReturnType<typeof createMemoryStore>
let pack: Pack
let origin: string
let close: () => Promise<unknown>
const lines: Record<string, unknown>[] = []

beforeEach(async () => {
  lines.length = 0
  contact = await startContactSandbox({ profile: 'lusha-v3', limits: { requests: 100_000 } })
  store = createMemoryStore()
  pack = await createPack({
    integrations,
    store,
    wire: { 'contact-data': contact.override },
    egress: { privateOrigins: [contact.origin] },
    log: (level, event, about) => void lines.push({ level, event, ...about }),
  })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: contact.credentials,
  })
  const http = await createHttp({ pack, version: '0.0.0' })
  await http.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`
  close = () => http.close()
})
afterEach(async () => {
  await close()
  await Promise.all([pack.close(), contact.close()])
})

const named = () => ({
  contactId: '987654321',
  fullName: 'Somebody',
  linkedinUrl: 'https://www.linkedin.com/in/no-such-profile-here',
  contactOptOutDate: '2026-04-22 14:32:11.412',
  datapoints: [
    { datapointId: '+61491570156', datapointType: 'phone' },
    { datapointId: person!.workEmail, datapointType: 'email' },
  ],
})
type Sent = { body?: unknown; by?: string; at?: number; to?: string; signed?: unknown }
/** As the vendor's page on security says: HMAC-SHA256 in hexadecimal over the time, a dot, and the JSON. */
const deliver = async ({
  body = named(),
  by = secret,
  at = Date.now(),
  to = 'contact-data/opt-outs.default',
  signed = body,
}: Sent = {}) => {
  const time = String(Math.floor(at / 1000))
  const signature = createHmac('sha256', by)
    .update(`${time}.${JSON.stringify(signed)}`)
    .digest('hex')
  const headers = { 'content-type': 'application/json', 'x-lusha-signature': signature, 'x-lusha-timestamp': time }
  return fetch(`${origin}/hooks/${to}`, { method: 'POST', headers, body: JSON.stringify(body) })
}
const send = async (sent: Sent = {}) => (await deliver(sent)).status
const listed = async () => (await pack.suppressions.list(caller, { limit: 50 })).items
const find = () =>
  pack.steps.run(caller, { integration: 'contact-data', step: 'find-contact', input: { email: person!.workEmail } })

test('whom a signed request names is on the list before it is acknowledged, and is not asked for', async () => {
  await pack.apps.put(caller, 'contact-data', { key: 'account', secret })
  expect(await find()).toMatchObject({ ok: true })
  const { requests } = contact.control.counters()
  expect(await send()).toBe(200)
  expect((await listed()).map(({ kind, source }) => [kind, source]).sort()).toEqual([
    ['email', 'webhook'],
    ['linkedin', 'webhook'],
    ['phone', 'webhook'],
    ['recordId', 'webhook'],
  ])
  expect(await find()).toMatchObject({ ok: false, failure: { code: 'suppressed' } })
  expect(contact.control.counters().requests).toBe(requests)
  // Sent again, as providers do.
  expect(await send()).toBe(200)
  expect(await listed()).toHaveLength(4)
  expect(JSON.stringify(lines)).not.toContain(person!.workEmail)
})

const somebody = (_: unknown, n: number) => ({ datapointId: `somebody-${n}@example.com`, datapointType: 'email' })

test('all whom a request names are taken, however many', async () => {
  await pack.apps.put(caller, 'contact-data', { key: 'account', secret })
  const otherDatapoints = Array.from({ length: 3000 }, somebody)
  const datapoints = [...otherDatapoints, { datapointId: person!.workEmail, datapointType: 'email' }]
  expect(await send({ body: { contactId: '1', datapoints } })).toBe(200)
  expect(await find()).toMatchObject({ ok: false, failure: { code: 'suppressed' } })
  let count = 0
  for (let cursor: string | undefined; ;) {
    const { items, next } = await pack.suppressions.list(caller, { limit: 1000, ...(cursor ? { cursor } : {}) })
    count += items.length
    if ((cursor = next) === undefined) break
  }
  expect(count).toBe(3002)
})

test('a request of which a part cannot be stored is not acknowledged, and is taken whole when repeated', async () => {
  await pack.apps.put(caller, 'contact-data', { key: 'account', secret })
  const datapoints = Array.from({ length: 600 }, somebody)
  const { add } = store.suppressions
  let calls = 0
  store.suppressions.add = (rows) => ((calls += 1) === 2 ? Promise.reject(new Error('disk full')) : add(rows))
  const refused = await deliver({ body: { datapoints: [...datapoints, named().datapoints[1]] } })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30'])
  expect(await send({ body: { datapoints: [...datapoints, named().datapoints[1]] } })).toBe(200)
  expect(await find()).toMatchObject({ ok: false, failure: { code: 'suppressed' } })
})

test('an acknowledgement has the form that the vendor demands; a refusal has none', async () => {
  await pack.apps.put(caller, 'contact-data', { key: 'account', secret })
  const answer = async (body: unknown, more: Sent = {}) => {
    const reply = await deliver({ ...more, body })
    const text = await reply.text()
    return [reply.status, reply.headers.get('content-type'), text === '' ? '' : JSON.parse(text)]
  }
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string
  // A request about an opt-out has no id of its own in the documents, as the other deliveries have.
  for (const [id, webhookId] of [
    ['f3b87e05-0402-4f3e-8e26-6a38fd0ad62c', 'f3b87e05-0402-4f3e-8e26-6a38fd0ad62c'],
    [undefined, '987654321'],
  ])
    expect(await answer({ ...named(), id })).toEqual([
      200,
      'application/json',
      { received: true, timestamp, webhookId },
    ])
  expect(await answer({ ...named(), contactId: 'x'.repeat(300) })).toEqual([
    200,
    'application/json',
    { received: true, timestamp },
  ])
  expect(await answer({ datapoints: [] })).toEqual([422, null, ''])
  expect(await answer(named(), { by: 'another-secret' })).toEqual([401, null, ''])
})

test('nothing is taken that is not signed with the secret of the tenant, or is old', async () => {
  expect(await send()).toBe(401)
  await pack.apps.put(caller, 'contact-data', { key: 'account', secret })
  await pack.tenants.create({ id: 'other', name: 'Other' })
  const refused: Sent[] = [
    { by: 'another-secret' },
    { by: '' },
    { signed: { ...named(), datapoints: [] } },
    { at: Date.now() - 400_000 },
    { at: Date.now() + 400_000 },
    { to: 'contact-data/opt-outs.other' },
    { to: 'contact-data/opt-outs.nobody' },
    { to: 'contact-data/opt-outs.' },
  ]
  for (const request of refused) expect([request, await send(request)]).toEqual([request, 401])
  expect(await send({ to: 'anz-data/opt-outs.default' })).toBe(404)
  expect(await listed()).toEqual([])
})

test('what names nobody is refused and logged, and what can be read counts beside what cannot', async () => {
  await pack.apps.put(caller, 'contact-data', { key: 'account', secret })
  for (const body of [
    {},
    [],
    { datapoints: 'none' },
    { datapoints: [{ datapointType: 'fax', datapointId: '1' }] },
    { linkedinUrl: 'https://example.com' },
  ])
    expect([body, await send({ body })]).toEqual([body, 422])
  expect(lines.filter(({ event }) => event === 'opt_outs.not_understood')).toHaveLength(5)
  const datapoints = [
    { datapointId: 'not a number', datapointType: 'phone' },
    { datapointId: person!.workEmail, datapointType: 'email' },
  ]
  expect(await send({ body: { datapoints } })).toBe(200)
  expect(await listed()).toHaveLength(1)
})

test('the address answers the challenge once there is a secret', async () => {
  const ask = async (query: string) => {
    const reply = await fetch(`${origin}/hooks/contact-data/opt-outs.default${query}`)
    return [reply.status, await reply.text()]
  }
  expect((await ask('?challenge=a1b2'))[0]).toBe(404)
  await pack.apps.put(caller, 'contact-data', { key: 'account', secret })
  expect(await ask('?challenge=a1b2')).toEqual([200, '{"challenge":"a1b2"}'])
  expect((await ask('?challenge=<script>'))[0]).toBe(405)
  expect((await ask(''))[0]).toBe(405)
})
