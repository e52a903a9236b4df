/**
 * A gateway or another server in front of a provider is never taken for one that knows nobody, also where the endpoint
 * has given a match before; and what counts as no match only for that reason is soon asked again.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Outcome } from '#kit'
import { createPack } from '../../shared/pack.ts'
import { anzProfiles, startAnzSandbox } from '../../shared/sandbox/anz/index.ts'
import type { AnzProfile } from '../../shared/sandbox/anz/index.ts'
import { contactProfiles, startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactProfile } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { integrations } from '../data/harness.ts'
import { fakeClock } from '../support/clock.ts'

const minute = 60_000
const caller = { tenant: 'default' }
const { people } = createDataSet()
const knownTo = (provider: 'anz' | 'contact') =>
  people.find(
    (person) =>
      person.knownTo.includes(provider) &&
      !person.suppressed &&
      person.workEmail &&
      person.company.knownTo.includes(provider),
  )!

type Home = 'anz-data' | 'contact-data'
const steps: Record<Home, { person: string; company: string }> = {
  'anz-data': { person: 'people-enrichment', company: 'company-enrichment' },
  'contact-data': { person: 'find-contact', company: 'find-company' },
}

/**
 * The override of the sandbox of the documented profile has rules of its own; without them those of the profile are
 * left.
 */
const withoutRules = (override: Record<string, any>) => {
  const own = structuredClone(override)
  for (const endpoint of Object.values<any>(own['endpoints'] ?? {})) {
    delete endpoint.noMatch
    delete endpoint.bulk?.itemNoMatch
  }
  return own
}

const open = async (home: Home, profile: string, ownRules = false) => {
  const limits = { requests: 100_000 }
  const sandbox =
    home === 'anz-data'
      ? await startAnzSandbox({ profile: profile as AnzProfile, limits })
      : await startContactSandbox({ profile: profile as ContactProfile, limits })
  const clock = fakeClock()
  const pack = await createPack({
    integrations,
    clock,
    wire: { [home]: ownRules ? sandbox.override : withoutRules(sandbox.override) },
    egress: { privateOrigins: [sandbox.origin] },
  })
  await pack.connections.create(caller, {
    integration: home,
    type: 'api-key',
    name: 'Main',
    secrets: sandbox.credentials,
  })
  const run = (step: string, input: object): Promise<Outcome> =>
    pack.steps.run(caller, { integration: home, step, input })
  const find = (what: 'person' | 'company', value: string) =>
    run(steps[home][what], what === 'person' ? { email: value } : { domain: value })
  const someone = knownTo(home === 'anz-data' ? 'anz' : 'contact')
  const findKnown = async () => {
    for (const ran of [await find('person', someone.workEmail!), await find('company', someone.company.domain)])
      expect(ran).toMatchObject({ ok: true, value: { matched: true } })
  }
  const close = async () => void (await Promise.all([pack.close(), sandbox.close()]))
  const requests = () => sandbox.control.requests().length
  return { clock, sandbox, find, findKnown, close, run, requests }
}
type Opened = Awaited<ReturnType<typeof open>>

type Trouble = { status: number; body: unknown; headers?: Record<string, string> }
const json = (status: number, body: unknown): Trouble => ({ status, body })
const plain = (status: number, body: string, type = 'text/plain'): Trouble => ({
  status,
  body,
  headers: { 'content-type': type },
})

const troubles: [what: string, answer: Trouble][] = [
  ['an upstream service', json(500, { error: 'Upstream service not found' })],
  ['a host', json(500, { error: 'Host not found: db-3' })],
  ['a requested resource', json(404, { message: 'The requested resource was not found' })],
  ['a record of a name', json(500, { error: 'No record of host db-3' })],
  ['a profile of a server', json(500, { message: 'No profile "production" at this node' })],
  ['no route', json(404, { message: 'no Route matched with those values' })],
  ['no matching route', json(404, { error: 'No match found for this route' })],
  ['the path of a person', json(404, { statusCode: 404, error: 'Not Found', message: 'Route POST:/person not found' })],
  ['the path of people', json(404, { error: 'Route GET:/people not found' })],
  ['the path of a company', json(404, { message: 'Route POST:/company not found' })],
  ['the service of people', json(404, { error: 'Service person not found' })],
  ['the service of companies', json(500, { error: 'Upstream company not found' })],
  ['a path in the answer', json(404, { timestamp: 1, status: 404, error: 'Not Found', path: '/person' })],
  ['a detail', json(404, { detail: 'Not Found' })],
  ['a text', plain(404, 'default backend - 404')],
  ['a web page', plain(404, '<html><body>Person not found</body></html>', 'text/html')],
  ['a bad gateway', json(502, { error: 'Upstream service not found' })],
  ['an unavailable service', json(503, { message: 'Host not found' })],
  ['a message of status 200', json(200, { message: 'Upstream service not found' })],
  ['an error of status 200', json(200, { error: 'Host not found: db-3' })],
]

