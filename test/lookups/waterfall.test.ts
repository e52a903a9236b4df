import { beforeEach, describe, expect, it } from 'vitest'
import type { LookupCall } from '../../shared/runtime/lookups/waterfall/types.ts'
import type { Person } from '../../shared/sandbox/people/data-set.ts'
import { people } from '../support/people.ts'
import { caller, openSandboxWorld } from '../support/world.ts'

/** Both providers, each as one vendor speaks. */
const openProviders = (contact: string, anz: string) =>
  openSandboxWorld({
    sandbox: { profiles: { 'contact-data': contact, 'anz-data': anz } },
    accounts: 'all',
    log: () => {},
  })
const documented = await openProviders('documented', 'documented')

const person = (test: (candidate: Person) => boolean) =>
  people.find((candidate) => !candidate.suppressed && candidate.workEmail !== undefined && test(candidate))!
const both = person(({ knownTo, phones }) => knownTo.length === 2 && phones.some(({ kind }) => kind === 'mobile'))
const byEmail = ({ workEmail }: Person) => ({ email: workEmail! })
const inOrder = [{ integration: 'contact-data' }, { integration: 'anz-data' }]

let world = documented
const run = (call: Partial<LookupCall>) =>
  world.pack.lookups.run(caller, {
    kind: 'person',
    identifiers: byEmail(both),
    want: ['workEmail'],
    providers: inOrder,
    maxAge: 0,
    ...call,
  })
const lookUp = async (call: Partial<LookupCall>): Promise<any> => {
  const outcome = await run(call)
  expect(outcome).toMatchObject({ ok: true })
  return outcome.ok ? outcome.value : {}
}
const failed = async (call: Partial<LookupCall>) => {
  const outcome = await run(call)
  return outcome.ok ? undefined : outcome.failure
}
const sent = () => ({
  contact: world.sandbox.contact.control.counters().requests,
  anz: world.sandbox.anz.control.counters().requests,
})
const statuses = ({ providers }: any) => providers.map(({ provider, status }: any) => `${provider} ${status}`)

