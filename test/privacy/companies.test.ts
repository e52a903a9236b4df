import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'

/** Companies whose data names somebody who opted out: they are shown without that person's part. */

const caller = { tenant: 'default' }
const gone = 'kofi@birrell.example'
let contact: ContactSandbox
let pack: Pack
beforeAll(async () => {
  contact = await startContactSandbox({ profile: 'lusha-v3', credits: 5000, limits: { requests: 10_000 } })
  pack = await createPack({
    wire: { 'contact-data': { profile: 'lusha-v3', ...contact.override } },
    egress: { privateOrigins: [contact.origin] },
  })
  const account = { integration: 'contact-data', type: 'api-key', name: 'Contacts', secrets: contact.credentials }
  await pack.connections.create(caller, account)
  await pack.suppressions.add(caller, [{ email: gone }, { phone: '+64 21 555 0177' }])
})
beforeEach(() => contact.control.reset())
afterAll(() => Promise.all([pack.close(), contact.close()]))

const topic = (topicName: string, contacts: object[]) => ({ topicName, metadata: { topicScore: 80, contacts } })
const person = (name: string, more: object) => ({ name, title: 'Buyer', ...more })
const company = (id: string) => ({
  id,
  name: `Company ${id}`,
  domain: 'birrell.example',
  description: 'Makes ropes.',
  emails: [{ email: 'office@birrell.example' }, { email: gone }],
  phones: [{ number: '+64215550177' }],
  intent: {
    detectedTopics: [
      topic('Ropes', [person('Kofi Birrell', { email: gone }), person('Ada Byron', { email: 'ada@birrell.example' })]),
      topic('Knots', [person('Kofi Birrell', { profile: { note: `Write to ${gone}.` } })]),
      topic('Sails', [person('Kofi Birrell', { emails: [{ email: gone }] })]),
    ],
    topicCount: 2,
  },
})
const billing = { creditsCharged: 2, resultsReturned: 2 }
const inject = (results: object[], more: object = {}) =>
  contact.control.inject({ answer: { status: 200, body: { results, billing, ...more } } })

const run = async (step: string, input: object) => {
  const outcome = await pack.steps.run(caller, { integration: 'contact-data', step, input, refresh: true })
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`)
  return outcome.value as Record<string, any>
}

const expectWithoutThem = (shown: Record<string, any>, id: string) => {
  expect(shown.record).toMatchObject({ id, name: `Company ${id}`, description: 'Makes ropes.' })
  expect(shown.record.emails.map(({ value }: { value: string }) => value)).toEqual(['office@birrell.example'])
  const text = JSON.stringify(shown)
  for (const part of [gone, '5550177', 'Write to', 'Kofi']) expect(text).not.toContain(part)
  const [ropes, knots, sails] = shown.raw.intent.detectedTopics
  expect(ropes.metadata.contacts).toEqual([person('Ada Byron', { email: 'ada@birrell.example' })])
  expect([knots.topicName, sails.topicName, shown.raw.intent.topicCount]).toEqual(['Knots', 'Sails', 2])
}

test('in a reveal of many, with the others untouched', async () => {
  const plain = { id: '2', name: 'Company 2', domain: 'plain.example', intent: { topicCount: 0 } }
  inject([company('1'), plain])
  const { results, summary } = await run('reveal-companies', { companyIds: ['1', '2'], reveal: ['intent'] })
  expect(summary).toMatchObject({ matched: 2, failed: 0 })
  expectWithoutThem(results[0], '1')
  expect(results[0].record.intent.detectedTopics[0].metadata.contacts).toHaveLength(1)
  expect(results[1].raw).toEqual(plain)
})

test('when one is looked up', async () => {
  inject([company('1')])
  expectWithoutThem(await run('find-company', { domain: 'birrell.example' }), '1')
})

test('in a search', async () => {
  inject([company('1')], { pagination: { page: 0, size: 10, total: 1 } })
  const { results } = await run('search-companies', { name: 'Company' })
  expectWithoutThem(results[0], '1')
})

test('a company that itself is asked for by somebody who opted out is refused as before', async () => {
  const outcome = await pack.steps.run(caller, {
    integration: 'contact-data',
    step: 'find-company',
    input: { name: gone },
  })
  expect(outcome.ok ? 'ok' : outcome.failure.code).toBe('suppressed')
  expect(contact.control.requests()).toEqual([])
})
