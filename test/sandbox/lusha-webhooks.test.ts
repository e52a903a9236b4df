/** Webhooks of the sandbox of Lusha v3: subscriptions, the secret of the account, deliveries, and their log. */
import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { companyId, contactId } from '../../shared/sandbox/contact/lusha/find.ts'
import { handTimers } from './board-receiver.ts'
import type { Timers } from './board-receiver.ts'
import { callable, clientOf, companies, full } from './lusha-client.ts'
import { startAcknowledger } from './lusha-receiver.ts'
import type { Acknowledger } from './lusha-receiver.ts'

const clock = { at: 0 }
let timers: Timers
let sandbox: ContactSandbox
let receiver: Acknowledger
beforeEach(async () => {
  clock.at = 1_700_000_000_000
  timers = handTimers(clock)
  receiver = await startAcknowledger()
  sandbox = await startContactSandbox({
    profile: 'lusha-v3',
    now: () => clock.at,
    schedule: timers.schedule,
    // Waiting for the log sends requests, and the clock stands still meanwhile.
    limits: { requests: 100_000 },
    windows: { minute: 100_000, webhooks: 100_000 },
  })
})
afterEach(() => Promise.all([sandbox.close(), receiver.close()]))
const { send, post, get, chargedFor } = clientOf(() => sandbox)

const contact = contactId(full[0]!)
const company = companyId(companies[0]!)
const subscriptions = '/api/subscriptions'
const create = (items: object[], defaults: object = {}) =>
  post(subscriptions, { defaults: { url: receiver.url, ...defaults }, subscriptions: items })
const createContact = async (types = ['promotion', 'companyChange']) =>
  (await create([{ entityType: 'contact', entityId: contact, signalTypes: types }])).body.results[0].subscription
const newSecret = async () => (await send('POST', '/api/account/secret/regenerate')).body.secret as string
const logs = async (query = '') => (await get(`/api/audit-logs${query}`)).body.data
const signal = (about: object = {}) =>
  sandbox.tell('signal', { entityType: 'contact', entityId: contact, type: 'promotion', ...about })
/** Waits for what a real socket has to bring. */
const arrived = (count: number) =>
  expect.poll(() => receiver.received.length, { timeout: 5000, interval: 10 }).toBe(count)
const logged = (count: number) =>
  expect.poll(async () => (await logs()).length, { timeout: 5000, interval: 10 }).toBe(count)

