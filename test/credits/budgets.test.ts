import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Outcome } from '#kit'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import type { PackOptions } from '../../shared/pack-types.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { integrations } from '../data/harness.ts'

/** What the profile in force charges for a person. */
const price = 2
const caller = { tenant: 'default' }
const { people, companies } = createDataSet()
const domains = companies.filter(({ knownTo }) => knownTo.includes('contact')).map(({ domain }) => domain)
const emails = people
  .filter(({ knownTo, suppressed, workEmail }) => knownTo.includes('contact') && !suppressed && workEmail)
  .map(({ workEmail }) => workEmail!)

let contact: ContactSandbox
let pack: Pack
let connection: string

beforeEach(async () => {
  contact = await startContactSandbox({ limits: { requests: 10_000 } })
  pack = await createPack({
    integrations,
    wire: { 'contact-data': contact.override },
    egress: { privateOrigins: [contact.origin] },
  })
  connection = (
    await pack.connections.create(caller, {
      integration: 'contact-data',
      type: 'api-key',
      name: 'Contacts',
      secrets: contact.credentials,
    })
  ).id
})
afterEach(() => Promise.all([pack.close(), contact.close()]))

const find = (email: string, over: object = {}, by: object = caller) =>
  pack.steps.run({ ...caller, ...by }, { integration: 'contact-data', step: 'find-contact', input: { email }, ...over })
const codes = (outcomes: Outcome[]) =>
  Object.groupBy(
    outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.failure.code)),
    (code) => code,
  )
const ledger = async () => (await pack.ledger.list(caller, { limit: 200 })).items
const newBudget = (over: object = {}) =>
  pack.budgets.create(caller, { scope: 'tenant', credits: 10, period: 'day', timeZone: 'Australia/Sydney', ...over })

