/** What changes soon is asked for again; and nobody on the suppression list comes out of the steps that show it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { companyId, contactId } from '../../shared/sandbox/contact/lusha/find.ts'
import { integrations } from '../data/harness.ts'

const caller = { tenant: 'default' }
const hour = 3_600_000
const people = createDataSet().people.filter(({ knownTo, suppressed }) => knownTo.includes('contact') && !suppressed)

type Shown = { record?: { signals?: { details: { author: { linkedinUrl?: string } } }[] } }

let contact: ContactSandbox
let pack: Pack
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 5, 1) })
  contact = await startContactSandbox({ profile: 'lusha-v3', credits: 100 })
  pack = await createPack({
    integrations,
    wire: { 'contact-data': contact.override },
    egress: { privateOrigins: [contact.origin] },
  })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: contact.credentials,
  })
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([pack.close(), contact.close()])
})

const run = async (step: string, input: object) => {
  const outcome = await pack.steps.run(caller, { integration: 'contact-data', step, input })
  if (!outcome.ok) throw new Error(outcome.failure.message)
  return outcome.value as Record<string, any>
}
const sent = (path: string) => contact.control.counters().byPath[path] ?? 0

test('signals are asked for again after an hour, what an account has left each time', async () => {
  const input = { personIds: [contactId(people[0]!), contactId(people[1]!)], types: ['promotion'] }
  for (const [waited, times] of [
    [0, 1],
    [hour - 1, 1],
    [2, 2],
  ] as const) {
    vi.setSystemTime(Date.now() + waited)
    await run('get-contact-signals', input)
    expect([waited, sent('POST /v3/contacts/signals')]).toEqual([waited, times])
  }
  const before = (await run('account-usage', {})).usage.creditsRemaining as number
  await run('find-contact', { email: people.find(({ workEmail }) => workEmail !== undefined)!.workEmail! })
  expect((await run('account-usage', {})).usage.creditsRemaining).toBeLessThan(before)
})

test('Score Contacts: somebody on the suppression list is neither asked for nor shown', async () => {
  const [email, other] = people.flatMap(({ workEmail }) => workEmail ?? [])
  await pack.suppressions.add(caller, [{ email: email! }])
  const { results } = await run('score-contacts', { contacts: [{ email }, { email: other }] })
  expect(results.map(({ failed }: { failed?: object }) => failed)).toMatchObject([{ code: 'suppressed' }, undefined])
  expect(JSON.stringify(contact.control.requests().at(-1)!.body)).not.toContain(email)
})

test('Get Company Signals: what names somebody on the suppression list is not shown', async () => {
  const authors = people.filter(({ company, linkedinSlug }) => linkedinSlug && Number(companyId(company)) % 5 !== 0)
  const companyIds = [...new Set(authors.map(({ company }) => companyId(company)))]
  const input = { companyIds, types: ['linkedinActivityIntent'] }
  const shown = await run('get-company-signals', input)
  const withAuthor = shown.results.find(({ record }: Shown) => record?.signals?.[0]?.details.author.linkedinUrl)
  const { linkedinUrl } = withAuthor.record.signals[0].details.author
  await pack.suppressions.add(caller, [{ linkedin: linkedinUrl }])
  const { results } = await run('get-company-signals', input)
  expect(results[withAuthor.index]).toMatchObject({ companyId: withAuthor.companyId, record: { signals: [] } })
  expect(JSON.stringify(results)).not.toContain(linkedinUrl)
})