describe('making subscriptions', () => {
  test('each item succeeds or fails alone', async () => {
    const items = [
      { entityId: '1', entityType: 'contact', name: 'First' },
      { entityId: '1', entityType: 'contact' },
      { entityId: '1', entityType: 'company' },
      { entityId: '2' },
      { entityId: '3', entityType: 'contact', signalTypes: ['no-such-type'] },
      { entityId: '4', entityType: 'company', signalTypes: ['promotion'] },
    ]
    const { status, body } = await create(items, { signalTypes: ['promotion', 'itSpendIncrease'] })
    expect([status, body.total, body.successful, body.failed]).toEqual([201, 6, 2, 4])
    expect(body.results.map((result: any) => result.error?.code ?? result.subscription.entityType)).toEqual([
      'contact',
      'DUPLICATE_SUBSCRIPTION',
      'company',
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
    ])
    expect(body.results[1].error.message).toBe(
      "Subscription already exists for entity type 'contact' with entity ID '1'",
    )
    const { id, createdAt, ...made } = body.results[0].subscription
    expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(made).toEqual({
      entityType: 'contact',
      entityId: '1',
      signalTypes: ['promotion', 'itSpendIncrease'],
      url: receiver.url,
      name: 'First',
      isActive: true,
      blockReason: null,
      blockedAt: null,
      updatedAt: createdAt,
    })
  })

  test.each([
    ['no items', { defaults: { url: 'https://a.example/h' }, subscriptions: [] }],
    [
      '26 items',
      {
        defaults: { url: 'https://a.example/h' },
        subscriptions: Array.from({ length: 26 }, (_, at) => ({ entityId: String(at) })),
      },
    ],
    ['an HTTP address', { defaults: { url: 'http://a.example/h' }, subscriptions: [{ entityId: '1' }] }],
    ['no address', { defaults: {}, subscriptions: [{ entityId: '1' }] }],
    ['a number as id', { defaults: { url: 'https://a.example/h' }, subscriptions: [{ entityId: 1 }] }],
    ['an unknown field', { defaults: { url: 'https://a.example/h' }, subscriptions: [{ entityId: '1', secret: 's' }] }],
  ])('with %s are refused as a whole', async (_, body) => {
    const reply = await post(subscriptions, body)
    expect([reply.status, reply.body.statusCode, reply.body.errors.length]).toEqual([400, 400, 1])
    expect((await get(subscriptions)).body.pagination.total).toBe(0)
  })

  test('more than the account may have are refused', async () => {
    sandbox.tell('webhooks', { maxSubscriptions: 1 })
    const item = { entityType: 'contact', signalTypes: ['promotion'] }
    expect((await create([{ ...item, entityId: '1' }])).status).toBe(201)
    const { status, body } = await create([{ ...item, entityId: '2' }])
    expect([status, body.message]).toEqual([403, 'Maximum subscriptions limit reached for your account'])
  })

  test('100 management requests a minute, whatever their path', async () => {
    await sandbox.close()
    sandbox = await startContactSandbox({ profile: 'lusha-v3', now: () => clock.at })
    for (let count = 0; count < 100; count += 1) {
      if (count % 20 === 0) clock.at += 1000
      expect((await get(count % 2 === 0 ? subscriptions : '/api/audit-logs')).status).toBe(200)
    }
    clock.at += 1000
    const { status, body } = await get(subscriptions)
    expect([status, body.message]).toEqual([429, expect.stringContaining('Webhooks rate limit exceeded')])
    expect((await get('/v3/account/usage')).status).toBe(200)
    clock.at += 60_000
    expect((await get(subscriptions)).status).toBe(200)
  })
})

test('lists are newest first, by limit and offset', async () => {
  const ids = ['1', '2', '3']
  await create(
    ids.map((entityId) => ({ entityId, entityType: 'contact' })),
    { signalTypes: ['allSignals'] },
  )
  const page = await get(`${subscriptions}?limit=2&offset=1`)
  expect(page.body.data.map(({ entityId }: any) => entityId)).toEqual(['2', '1'])
  expect(page.body.pagination).toMatchObject({ total: 3, limit: 2, offset: 1, hasMore: false })
  expect((await get(subscriptions)).body.pagination).toMatchObject({ limit: 10, hasMore: false })
  for (const query of ['limit=0', 'limit=101', 'offset=-1', 'page=1'])
    expect((await get(`${subscriptions}?${query}`)).status).toBe(400)
})

test('a subscription is read, changed and deleted; unknown ids are said for each', async () => {
  const { id } = await createContact()
  const at = `${subscriptions}/${id}`
  const changed = await send('PATCH', at, { signalTypes: ['companyChange'], name: 'Other', isActive: false })
  expect([changed.status, changed.body.name, changed.body.isActive]).toEqual([200, 'Other', false])
  expect((await get(at)).body).toEqual(changed.body)
  expect((await send('PATCH', at, { signalTypes: ['headcountIncrease1m'] })).status).toBe(400)
  expect((await send('PATCH', at, { entityId: '2' })).status).toBe(400)

  const { body } = await post(`${subscriptions}/delete`, { ids: [id, id, 'sub-456'] })
  expect(body).toEqual({
    total: 2,
    successful: 1,
    failed: 1,
    results: [
      { index: 0, success: true, subscription: { id, entityType: 'contact', entityId: contact, name: 'Other' } },
      {
        index: 1,
        success: false,
        error: { code: 'NOT_FOUND', message: "Subscription with id 'sub-456' not found" },
      },
    ],
  })
  for (const [method, path, sent] of [
    ['GET', at, undefined],
    ['PATCH', at, { isActive: true }],
    ['POST', `${at}/test`, undefined],
  ] as const)
    expect((await send(method, path, sent)).status).toBe(404)
  expect((await createContact()).id).not.toBe(id)
})