describe('budgets', () => {
  it('of 50 runs at once, a budget for 10 lets exactly 10 be sent', async () => {
    const findCompany = (domain: string) =>
      pack.steps.run(caller, { integration: 'contact-data', step: 'find-company', input: { domain } })
    const { meta } = await findCompany(domains[0]!)
    contact.control.reset()
    await newBudget({ credits: 11 * meta.credits!.charged })
    const outcomes = await Promise.all(domains.slice(1, 51).map(findCompany))
    expect(outcomes).toHaveLength(50)
    expect(codes(outcomes)['ok']).toHaveLength(10)
    expect(codes(outcomes)['budget_exceeded']).toHaveLength(40)
    expect(contact.control.requests()).toHaveLength(10)
    expect((await pack.budgets.list(caller)).items).toMatchObject([{ reserved: 0, remaining: 0 }])
  })

  it('names the budget, what is left of it, and until when', async () => {
    const { id, periodEnd } = await newBudget({ scope: 'connection', subject: connection, credits: 0.5 })
    const outcome = await find(emails[0]!)
    if (outcome.ok) throw new Error('was sent')
    expect(outcome.failure.code).toBe('budget_exceeded')
    expect(outcome.failure.message).toContain(`("${id}") has 0.5 of 0.5 left`)
    expect(outcome.failure.message).toContain(periodEnd)
    expect(contact.control.requests()).toEqual([])
    expect(await ledger()).toEqual([])
  })

  it('counts a token by itself, and lets another one go on', async () => {
    const { token } = await pack.tokens.create('default', { name: 'agent', scopes: ['run'] })
    await newBudget({ scope: 'token', subject: token.id, credits: price })
    expect((await find(emails[0]!, {}, { token: token.id })).ok).toBe(true)
    expect((await find(emails[1]!, {}, { token: token.id })).ok).toBe(false)
    expect((await find(emails[2]!, {}, { token: 'other' })).ok).toBe(true)
    expect(await pack.ledger.spent(caller, 1)).toEqual(
      expect.arrayContaining([expect.objectContaining({ token: token.id, spent: price, reserved: 0 })]),
    )
  })

  it('counts a person by themselves, whichever way a call comes to act for them', async () => {
    await newBudget({ scope: 'person', subject: 'ann', credits: price })
    expect((await find(emails[0]!, { person: 'ann' })).ok).toBe(true)
    for (const outcome of [
      await find(emails[1]!, { person: 'ann' }),
      await find(emails[1]!, {}, { person: 'ann' }),
      await find(emails[1]!, { person: 'ann', connection }),
      await pack.lookups.run(caller, {
        kind: 'person',
        identifiers: { email: emails[1]! },
        want: ['workEmail'],
        person: 'ann',
      }),
    ])
      expect(outcome).toMatchObject({ failure: { code: 'budget_exceeded' } })
    expect((await find(emails[2]!, { person: 'bea' })).ok).toBe(true)
    expect((await find(emails[3]!)).ok).toBe(true)
    const ownRows = async (by: object, filter: { person?: string } = {}) => {
      const { items } = await pack.ledger.list({ ...caller, ...by }, { limit: 50 }, filter)
      return [...new Set(items.map(({ person }) => person))]
    }
    expect(await ownRows({}, { person: 'ann' })).toEqual(['ann'])
    expect(await ownRows({ person: 'bea' })).toEqual(['bea'])
    expect(await ownRows({ person: 'bea' }, { person: 'ann' })).toEqual([])
    expect((await pack.ledger.spent({ ...caller, person: 'bea' }, 1)).map(({ spent }) => spent)).toEqual([price])
  })

  it('a run may name the most that it may cost', async () => {
    const outcome = await find(emails[0]!, { maxCredits: 0 })
    expect(outcome.ok ? 'sent' : outcome.failure.message).toContain('maxCredits')
    expect(contact.control.requests()).toEqual([])
    expect((await find(emails[0]!, { maxCredits: price })).ok).toBe(true)
  })

  it('a list that does not fit is refused before its first part is sent', async () => {
    await newBudget({ credits: 150 })
    const contacts = Array.from({ length: 151 }, (_, index) => ({ email: `nobody-${index}@no-such-host.example` }))
    const outcome = await pack.steps.run(caller, {
      integration: 'contact-data',
      step: 'enrich-contacts',
      input: { contacts },
    })
    expect(outcome.ok ? 'sent' : outcome.failure.code).toBe('budget_exceeded')
    expect(contact.control.requests()).toEqual([])
  })

  it('states the quote in the answer, and reserves nothing in a dry run', async () => {
    await newBudget({ credits: 0 })
    const shown = await find(emails[0]!, { dryRun: true })
    expect(shown.ok && shown.value).toMatchObject({ price: { unit: 'credit' } })
    expect(await ledger()).toEqual([])
    const [budget] = (await pack.budgets.list(caller)).items
    await pack.budgets.patch(caller, budget!.id, { credits: 5 })
    const { meta } = await find(emails[0]!)
    expect(meta.credits).toEqual({ charged: price, estimated: false })
    expect(meta.quoted).toEqual([1, price])
  })

  it('an API Call to an endpoint of the profile is priced and limited like its step', async () => {
    const call = (body: unknown, over = {}) =>
      pack.steps.run(caller, {
        integration: 'contact-data',
        step: 'api-call',
        input: { method: 'POST', path: '/person', body, strict: false },
        ...over,
      })
    const step = await find(emails[0]!)
    const body = (contact.control.requests()[0] as { body: unknown }).body
    contact.control.reset()
    const { meta } = await call(body)
    expect([meta.credits?.charged, meta.quoted]).toEqual([step.meta.credits?.charged, step.meta.quoted])
    await newBudget({ credits: 2 * price, integration: 'contact-data' })
    const refused = await call(body)
    expect(refused.ok ? 'sent' : refused.failure.code).toBe('budget_exceeded')
    expect(contact.control.requests()).toHaveLength(1)
    // What the profile does not have may cost anything.
    const unknown = await call(undefined, { input: { method: 'GET', path: '/no-such-thing', strict: false } })
    expect(unknown.ok ? 'sent' : unknown.failure.code).toBe('budget_exceeded')
    expect(contact.control.requests()).toHaveLength(1)
  })

  it('the platform is notified once when the warn level is reached', async () => {
    const notifications: Parameters<NonNullable<PackOptions['onNotification']>>[0][] = []
    const own = await createPack({
      integrations,
      wire: { 'contact-data': contact.override },
      egress: { privateOrigins: [contact.origin] },
      onNotification: async (notification) => void notifications.push(notification),
    })
    onTestFinished(() => own.close())
    await own.connections.create(caller, {
      integration: 'contact-data',
      type: 'api-key',
      name: 'Contacts',
      secrets: contact.credentials,
    })
    await own.notifications.put(caller, { types: ['budget.warned'] })
    await own.start()
    const { id } = await own.budgets.create(caller, {
      scope: 'tenant',
      credits: 10 * price,
      period: 'total',
      warnAt: 0.2,
    })
    for (const email of emails.slice(0, 4))
      await own.steps.run(caller, { integration: 'contact-data', step: 'find-contact', input: { email } })
    await vi.waitFor(() => expect(notifications.length).toBeGreaterThan(0), { timeout: 20_000 })
    await own.steps.run(caller, { integration: 'contact-data', step: 'find-contact', input: { email: emails[5]! } })
    expect(notifications).toMatchObject([
      { type: 'budget.warned', data: { budget: id, credits: 10 * price, periodEnd: null } },
    ])
  })

  it('a token that is bound changes no budget', async () => {
    const bound = { ...caller, token: 'agent', connections: [connection] }
    await expect(pack.budgets.create(bound, { scope: 'tenant', credits: 1, period: 'day' })).rejects.toThrow(/bound/)
    await expect(pack.ledger.resolve(bound, 'x', 0)).rejects.toThrow(/bound/)
  })

  it('refuses what makes no budget, naming the field', async () => {
    await expect(newBudget({ timeZone: 'Nowhere/At-All' })).rejects.toThrow(/not a time zone/)
    await expect(newBudget({ scope: 'connection' })).rejects.toThrow(/subject/)
    await expect(newBudget({ scope: 'token', subject: 'tok_none' })).rejects.toThrow(/no token/)
    await expect(newBudget({ scope: 'person' })).rejects.toThrow(/subject/)
    await expect(newBudget({ scope: 'person', subject: 'a\nb' })).rejects.toThrow(/person/)
    await expect(newBudget({ warnAt: 2 })).rejects.toThrow(/warnAt/)
    await expect(newBudget({ integration: 'nothing' })).rejects.toThrow(/nothing/)
  })
})

