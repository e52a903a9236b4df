import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { contactId } from '../../shared/sandbox/contact/lusha/find.ts'
import { full } from '../sandbox/lusha-client.ts'

/** Search and Enrich with the list of people who opted out, and in a process that dies between its two requests. */

const caller = { tenant: 'default' }
const step = 'search-and-enrich-contacts'
const employer = full[0]!.company.name
const colleagues = full.filter(({ company }) => company.name === employer)
const input = { company: employer, limit: 50 }

let contact: ContactSandbox
const store = createMemoryStore()
const openPack = () =>
  createPack({
    store,
    masterKey: Buffer.alloc(32, 7),
    wire: { 'contact-data': { profile: 'lusha-v3', ...contact.override } },
    egress: { privateOrigins: [contact.origin] },
  })
let pack: Pack
beforeAll(async () => {
  contact = await startContactSandbox({ profile: 'lusha-v3', credits: 5000, limits: { requests: 10_000 } })
  pack = await openPack()
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: contact.credentials,
  })
})
beforeEach(async () => {
  const { items } = await pack.suppressions.list(caller, { limit: 100 })
  for (const { id } of items) await pack.suppressions.removeById(caller, id)
  contact.control.reset()
  await pack.cache.clear(caller, { all: true })
})
afterAll(() => Promise.all([pack.close(), contact.close()]))

const run = (more: object = {}, by = pack) =>
  by.steps.run(caller, { integration: 'contact-data', step, input, ...more })
const valueOf = (outcome: Awaited<ReturnType<typeof run>>) => {
  if (!outcome.ok) throw new Error(outcome.failure.message)
  return outcome.value as { results: { record: { id: string } }[]; summary: { suppressed: number; matched: number } }
}
const revealed = () =>
  contact.control
    .requests()
    .flatMap(({ path, body }) => (path.endsWith('/enrich') ? (body as { ids: string[] }).ids : []))

test('whom the search shows to have opted out is neither revealed nor returned', async () => {
  const [gone] = colleagues
  await pack.suppressions.add(caller, [{ linkedin: gone!.linkedinSlug! }])
  const { results } = valueOf(await run())
  expect(results.length).toBeGreaterThan(0)
  expect(results.map(({ record }) => record.id)).not.toContain(contactId(gone!))
  expect(revealed()).not.toContain(contactId(gone!))
})

test('whom only the reveal shows to have opted out is not returned, not even with what the search found', async () => {
  const [gone] = colleagues
  await pack.suppressions.add(caller, [{ email: gone!.workEmail! }])
  const outcome = valueOf(await run())
  expect(outcome.summary.suppressed).toBe(1)
  expect(outcome.summary.matched).toBeGreaterThan(0)
  const text = JSON.stringify(outcome)
  for (const part of [contactId(gone!), gone!.linkedinSlug!, gone!.workEmail!]) expect(text).not.toContain(part)
})

test('after a process has died between search and reveal, the same key sends and pays nothing', async () => {
  contact.control.inject({ match: { path: '/v3/contacts/enrich' }, cut: 'hang', when: 'before' })
  const dying = await openPack()
  void run({ idempotencyKey: 'k-dies' }, dying)
  await vi.waitFor(() => expect(contact.control.requests()).toHaveLength(2), { timeout: 30_000 })
  const [paid, sent] = [contact.control.counters().creditsCharged, contact.control.requests().length]
  expect(paid).toBeGreaterThan(0)
  const next = await openPack()
  const again = await run({ idempotencyKey: 'k-dies' }, next)
  expect(again.ok ? 'ok' : again.failure.code).toBe('outcome_unknown')
  expect([contact.control.counters().creditsCharged, contact.control.requests().length]).toEqual([paid, sent])
  await Promise.all([dying.close(), next.close()])
})