describe('the secret of the account', () => {
  test('is made when asked for, and read afterwards', async () => {
    const none = await get('/api/account/secret')
    expect([none.status, none.body.message]).toEqual([404, 'Account secret not found. Please generate one first.'])
    const secret = await newSecret()
    expect(secret).toMatch(/^whsec_[0-9a-f]{51}$/)
    expect((await get('/api/account/secret')).body).toEqual({ secret })
  })

  test('a new one ends the former one for every subscription', async () => {
    const former = await newSecret()
    const { id } = await createContact()
    const { secret } = (await send('PATCH', `${subscriptions}/${id}`, { regenerateSecret: true })).body
    expect(secret).not.toBe(former)
    signal()
    await arrived(1)
    const { headers, body } = receiver.received[0]!
    const signed = (key: string) =>
      createHmac('sha256', key).update(`${headers['x-lusha-timestamp']}.${body}`).digest('hex')
    expect(headers['x-lusha-signature']).toBe(signed(secret))
    expect(headers['x-lusha-signature']).not.toBe(signed(former))
  })

  test('without it nothing is delivered or charged, and the log says why', async () => {
    await createContact()
    signal()
    await logged(1)
    expect((await logs())[0]).toMatchObject({ status: 'permanent_failure', error: 'Account secret not found' })
    expect([receiver.received.length, chargedFor()]).toEqual([0, {}])
  })
})

describe('a signal', () => {
  beforeEach(newSecret)

  test('of a subscribed type is delivered once, signed, and charged', async () => {
    const { id } = await createContact()
    signal({ type: 'companyChange' })
    await arrived(1)
    await logged(1)
    const { headers, json } = receiver.received[0]!
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Lusha-Webhooks/1.0',
      'x-lusha-timestamp': '1700000000',
    })
    expect(json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'companyChange',
      entityType: 'contact',
      entityId: contact,
      subscriptionId: id,
      data: expect.objectContaining({ personId: Number(contact), currentTitle: full[0]!.title }),
      timestamp: '2023-11-14T22:13:20.000Z',
      billing: { creditsCharged: 1 },
    })
    expect(json.data.previousCompanyName).not.toBe(json.data.currentCompanyName)
    expect(chargedFor()).toEqual({ signals: 1 })
    expect(await logs()).toEqual([
      expect.objectContaining({
        subscriptionId: id,
        payloadId: json.id,
        status: 'success',
        statusCode: 201,
        error: null,
      }),
    ])
  })

  test('of another type, of another contact, or of a paused subscription is none', async () => {
    const { id } = await createContact(['promotion'])
    signal({ type: 'companyChange' })
    signal({ entityId: contactId(callable[5]!) })
    await send('PATCH', `${subscriptions}/${id}`, { isActive: false })
    signal()
    await send('PATCH', `${subscriptions}/${id}`, { isActive: true })
    signal()
    await arrived(1)
    await logged(1)
    expect(chargedFor()).toEqual({ signals: 1 })
  })

  test('of every type reaches a subscription to all of them, with the data that it was told', async () => {
    await create([{ entityType: 'company', entityId: company, signalTypes: ['allSignals'] }])
    const data = { companyId: company, growth: 12 }
    signal({ entityType: 'company', entityId: company, type: 'headcountIncrease3m', data })
    signal({ entityType: 'company', entityId: company, type: 'riskNews' })
    await arrived(2)
    const byType = Object.fromEntries(receiver.received.map(({ json }) => [json.type, json.data]))
    expect(byType.headcountIncrease3m).toEqual(data)
    expect(byType.riskNews).toMatchObject({ companyName: companies[0]!.name, articleUrl: expect.any(String) })
  })

  test.each([
    [{ type: 'headcountIncrease1m' }, /"type" has to be one of promotion, companyChange/],
    [{ type: 'allSignals' }, /"type"/],
    [{ entityType: 'person' }, /"entityType"/],
    [{ entityId: 7 }, /"entityId"/],
  ])('that cannot happen is refused: %j', (about, why) => {
    expect(() => signal(about)).toThrow(why)
  })

  test('is not delivered when the account cannot pay for it', async () => {
    await createContact()
    sandbox.control.setCredits(0)
    signal()
    await logged(1)
    expect((await logs())[0]).toMatchObject({ error: 'Insufficient credits', statusCode: 0 })
    expect(receiver.received).toEqual([])
  })

  test('happens over HTTP too', async () => {
    await createContact()
    const tell = (body: object) =>
      fetch(`${sandbox.origin}/_control/signal`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await tell({ entityType: 'contact', entityId: contact, type: 'promotion' })).status).toBe(200)
    expect((await tell({ entityType: 'contact', entityId: contact })).status).toBe(400)
    await arrived(1)
  })
})