describe('the ledger', () => {
  it('settles what was charged and releases the rest', async () => {
    await find(emails[0]!)
    await find('nobody@no-such-host.example')
    const rows = (await ledger()).toReversed().map(({ kind, credits }) => [kind, credits])
    expect(rows.filter(([kind]) => kind === 'reserved')).toEqual([
      ['reserved', price],
      ['reserved', price],
    ])
    expect(rows.filter(([kind]) => kind === 'settled')).toEqual([['settled', price]])
    expect(rows.filter(([kind]) => kind === 'released')).toHaveLength(2)
  })

  it('a run of unknown outcome stays reserved until somebody says what it cost', async () => {
    await newBudget({ credits: price })
    contact.control.inject({ cut: 'reset', when: 'after' })
    const outcome = await find(emails[0]!)
    expect(outcome.ok ? 'ok' : outcome.failure.code).toBe('outcome_unknown')
    const [open] = (await pack.ledger.list(caller, { limit: 5 }, { unresolved: true })).items
    expect(open).toMatchObject({ kind: 'unknown', credits: price, run: outcome.meta.runId })
    expect((await pack.budgets.list(caller)).items).toMatchObject([{ spent: 0, reserved: price, remaining: 0 }])
    await pack.ledger.resolve(caller, open!.entry, 0)
    expect((await pack.budgets.list(caller)).items).toMatchObject([{ spent: 0, reserved: 0, remaining: price }])
    await expect(pack.ledger.resolve(caller, open!.entry, 0)).rejects.toMatchObject({ code: 'conflict' })
    await expect(pack.ledger.resolve(caller, 'nothing', 0)).rejects.toMatchObject({ code: 'not_found' })
  })
})
