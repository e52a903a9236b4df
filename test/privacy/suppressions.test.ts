import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { integrations } from '../data/harness.ts'

const caller = { tenant: 'default' }
const knownPeople = createDataSet().people.filter(
  (person) =>
    person.knownTo.includes('contact') &&
    !person.suppressed &&
    person.workEmail !== undefined &&
    person.linkedinSlug !== undefined,
)
const [firstPerson, two, three] = knownPeople as [
  (typeof knownPeople)[0],
  (typeof knownPeople)[0],
  (typeof knownPeople)[0],
]

let contact: ContactSandbox
let pack: Pack
beforeAll(async () => {
  contact = await startContactSandbox({ limits: { requests: 10_000 } })
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
  const { items } = await pack.suppressions.list(caller, { limit: 100 })
  for (const { id } of items) await pack.suppressions.removeById(caller, id)
  contact.control.reset()
})
afterAll(() => Promise.all([pack.close(), contact.close()]))

const find = (input: unknown, step = 'find-contact') =>
  pack.steps.run(caller, { integration: 'contact-data', step, input, refresh: true })
const codeOf = async (outcome: ReturnType<typeof find>) => {
  const done = await outcome
  return done.ok ? 'ok' : done.failure.code
}

test('a suppressed person is neither asked about nor paid for, by any spelling', async () => {
  await pack.suppressions.add(caller, [{ email: firstPerson.workEmail! }, { linkedin: firstPerson.linkedinSlug! }])
  const [name, host] = firstPerson.workEmail!.split('@')
  expect(await codeOf(find({ email: ` ${name!.toUpperCase()}@${host!.toUpperCase()} ` }))).toBe('suppressed')
  expect(
    await codeOf(
      find({ linkedinUrl: `http://AU.LinkedIn.com/in/${encodeURIComponent(firstPerson.linkedinSlug!)}/en?trk=x` }),
    ),
  ).toBe('suppressed')
  expect(contact.control.counters().requests).toBe(0)
  expect(await codeOf(find({ email: two.workEmail! }))).toBe('ok')
})

test('one of many is refused alone, and the others are found', async () => {
  await pack.suppressions.add(caller, [{ email: two.workEmail! }])
  const outcome = await find(
    { contacts: [firstPerson, two, three].map(({ workEmail }) => ({ email: workEmail })) },
    'enrich-contacts',
  )
  const results = (outcome as any).value.results as {
    matched?: boolean
    failed?: { code: string }
    record?: { email: string }
  }[]
  expect(results.map(({ failed, matched }) => failed?.code ?? matched)).toEqual([true, 'suppressed', true])
  expect(results[2]!.record!.email).toBe(three.workEmail)
  expect(JSON.stringify(contact.control.requests())).not.toContain(two.workEmail)
})

test('who is found by another identifier is not shown, and nobody suppressed is among the results of a search', async () => {
  await pack.suppressions.add(caller, [{ email: firstPerson.workEmail! }])
  expect(await codeOf(find({ linkedinUrl: `https://www.linkedin.com/in/${firstPerson.linkedinSlug}` }))).toBe(
    'suppressed',
  )
  const criteria = { company: two.company.name }
  const before = JSON.stringify(await find(criteria, 'search-contacts'))
  const shown = knownPeople.find(({ linkedinSlug }) => before.includes(linkedinSlug!))!
  await pack.suppressions.add(caller, [{ linkedin: shown.linkedinSlug! }])
  const after = await find(criteria, 'search-contacts')
  expect(after.ok).toBe(true)
  expect(JSON.stringify(after)).not.toContain(shown.linkedinSlug)
})

test('an API Call about somebody suppressed is not sent', async () => {
  await pack.suppressions.add(caller, [{ email: firstPerson.workEmail! }])
  const call = (body: unknown) =>
    pack.steps.run(caller, {
      integration: 'contact-data',
      step: 'api-call',
      input: { method: 'POST', path: '/person', body, strict: false },
    })
  expect(await codeOf(call({ email: firstPerson.workEmail!.toUpperCase() }))).toBe('suppressed')
  expect(contact.control.counters().requests).toBe(0)
})

test('addresses are taken as digests, only keyed hashes are stored, and a removed entry counts no more', async () => {
  const digest = createHash('sha256').update(firstPerson.workEmail!.toLowerCase()).digest('hex')
  expect(await pack.suppressions.add(caller, [{ emailSha256: digest }, { email: firstPerson.workEmail! }])).toEqual({
    added: 1,
    present: 0,
  })
  const { items } = await pack.suppressions.list(caller, { limit: 10 })
  expect(items).toHaveLength(1)
  expect(items[0]!.id).not.toContain(digest)
  expect(await codeOf(find({ email: firstPerson.workEmail! }))).toBe('suppressed')
  expect(await pack.suppressions.remove(caller, [{ email: firstPerson.workEmail! }])).toEqual({ removed: 1 })
  expect(await codeOf(find({ email: firstPerson.workEmail! }))).toBe('ok')
})

test('an entry that cannot be read is named, and none is added', async () => {
  const adding = pack.suppressions.add(caller, [{ email: firstPerson.workEmail! }, { phone: '0491 570 156' }])
  await expect(adding).rejects.toMatchObject({ code: 'invalid_input', message: expect.stringContaining('country') })
  expect((await pack.suppressions.list(caller, { limit: 10 })).items).toEqual([])
})