describe('an answer', () => {
  beforeEach(newSecret)
  const repeats = async () => {
    for (const [at, wait] of [60_000, 120_000, 240_000].entries()) {
      await logged(at + 1)
      timers.advance(wait)
      await arrived(at + 2)
    }
    await logged(4)
  }

  test.each([
    ['status 200 alone', { status: 200, body: '' }, 'Invalid acknowledgment'],
    ['another id', { webhookId: 'another' }, 'Invalid acknowledgment'],
    ['received: false', { received: false }, 'Invalid acknowledgment'],
    ['no time', { timestamp: undefined }, 'Invalid acknowledgment'],
    ['text', { contentType: 'text/plain' }, 'Invalid acknowledgment'],
    ['status 500', { status: 500 }, 'Request failed with status code 500'],
    ['a redirect', { status: 302 }, 'Request failed with status code 302'],
  ])('of %s counts as failed, and is repeated', async (_, answer, error) => {
    const { id } = await createContact()
    Object.assign(receiver.answer, answer)
    signal()
    await logged(1)
    expect((await logs())[0]).toMatchObject({ subscriptionId: id, status: 'failed', error })
    Object.assign(receiver.answer, { status: 201, body: undefined }, receiver.asRequired)
    timers.advance(60_000)
    await logged(2)
    expect((await logs())[0]).toMatchObject({ status: 'success', error: null })
    const [first, second] = receiver.received
    expect(second!.json).toEqual(first!.json)
    expect(second!.headers['x-lusha-timestamp']).toBe('1700000060')
    expect(second!.headers['x-lusha-signature']).not.toBe(first!.headers['x-lusha-signature'])
    expect(chargedFor()).toEqual({ signals: 1 })
  })

  test('that does not come within 10 s counts as failed', async () => {
    await createContact()
    receiver.answer.hang = true
    signal()
    await arrived(1)
    timers.advance(10_000)
    await logged(1)
    expect((await logs())[0]).toMatchObject({ error: 'No response within 10 seconds', durationMs: 10_000 })
  })

  test('after three failed repeats the subscription is disabled until it is activated again', async () => {
    const { id } = await createContact()
    receiver.answer.status = 503
    signal()
    await repeats()
    const disabled = (await get(`${subscriptions}/${id}`)).body
    expect(disabled).toMatchObject({ isActive: false, blockReason: 'Max retries exceeded' })
    expect(Date.parse(disabled.blockedAt)).toBe(clock.at)
    expect((await logs()).map(({ status }: any) => status)).toEqual(['permanent_failure', 'failed', 'failed', 'failed'])
    signal()
    expect(chargedFor()).toEqual({ signals: 1 })

    receiver.answer.status = 201
    const active = (await send('PATCH', `${subscriptions}/${id}`, { isActive: true })).body
    expect(active).toMatchObject({ isActive: true, blockReason: null, blockedAt: null })
    signal()
    await logged(5)
    expect((await logs())[0].status).toBe('success')
    expect(timers.waiting().filter((ms) => ms > 10_000)).toEqual([])
  })

  test('a deleted subscription is not repeated', async () => {
    const { id } = await createContact()
    receiver.answer.status = 500
    signal()
    await logged(1)
    await post(`${subscriptions}/delete`, { ids: [id] })
    timers.advance(60_000)
    expect((await get('/api/audit-logs/stats')).body).toEqual({
      total: 1,
      success: 0,
      failed: 1,
      successRate: '0.00%',
    })
    expect(receiver.received.length).toBe(1)
  })
})

