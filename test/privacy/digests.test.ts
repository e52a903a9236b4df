import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { integrations } from '../data/harness.ts'
import { startProvider } from '../support/provider.ts'

const caller = { tenant: 'default' }
const people = createDataSet().people.filter(({ knownTo, suppressed }) => knownTo.includes('contact') && !suppressed)
const [hidden, other] = people.flatMap(({ workEmail }) => workEmail ?? []) as [string, string]
type Encoding = 'hex' | 'base64'
const digest = (algorithm: string, text: string, encoding: Encoding = 'hex') =>
  createHash(algorithm).update(text).digest(encoding)

const integration = 'contact-data'
const account = { integration, type: 'api-key', name: 'Contacts' }

let contact: ContactSandbox
let pack: Pack
beforeAll(async () => {
  contact = await startContactSandbox({ profile: 'apollo', limits: { requests: 10_000 } })
  // An operator who has ids of his own sends digests in their place.
  const fields = { personId: 'hashed_email' }
  const endpoints = { person: { fields, bulk: { fields } } }
  pack = await createPack({
    integrations,
    wire: { 'contact-data': { ...contact.override, endpoints } },
    egress: { privateOrigins: [contact.origin] },
  })
  await pack.connections.create(caller, { ...account, secrets: contact.credentials })
})
afterEach(async () => {
  const { items } = await pack.suppressions.list(caller, { limit: 100 })
  for (const { id } of items) await pack.suppressions.removeById(caller, id)
  contact.control.reset()
})
afterAll(() => Promise.all([pack.close(), contact.close()]))

const run = (step: string, input: object) => pack.steps.run(caller, { integration, step, input, refresh: true })
type Ran = Awaited<ReturnType<typeof run>>
const codeOf = (outcome: Ran) => (outcome.ok ? 'ok' : outcome.failure.code)
const match = { method: 'POST', path: '/api/v1/people/match', strict: false }
const call = (request: object) => run('api-call', { ...match, ...request })
const text = (value: string) => `select * from person where email_hash = '${value}'`
const rows = (value: string) => [{ email: other }, { hashed_email: value }]

type Result = { failed?: { code: string }; matched?: boolean }
/** Each way in by which a digest can name somebody, and the code that comes back. */
const ways: Record<string, (value: string) => Promise<string>> = {
  'the query of an API Call': async (value) => codeOf(await call({ query: { hashed_email: value } })),
  'a list in the query': async (value) => codeOf(await call({ query: { hashed_email: [value] } })),
  'the body of an API Call': async (value) => codeOf(await call({ body: { hashed_email: value } })),
  'rows of a body': async (value) =>
    codeOf(await call({ path: '/api/v1/people/bulk_match', body: { details: rows(value) } })),
  'another name in a body': async (value) => codeOf(await call({ body: { person: { email: { digest: value } } } })),
  'a name of a list in a body': async (value) => codeOf(await call({ body: { emailHashes: [value] } })),
  'a text in a body': async (value) => codeOf(await call({ body: { query: text(value) } })),
  'a path': async (value) => codeOf(await call({ path: `/api/v1/people/email_hash/${value}` })),
  'a step': async (value) => codeOf(await run('find-contact', { personId: value })),
  'a step for many': async (value) => {
    const outcome = await run('enrich-contacts', { contacts: [{ email: other }, { personId: value }] })
    const { results } = (outcome as unknown as { value: { results: Result[] } }).value
    expect(results[0]).toMatchObject({ matched: true })
    return results[1]!.failed?.code ?? 'ok'
  },
}

describe.each(Object.entries(ways))('a digest of an address in %s', (_name, ask) => {
  test('is asked about while the list is empty', async () => {
    expect(await ask(digest('sha256', hidden))).not.toBe('suppressed')
    expect(await ask(digest('md5', hidden))).not.toBe('invalid_input')
    expect(contact.control.counters().requests).toBeGreaterThan(0)
  })

  test('is compared where it is a SHA-256, in upper case too', async () => {
    await pack.suppressions.add(caller, [{ email: hidden }])
    expect(await ask(digest('sha256', hidden))).toBe('suppressed')
    expect(await ask(digest('sha256', hidden).toUpperCase())).toBe('suppressed')
    expect(JSON.stringify(contact.control.requests()).toLowerCase()).not.toContain(digest('sha256', hidden))
    expect(await ask(digest('sha256', other))).not.toBe('suppressed')
  })

  test('is refused where it is an MD5 or a SHA-1, whoever it is, while somebody is on the list', async () => {
    await pack.suppressions.add(caller, [{ linkedin: 'somebody-else' }])
    for (const algorithm of ['md5', 'sha1']) {
      expect(await ask(digest(algorithm, hidden))).toBe('invalid_input')
      expect(JSON.stringify(contact.control.requests())).not.toContain(digest(algorithm, hidden))
    }
  })
})