const profiles: [name: string, Home, profile: string, ownRules?: true][] = [
  ...anzProfiles.map((profile): [string, Home, string] => [`anz-data ${profile}`, 'anz-data', profile]),
  ...contactProfiles.map((profile): [string, Home, string] => [`contact-data ${profile}`, 'contact-data', profile]),
  ['the override of the sandbox of anz-data', 'anz-data', 'documented', true],
  ['the override of the sandbox of contact-data', 'contact-data', 'documented', true],
]

describe.each(profiles)('after a match, %s', (_, home, profile, ownRules) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open(home, profile, ownRules)
    await opened.findKnown()
  })
  afterAll(() => opened.close())

  it.each(troubles)('takes no "not found" of %s for a no match', async (what, answer) => {
    const { sandbox, find, clock, requests } = opened
    const name = `${what.replaceAll(/\W+/g, '-')}.example`
    for (const kind of ['person', 'company'] as const) {
      // The provider is left alone for a while after errors of its server.
      clock.advance(60 * minute)
      const before = requests()
      sandbox.control.inject({ answer, times: 1 })
      const outcome = await find(kind, kind === 'person' ? `nobody@${name}` : name)
      const said = outcome.ok ? outcome.value : 'failed'
      expect([kind, said, requests() - before]).toEqual([kind, 'failed', 1])
    }
  })

  it('takes the answer of another search for none where an object is expected', async () => {
    if (profile === 'documented') return
    opened.clock.advance(60 * minute)
    opened.sandbox.control.inject({ answer: json(200, { data: [], total: 0 }), times: 1 })
    const outcome = await opened.find('company', 'searched.example')
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'bad_reply' } })
  })

  it('still takes what it says of a person or a company', async () => {
    opened.clock.advance(60 * minute)
    expect(await opened.find('person', 'nobody@nowhere.example')).toMatchObject({ ok: true, value: { matched: false } })
    expect(await opened.find('company', 'nowhere.example')).toMatchObject({ ok: true, value: { matched: false } })
  })
})

describe('an answer that is a no match only because there was a match before', () => {
  let opened: Opened
  beforeEach(async () => {
    opened = await open('anz-data', 'documented')
    await opened.findKnown()
  })
  afterEach(() => opened.close())
  const unsure = { matched: false, unsure: true, reason: expect.stringContaining('did not say') as string }

  it('is used again for minutes, and says that it is not sure', async () => {
    const { sandbox, find, clock, requests } = opened
    sandbox.control.inject({ answer: json(404, { message: 'not found' }), times: 2 })
    expect(await find('person', 'nobody@nowhere.example')).toMatchObject({ ok: true, value: unsure })
    const once = requests()
    clock.advance(4 * minute)
    expect(await find('person', 'nobody@nowhere.example')).toMatchObject({
      ok: true,
      value: unsure,
      meta: { cached: true },
    })
    expect(requests()).toBe(once)
    clock.advance(2 * minute)
    expect(await find('person', 'nobody@nowhere.example')).toMatchObject({ ok: true, value: unsure })
    expect(requests()).toBe(once + 1)
  })

  it('is one of minutes too where only one of several identifiers was answered so', async () => {
    const { sandbox, run, clock, requests } = opened
    const both = { email: 'nobody@nowhere.example', linkedinUrl: 'https://www.linkedin.com/in/nobody-at-all' }
    sandbox.control.inject({ answer: json(404, { message: 'not found' }), times: 1 })
    expect(await run('people-enrichment', both)).toMatchObject({ ok: true, value: unsure })
    const once = requests()
    clock.advance(6 * minute)
    const sure = await run('people-enrichment', both)
    expect(sure).toMatchObject({ ok: true, value: { matched: false } })
    expect((sure as { value: object }).value).not.toHaveProperty('unsure')
    expect(requests()).toBe(once + 2)
    clock.advance(24 * 60 * minute)
    expect(await run('people-enrichment', both)).toMatchObject({ ok: true, meta: { cached: true } })
  })

  it('ends with the vendor well: whoever was missed is found', async () => {
    const { sandbox, find, clock } = opened
    const other = people.find(
      (person) => person.knownTo.includes('anz') && !person.suppressed && person.workEmail && person !== knownTo('anz'),
    )!
    sandbox.control.inject({ answer: json(404, { message: 'not found' }), times: 1 })
    expect(await find('person', other.workEmail!)).toMatchObject({ ok: true, value: unsure })
    clock.advance(6 * minute)
    expect(await find('person', other.workEmail!)).toMatchObject({ ok: true, value: { matched: true } })
  })
})