test('a test delivery is signed, answered with its outcome, and free', async () => {
  const { id } = await createContact()
  expect((await send('POST', `${subscriptions}/${id}/test`)).status).toBe(400)
  const secret = await newSecret()
  const { body } = await send('POST', `${subscriptions}/${id}/test?mode=direct`)
  expect(body).toMatchObject({
    subscriptionId: id,
    url: receiver.url,
    mode: 'direct',
    isSuccess: true,
    flowCheck: { success: true, statusCode: 201 },
    testPayload: { entityType: 'contact', signalType: 'promotion' },
  })
  const { headers, body: sent } = receiver.received[0]!
  expect(headers['x-lusha-signature']).toBe(createHmac('sha256', secret).update(`1700000000.${sent}`).digest('hex'))
  receiver.answer.status = 404
  expect((await send('POST', `${subscriptions}/${id}/test`)).body).toMatchObject({
    isSuccess: false,
    flowCheck: { statusCode: 404 },
  })
  expect((await send('POST', `${subscriptions}/${id}/test?mode=fast`)).status).toBe(400)
  expect([chargedFor(), await logs()]).toEqual([{}, []])
})

test('the log is filtered, counted, and kept for 90 days, or 180 where a delivery failed', async () => {
  await newSecret()
  const { id } = await createContact()
  signal()
  await logged(1)
  receiver.answer.status = 500
  signal()
  await logged(2)
  expect((await logs('?status=success')).length).toBe(1)
  expect((await logs(`?subscriptionId=${id}&status=failed`)).length).toBe(1)
  expect(await logs('?subscriptionId=another')).toEqual([])
  expect((await get('/api/audit-logs?status=lost')).status).toBe(400)
  expect((await get('/api/audit-logs/stats')).body).toEqual({
    total: 2,
    success: 1,
    failed: 1,
    successRate: '50.00%',
  })
  clock.at += 91 * 86_400_000
  expect((await logs()).map(({ status }: any) => status)).toEqual(['failed'])
  clock.at += 90 * 86_400_000
  expect(await logs()).toEqual([])
})

describe('people who opt out', () => {
  test('are told to the one subscription for them, free of charge, with a status as answer', async () => {
    await newSecret()
    const body = { entityType: 'contact', url: receiver.url, name: 'Opt-outs' }
    const made = await post(`${subscriptions}/opt-out`, body)
    expect([made.status, made.body.signalTypes]).toEqual([201, ['optOut']])
    const second = await post(`${subscriptions}/opt-out`, body)
    expect([second.status, second.body.message]).toEqual([
      403,
      'An opt-out subscription already exists for this account',
    ])
    Object.assign(receiver.answer, { status: 200, body: '' })
    sandbox.tell('opt-out', { entityId: contact })
    await logged(1)
    expect(receiver.received[0]!.json).toMatchObject({
      contactId: contact,
      contactOptOutDate: '2023-11-14 22:13:20.000',
      datapoints: expect.arrayContaining([{ datapointId: full[0]!.workEmail, datapointType: 'email' }]),
    })
    expect([(await logs())[0].status, chargedFor()]).toEqual(['success', {}])
    const found = await post('/v3/contacts/search-and-enrich', { contacts: [{ email: full[0]!.workEmail }] })
    expect(found.body.results[0].error.code).toBe('COMPLIANCE_RESTRICTED')
    sandbox.control.reset()
    const again = await post('/v3/contacts/search-and-enrich', { contacts: [{ email: full[0]!.workEmail }] })
    expect(again.body.results[0].error).toBeUndefined()
  })

  test('nobody else has that id', () => {
    expect(() => sandbox.tell('opt-out', { entityId: '0' })).toThrow(/No contact has the id "0"/)
  })
})

test('a reset forgets subscriptions, secret, log and repeats', async () => {
  await newSecret()
  await createContact()
  receiver.answer.status = 500
  signal()
  await logged(1)
  expect(timers.waiting()).toContain(60_000)
  sandbox.control.reset()
  expect(timers.waiting()).not.toContain(60_000)
  expect((await get(subscriptions)).body.data).toEqual([])
  expect((await get('/api/account/secret')).status).toBe(404)
  expect(await logs()).toEqual([])
})
