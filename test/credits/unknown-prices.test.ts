import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { contactId } from '../../shared/sandbox/contact/lusha/find.ts'
import { callable } from '../sandbox/lusha-client.ts'

/**
 * A request that may be charged anything: it takes the operator's consent and a limit, all of which is reserved,
 * whichever way it comes.
 */

const caller = { tenant: 'default' }
const path = '/v3/contacts/enrich'
const [without, other] = callable.filter(({ workEmail }) => !workEmail)
const ids = [contactId(without!)]
const many = [contactId(without!), contactId(other!)]

let contact: ContactSandbox
let pack: Pack
let connection: string
beforeAll(async () => {
  contact = await startContactSandbox({ profile: 'lusha-v3', credits: 5000, limits: { requests: 10_000 } })
  pack = await createPack({
    wire: { 'contact-data': { profile: 'lusha-v3', ...contact.override } },
    egress: { privateOrigins: [contact.origin] },
  })
  const { id } = await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: contact.credentials,
  })
  connection = id
})
const allow = (paths: string[]) => pack.policies.put('default', { apiCallUnpriced: { 'contact-data': paths } }, caller)
beforeEach(async () => {
  contact.control.reset()
  contact.control.setSwitches({ waterfall: 'on' })
  await pack.cache.clear(caller, { all: true })
  await allow([])
})
afterAll(() => Promise.all([pack.close(), contact.close()]))

const run = (step: string, input: object, over: object = {}) =>
  pack.steps.run(caller, { integration: 'contact-data', step, input, ...over })
const failureOf = (outcome: Awaited<ReturnType<typeof run>>) => (outcome.ok ? undefined : outcome.failure)
const sent = () => contact.control.requests()
const bodyOf = (at: number) => sent().at(at)!.body as Record<string, unknown>

const apiBody = (more: object) => ({ method: 'POST', path, body: { ids, reveal: ['emails'], ...more } })
const ways: [name: string, step: string, input: object, field: string][] = [
  [
    'Reveal Contacts',
    'reveal-contacts',
    { personIds: ids, reveal: ['emails'], waterfallReveal: true },
    'waterfallReveal',
  ],
  [
    'several people',
    'reveal-contacts',
    { personIds: many, reveal: ['emails'], waterfallReveal: true },
    'waterfallReveal',
  ],
  [
    'Search and Enrich Contacts',
    'search-and-enrich-contacts',
    { company: without!.company.name, reveal: ['emails'], waterfallReveal: true },
    'waterfallReveal',
  ],
  ['API Call', 'api-call', apiBody({ waterfallEnabled: true }), 'waterfallEnabled'],
  [
    'API Call of another spelling',
    'api-call',
    { ...apiBody({ waterfallEnabled: true }), path: '/V3/Contacts/enrich/' },
    'waterfallEnabled',
  ],
  ['API Call that leaves it to the provider', 'api-call', { ...apiBody({}), strict: false }, 'waterfallEnabled'],
  [
    'API Call with a text',
    'api-call',
    { ...apiBody({ waterfallEnabled: 'false' }), strict: false },
    'waterfallEnabled',
  ],
  [
    'API Call that says it twice',
    'api-call',
    { ...apiBody({ waterfallEnabled: false, WaterfallEnabled: true }), strict: false },
    'waterfallEnabled',
  ],
]

describe.each(ways)('%s', (_, step, input, field) => {
  test.each([
    ['without consent and limit', [], {}],
    ['without consent', [], { maxCredits: 100 }],
    ['without a limit', [path, '/V3/**'], {}],
    ['with a budget in place of the limit', [path, '/V3/**'], { budget: true }],
    ['in a dry run', [], { dryRun: true }],
  ])('%s is refused with what it takes, and nothing is sent', async (__, paths, { budget, ...call }: any) => {
    await allow(paths)
    const made = budget && (await pack.budgets.create(caller, { scope: 'tenant', credits: 1000, period: 'total' }))
    const failure = failureOf(await run(step, input, call))
    if (made) await pack.budgets.remove(caller, made.id)
    expect(failure?.code).toBe('budget_exceeded')
    expect(failure?.message).toMatch(new RegExp(`"${field}".*apiCallUnpriced.*maxCredits.*"${field}" to false`))
    expect(sent()).toEqual([])
  })
})

test.each(ways.slice(0, 4))(
  '%s: with both, all of the limit is reserved, and the answer settles',
  async (_, step, input) => {
    await allow([path])
    const { id } = await pack.budgets.create(caller, {
      scope: 'connection',
      subject: connection,
      credits: 60,
      period: 'total',
    })
    try {
      const dear = failureOf(await run(step, input, { maxCredits: 61 }))
      expect([dear?.code, sent().length]).toEqual(['budget_exceeded', 0])
      expect(dear?.message).toContain(id)
      const outcome = await run(step, input, { maxCredits: 60 })
      expect(failureOf(outcome)).toBeUndefined()
      expect(bodyOf(-1)).toMatchObject({ waterfallEnabled: true })
      const charged = contact.control.counters().creditsCharged
      expect(charged).toBeGreaterThanOrEqual(7)
      expect([outcome.meta.quoted?.[1], outcome.meta.credits]).toEqual([60, { charged, estimated: false }])
      expect((await pack.budgets.get(caller, id)).spent).toBe(charged)
      if (step !== 'api-call') expect(JSON.stringify(outcome)).toContain(`@${without!.company.domain}`)
    } finally {
      await pack.budgets.remove(caller, id)
    }
  },
)

test('a limit below the known price is refused, and a dry run shows all of the limit', async () => {
  await allow([path])
  const input = { personIds: many, waterfallReveal: true }
  expect(failureOf(await run('reveal-contacts', input, { maxCredits: 11 }))?.code).toBe('budget_exceeded')
  const dry = await run('reveal-contacts', input, { maxCredits: 40, dryRun: true })
  expect(dry).toMatchObject({ ok: true, value: { price: { total: [0, 40] } } })
  expect(sent()).toEqual([])
})

test('without an answer all of the limit counts as charged', async () => {
  await allow([path])
  contact.control.inject({ cut: 'reset', when: 'after', times: 5 })
  const outcome = await run('reveal-contacts', { personIds: ids, waterfallReveal: true }, { maxCredits: 30 })
  expect(failureOf(outcome)?.code).toBe('outcome_unknown')
  expect(outcome.meta.credits).toEqual({ charged: 30, estimated: true })
  contact.control.reset()
  contact.control.inject({ answer: { status: 200, body: { results: many.map((id) => ({ id, firstName: 'Ada' })) } } })
  const unsaid = await run('reveal-contacts', { personIds: many, waterfallReveal: true }, { maxCredits: 30 })
  expect(unsaid.meta.credits).toEqual({ charged: 30, estimated: true })
})

test('where nobody asks for it, it is off: in the steps, and in API Call', async () => {
  for (const more of [{}, { waterfallReveal: false }]) {
    await run('reveal-contacts', { personIds: ids, ...more }, { refresh: true })
    expect(bodyOf(-1).waterfallEnabled).toBe(false)
  }
  const outcome = await run('api-call', apiBody({}), { maxCredits: 6 })
  expect([failureOf(outcome), bodyOf(-1)]).toEqual([undefined, { ids, reveal: ['emails'], waterfallEnabled: false }])
  expect(contact.control.counters().creditsCharged).toBeLessThan(7)
})
