import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../shared/store/memory-store.ts'
import type { LookupCall } from '../../shared/runtime/lookups/waterfall/types.ts'
import type { Person } from '../../shared/sandbox/people/data-set.ts'
import { people } from '../support/people.ts'
import { caller, openSandboxWorld } from '../support/world.ts'

/** Both providers, each as one vendor speaks. */
const openProviders = (contact: string, anz: string, store = createMemoryStore()) =>
  openSandboxWorld({
    store,
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
    expect(value.notes.join(' ')).toContain('No provider says whether 2 of the numbers may be called')
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
    world.sandbox.contact.control.inject({
      delayMs: 60_000,
      answer: { status: 404, body: { message: 'No match found' } },
    })
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

describe('a lookup whose order is left to the server', () => {
  const byCost = { order: 'expected-cost', providers: undefined, maxCredits: 50 } as const
  let store: ReturnType<typeof createMemoryStore>
  beforeEach(async () => {
    store = createMemoryStore()
    world = await openProviders('documented', 'documented', store)
  })

  const ratesOf = (provider: string, filled: number) =>
    ['', 'workEmail', 'mobilePhone'].map((field) => ({
      tenant: 'default',
      kind: 'person',
      segment: '',
      provider: `${provider} ${provider} sandbox`,
      turn: 'first' as const,
      field,
      asked: 200,
      filled,
      credits: 200,
      ageDays: 0,
      aged: 0,
      countedAt: 1,
    }))

  it('needs a limit', async () => {
    const failure = await failed({ ...byCost, maxCredits: undefined })
    expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/maxCredits' }] })
    expect(sent()).toEqual({ contact: 0, anz: 0 })
  })

  it('asks by price while little is known, then whoever fills what is wanted, and says why', async () => {
    const first = await lookUp(byCost)
    expect(first.providers[0].estimate).toMatchObject({ lookups: 0, why: expect.stringContaining('Only 0 lookups') })
    const [cheap, dear] = first.providers.map(({ provider }: any) => provider)
    // The one that is cheaper finds nobody.
    await store.lookupRates.add([...ratesOf(cheap, 4), ...ratesOf(dear, 190)])
    const second = await lookUp(byCost)
    expect(second.providers.map(({ provider }: any) => provider)).toEqual([dear, cheap])
    expect(second.providers[0].estimate.why).toContain('It fills 9')
    // Named ones, too: an order of their own is given up.
    const named = await lookUp({ ...byCost, providers: [{ integration: cheap }, { integration: dear }] })
    expect(named.providers.map(({ provider }: any) => provider)).toEqual([dear, cheap])
  })

  it.each([
    ['in the first attempt one provider filled everything', { want: ['workEmail'] }, 1],
    ['in the first attempt both were asked', { want: ['workEmail', 'headline'] }, 2],
  ])('asks the same for a key after the process died and counts changed: %s', async (_, more, asked) => {
    const call = { ...byCost, ...more, idempotencyKey: 'cut-off' }
    const first = await lookUp(call)
    const before = sent()
    expect(before.contact + before.anz).toBe(asked)
    const charged = () =>
      [world.sandbox.contact, world.sandbox.anz].map(({ control }) => control.counters().creditsCharged)
    const paid = charged()
    const [cheap, dear] = first.providers.map(({ provider }: any) => provider)
    await store.lookupRates.add([...ratesOf(cheap, 4), ...ratesOf(dear, 190)])
    // What a process leaves that ends before it has stored the outcome of the whole.
    await store.intents.drop('default', 'cut-off')
    const again = await lookUp(call)
    expect(statuses(again)).toEqual(statuses(first))
    expect(again.record).toEqual(first.record)
    expect(sent()).toEqual(before)
    expect(charged()).toEqual(paid)
  })

  it('asks on, for a key, after the one that was asked before the process died', async () => {
    const [cheap, dear] = (await lookUp({ ...byCost, dryRun: true })).providers.map(({ provider }: any) => provider)
    const control = { 'contact-data': world.sandbox.contact.control, 'anz-data': world.sandbox.anz.control }
    const call = { ...byCost, want: ['workEmail', 'headline'], idempotencyKey: 'cut-off', maxAge: 0 }
    const controller = new AbortController()
    control[dear as 'anz-data'].inject({ delayMs: 60_000, answer: { status: 500, body: {} } })
    const coming = run({ ...call, signal: controller.signal })
    await expect.poll(() => control[dear as 'anz-data'].counters().requests).toBe(1)
    controller.abort()
    await coming
    await store.lookupRates.add([...ratesOf(cheap, 4), ...ratesOf(dear, 190)])
    await store.intents.drop('default', 'cut-off')
    const again = await lookUp(call)
    expect(again.providers.map(({ provider }: any) => provider)).toEqual([cheap, dear])
    expect(control[cheap as 'anz-data'].counters().requests).toBe(1)
  })

  it('counts what each provider filled, and no answer that was stored', async () => {
    await lookUp({ want: ['workEmail', 'mobilePhone'] })
    const counted = await store.lookupRates.find('default', 'person', [''])
    expect(
      counted.find(({ provider, field }) => provider.startsWith('contact-data') && field === 'workEmail'),
    ).toMatchObject({ turn: 'first', asked: 1, filled: 1, credits: 0 })
    expect(counted.find(({ provider, field }) => provider.startsWith('contact-data') && field === '')).toMatchObject({
      asked: 1,
      filled: 1,
      credits: expect.any(Number),
    })
    const later = await lookUp({ want: ['workEmail', 'mobilePhone'], maxAge: undefined })
    expect(later.providers[0].cached).toBe(true)
    expect(await store.lookupRates.find('default', 'person', [''])).toEqual(counted)
    expect(await store.lookupRates.find('another', 'person', [''])).toEqual([])
  })

  it('counts nothing of somebody who opted out, not even at the provider asked before', async () => {
    const identifiers = byEmail(person(({ knownTo }) => knownTo.join() === 'anz'))
    const counted = () => store.lookupRates.find('default', 'person', [''])
    world.sandbox.anz.control.inject({ answer: { status: 451, body: { message: 'opted out' } } })
    expect(await failed({ identifiers })).toMatchObject({ code: 'suppressed' })
    expect(sent()).toEqual({ contact: 1, anz: 1 })
    expect(await counted()).toEqual([])
    await lookUp({ identifiers })
    expect(await counted()).toContainEqual(expect.objectContaining({ turn: 'first', asked: 1, filled: 0 }))
  })

  it('shows the order and what is expected before anything is sent', async () => {
    const plan = await lookUp({ ...byCost, dryRun: true })
    expect(plan.expected).toEqual({ credits: expect.any(Number), hitRate: 0.75 })
    expect(plan.providers.map(({ estimate }: any) => estimate.hitRate)).toEqual([0.5, 0.5])
    expect(sent()).toEqual({ contact: 0, anz: 0 })
  })

  it('is answered when what was learnt cannot be read', async () => {
    store.lookupRates.find = () => Promise.reject(new Error('no connection'))
    expect((await lookUp(byCost)).complete).toBe(true)
  })

  it('is answered when what it learnt cannot be stored', async () => {
    store.lookupRates.add = () => Promise.reject(new Error('no room'))
    expect((await lookUp({})).complete).toBe(true)
  })
})