test('the refusal names the field and what to give instead', async () => {
  await pack.suppressions.add(caller, [{ email: hidden }])
  for (const value of [digest('md5', other), digest('md5', other, 'base64'), digest('sha256', other, 'base64')]) {
    const outcome = await call({ query: { hashed_email: value } })
    const message: unknown = expect.stringMatching(/^"hashed_email" .*SHA-256/)
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'invalid_input', message } })
  }
  const outcome = await run('find-contact', { personId: digest('md5', other) })
  expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('"personId (hashed_email)"') } })
  expect(contact.control.counters().requests).toBe(0)
})

test('an answer that knows a suppressed person by a digest alone is not shown', async () => {
  let person: object = {}
  const headers = { 'content-type': 'application/json' }
  const provider = await startProvider((_, reply) => reply.writeHead(200, headers).end(JSON.stringify({ person })))
  const wire = { 'contact-data': { profile: 'apollo', baseUrl: provider.origin } }
  const open = await createPack({ integrations, wire, egress: { privateOrigins: [provider.origin] } })
  await open.connections.create(caller, { ...account, secrets: contact.credentials })
  await open.suppressions.add(caller, [{ email: hidden }])
  const ask = () => open.steps.run(caller, { integration, step: 'api-call', input: match })
  person = { id: 1, email_hash: digest('sha256', hidden) }
  expect(codeOf(await ask())).toBe('suppressed')
  person = { id: 2, email_hash: digest('sha256', other), email_md5: digest('md5', other) }
  expect(codeOf(await ask())).toBe('ok')
  await Promise.all([open.close(), provider.close()])
})

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

test('rows of a job end as suppressed, or skipped with the reason', async () => {
  await pack.suppressions.add(caller, [{ email: hidden }])
  const text = `Email,Id\n${other},\n,${digest('sha256', hidden)}\n,${digest('md5', hidden)}\n`
  const file = await pack.files.create(caller, { name: 'people.csv', content: bytesOf(text) })
  const map = { email: 'Email', personId: 'Id' }
  const { id } = await pack.jobs.create(caller, { integration, file: file.id, map, maxCredits: 100, confirm: true })
  let job = await pack.jobs.get(caller, id)
  while (!['done', 'failed', 'paused', 'ready'].includes(job.state)) {
    await new Promise((done) => setTimeout(done, 10))
    job = await pack.jobs.get(caller, id)
  }
  expect(job).toMatchObject({ state: 'done', matched: 1, suppressed: 1, skipped: 1 })
  const { read } = await pack.files.open(caller, job.result!)
  let result = ''
  for await (const bytes of read()) result += Buffer.from(bytes).toString()
  expect(result).toMatch(/invalid_input: .*SHA-256/)
  const sent = JSON.stringify(contact.control.requests())
  for (const algorithm of ['sha256', 'md5']) expect(sent).not.toContain(digest(algorithm, hidden))
})

test('a lookup over several providers ends at a suppressed digest', async () => {
  await pack.suppressions.add(caller, [{ email: hidden }])
  const order = { kind: 'person' as const, want: ['workEmail'] }
  const name = { firstName: 'A', lastName: 'B' }
  const lookup = (company: string) => pack.lookups.run(caller, { ...order, identifiers: { ...name, company } })
  expect(await lookup(digest('sha256', hidden))).toMatchObject({ ok: false, failure: { code: 'suppressed' } })
  expect(contact.control.counters().requests).toBe(0)
  expect(await lookup(digest('sha256', other))).not.toMatchObject({ ok: false, failure: { code: 'suppressed' } })
})

test.each(['md5', 'sha1', 'sha256', 'sha512'])(
  'what holds the %s of an address is erased by the address',
  async (algorithm) => {
    const store = (name: string, text: string) => pack.files.create(caller, { name, content: bytesOf(text) })
    const file = await store('digests.csv', `email_digest\n${digest(algorithm, hidden).toUpperCase()}\n`)
    const kept = await store('others.csv', `email_digest\n${digest(algorithm, other)}\n`)
    const { records } = await pack.privacy.export(caller, [{ email: hidden }])
    expect(records.map(({ id }) => id)).toContain(file.id)
    expect(records.map(({ id }) => id)).not.toContain(kept.id)
    await pack.privacy.erase(caller, [{ email: hidden }])
    await expect(pack.files.open(caller, file.id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(pack.files.open(caller, kept.id)).resolves.toBeDefined()
  },
)