describe('a lookup at several providers', () => {
  beforeEach(async () => {
    world = documented
    world.sandbox.contact.control.reset()
    world.sandbox.anz.control.reset()
  })

  it('ends at the provider that fills what is wanted', async () => {
    const value = await lookUp({})
    expect(value).toMatchObject({ matched: true, complete: true, missing: [], record: { email: both.workEmail } })
    expect(statuses(value)).toEqual(['contact-data match', 'anz-data skipped'])
    expect(sent()).toEqual({ contact: 1, anz: 0 })
    expect(value.sources.fullName).toEqual([
      expect.objectContaining({ provider: 'contact-data', at: expect.any(String) }),
    ])
    expect(value.records).toEqual([
      expect.objectContaining({
        matched: true,
        provider: 'contact-data',
        record: expect.any(Object),
        raw: expect.any(Object),
      }),
    ])
  })

  it('goes on by field: what the first lacks is asked of the next, and a landline is no mobile', async () => {
    const landline = {
      data: {
        fullName: 'Gwen Ellery',
        jobTitle: 'Buyer',
        emailAddresses: [{ email: both.workEmail, type: 'work', confidence: 'B' }],
        phoneNumbers: [{ number: '+61255500101', type: 'office', doNotCall: null }],
      },
    }
    world.sandbox.contact.control.inject({ answer: { status: 200, body: landline } })
    const value = await lookUp({ want: ['workEmail', 'mobilePhone'] })
    expect(statuses(value)).toEqual(['contact-data match', 'anz-data match'])
    expect(value.providers.map(({ filled }: any) => filled)).toEqual([['workEmail'], ['mobilePhone']])
    expect(value.complete).toBe(true)
    expect(value.record.phones.map(({ type }: any) => type)).toEqual(expect.arrayContaining(['office', 'mobile']))
    expect(value.record.phones[0]).toMatchObject({ doNotCall: 'unknown', from: [{ provider: 'contact-data' }] })
    expect(value.notes.join(' ')).toContain('unknown does not mean that it may')
    expect(value.conflicts.map(({ field }: any) => field)).toContain('fullName')
    const runs = await world.pack.runs.list(
      caller,
      { limit: 10 },
      { parentId: (await run({ dryRun: true })).meta.runId },
    )
    expect(runs.items).toEqual([])
  })

  it('is one row of the history for each provider, linked to the lookup', async () => {
    const { meta } = await run({
      want: ['workEmail', 'nothing' as never].slice(0, 1),
      identifiers: byEmail(person(({ knownTo }) => knownTo.join() === 'anz')),
    })
    const { items } = await world.pack.runs.list(caller, { limit: 10 }, { parentId: meta.runId })
    expect(items.map(({ integration }) => integration).toSorted()).toEqual(['anz-data', 'contact-data'])
    expect(meta.credits!.charged).toBe(items.reduce((sum, { credits }) => sum + credits, 0))
  })

  it('says when nobody knows the person', async () => {
    const value = await lookUp({ identifiers: { email: 'nobody@nowhere.example' } })
    expect(value).toMatchObject({ matched: false, complete: false, missing: ['workEmail'] })
    expect(value).not.toHaveProperty('record')
    expect(statuses(value)).toEqual(['contact-data no_match', 'anz-data no_match'])
  })

  it('ends at an opt-out, and shows nothing that was found', async () => {
    world.sandbox.contact.control.inject({ answer: { status: 451, body: { message: 'opted out' } } })
    const failure = await failed({ want: ['mobilePhone'] })
    expect(failure).toMatchObject({ code: 'suppressed' })
    expect(JSON.stringify(failure)).not.toContain(both.workEmail)
    expect(sent().anz).toBe(0)
  })

  it.each([
    ['out of credits', { status: 402, body: { message: 'no credits' } }, 'credits_exhausted'],
    ['broken', { status: 500, body: { message: 'oops' } }, 'outcome_unknown'],
  ])('goes on where a provider is %s, and reports it', async (_, answer, code) => {
    world.sandbox.contact.control.inject({ times: 10, answer })
    const value = await lookUp({})
    expect(statuses(value)).toEqual(['contact-data error', 'anz-data match'])
    expect(value.providers[0].failure.code).toBe(code)
    expect(value.complete).toBe(true)
  })

  it('fails where no provider answers', async () => {
    for (const { control } of [world.sandbox.contact, world.sandbox.anz])
      control.inject({ times: 10, answer: { status: 402, body: { message: 'no credits' } } })
    expect(await failed({})).toMatchObject({ code: 'credits_exhausted', message: expect.stringContaining('anz-data') })
  })

  it('does not ask a provider whose price is above what is left', async () => {
    const value = await failed({ maxCredits: 0 })
    expect(value).toMatchObject({ code: 'budget_exceeded' })
    expect(sent()).toEqual({ contact: 0, anz: 0 })
  })

  it('gives the same answer for a key, and pays nothing again', async () => {
    const first = await run({ idempotencyKey: 'key-1', want: ['mobilePhone', 'legalName' as never].slice(0, 1) })
    const before = sent()
    const again = await run({ idempotencyKey: 'key-1', want: ['mobilePhone'] })
    expect(again).toEqual({ ...first, meta: { ...first.meta, cached: true } })
    expect(sent()).toEqual(before)
    expect(await failed({ idempotencyKey: 'key-1', want: ['phones'] })).toMatchObject({ code: 'conflict' })
  })

  it('sends nothing after its caller has cancelled', async () => {
    const controller = new AbortController()
    world.sandbox.contact.control.inject({ delayMs: 50, answer: { status: 404, body: { message: 'No match found' } } })
    const coming = failed({ signal: controller.signal })
    await expect.poll(() => sent().contact).toBe(1)
    controller.abort()
    expect((await coming)?.code).toMatch(/cancelled|outcome_unknown/)
    expect(sent().anz).toBe(0)
  })

  it('has a price before anything is sent: from the least of the first to the most of all', async () => {
    const value = await lookUp({ dryRun: true })
    const [first, second] = value.providers.map(({ price }: any) => price.total)
    expect(value.price.total).toEqual([first[0], first[1] + second[1]])
    expect(value.requests).toHaveLength(1)
    expect(sent()).toEqual({ contact: 0, anz: 0 })
  })

  it('asks by default all that are connected, the cheapest first', async () => {
    const value = await lookUp({ providers: undefined, dryRun: true })
    const most = value.providers.map(({ price }: any) => price.total[1])
    expect(value.providers).toHaveLength(2)
    expect(most).toEqual(most.toSorted((price: number, other: number) => price - other))
  })

  it('gives each provider the identifiers that it takes, and passes over one that takes none', async () => {
    const { firstName, lastName, company } = both
    const value = await lookUp({ identifiers: { firstName, lastName, company: company.name }, want: ['personalEmail'] })
    expect(value.providers[1]).toMatchObject({
      provider: 'anz-data',
      status: 'skipped',
      reason: expect.stringContaining('linkedinUrl'),
    })
  })

  it.each([
    [{ identifiers: { mail: 'a@b.example' } }, '/identifiers/mail'],
    [{ identifiers: { email: 'not an address' } }, '/identifiers/email'],
    [{ want: ['telex'] }, '/want/0'],
    [{ providers: [{ integration: 'work-board' }] }, '/providers/0/integration'],
  ])('refuses %j before anything is sent', async (call, pointer) => {
    expect(await failed(call)).toMatchObject({ code: 'invalid_input', errors: [{ pointer }] })
    expect(sent()).toEqual({ contact: 0, anz: 0 })
  })

  it('does for a token what it may do at each provider', async () => {
    const bound = { ...caller, token: 't', scopes: ['run' as const], steps: ['anz-data/people-enrichment'] }
    const outcome = await world.pack.lookups.run(bound, {
      kind: 'person',
      identifiers: byEmail(both),
      want: ['workEmail'],
    })
    expect(outcome.ok && statuses(outcome.value)).toEqual(['anz-data match'])
    expect(sent().contact).toBe(0)
  })

  it.each([
    ['a token bound to other steps', { steps: ['anz-data/people-enrichment'] }],
    ['a token bound to a tool set', { toolSet: 'people' }],
  ])('replays nothing of an Idempotency-Key to %s', async (_, bounds) => {
    const call = {
      kind: 'person' as const,
      identifiers: byEmail(both),
      want: ['workEmail'],
      idempotencyKey: `shared-${Object.keys(bounds)[0]}`,
    }
    const ask = (bound: object) => world.pack.lookups.run({ ...caller, token: 't', scopes: ['run'], ...bound }, call)
    expect(await ask({})).toMatchObject({ ok: true, value: { matched: true } })
    expect(await ask({})).toMatchObject({ ok: true, meta: { cached: true } })
    expect(await ask(bounds)).toMatchObject({ ok: false, failure: { code: 'conflict' } })
  })
})

describe.each([
  ['lusha-v2', 'firmable'],
  ['lusha-v3', 'firmable'],
  ['apollo', 'documented'],
  ['hunter', 'firmable'],
  ['people-data-labs', 'documented'],
])('with the profiles %s and %s', (contact, anz) => {
  it('finds a person, and the company', async () => {
    world = await openProviders(contact, anz)
    const identifiers = { email: both.workEmail!, linkedinUrl: `https://www.linkedin.com/in/${both.linkedinSlug}` }
    const value = await lookUp({ identifiers, want: ['fullName', 'legalName' as never].slice(0, 1) })
    expect(value).toMatchObject({ matched: true, complete: true })
    const charged =
      world.sandbox.contact.control.counters().creditsCharged + world.sandbox.anz.control.counters().creditsCharged
    const company = await lookUp({ kind: 'company', identifiers: { domain: both.company.domain }, want: ['name'] })
    expect(company).toMatchObject({ matched: true, complete: true })
    expect(charged).toBeGreaterThanOrEqual(0)
  })
})
