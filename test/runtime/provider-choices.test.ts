import { describe, expect, it } from 'vitest'
import { fail } from '#kit'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import type { OpenConnections } from '../../shared/runtime/connections/open-connection.ts'
import { createOptions } from '../../shared/runtime/options.ts'
import { findCharged } from '../../shared/runtime/endpoints/charged-records.ts'
import { createGate } from '../../shared/runtime/gate/gate.ts'
import { providerValues } from '../../shared/runtime/endpoints/endpoints.ts'
import { readChoices, settleValues } from '../../shared/runtime/endpoints/provider-values.ts'
import { singleFields } from '../../shared/runtime/endpoints/endpoint-request.ts'
import { openSession } from '../../shared/runtime/session/session.ts'
import type { Wire } from '../../shared/wire/index.ts'
import type { Answers } from '../data/harness.ts'
import { accountOf, body, fakeWire, reachable } from '../data/harness.ts'
import { fakeClock } from '../support/clock.ts'
import { profileOf, vendor } from './vendor.ts'
import { noNames } from '../support/no-names.ts'

const nobodySuppressed = {
  of: () => ({ refusals: async () => [], suppressed: async () => [], failure: () => fail('suppressed', '') }),
}

const choices = { endpoint: 'departments', list: '', value: 'id', label: 'title', cacheMs: 60_000 }
const resolve = { endpoint: 'company', field: 'domain', take: 'id' }
const profile = profileOf(
  { fields: { department: { name: 'dept', choices }, domain: { name: 'company', resolve }, title: 'title' } },
  {
    departments: { method: 'GET', path: '/departments', place: 'query', fields: {} },
    company: { fields: { domain: 'domain' } },
  },
)
const departments = body([
  { id: 11, title: 'Marketing' },
  { id: 2, title: 'Sales' },
])

/** `until`: what each answer waits for. */
const open = (answers: Answers, until?: Promise<void>) => {
  const registry = createRegistry([vendor], { vendor: { ...reachable, ...profile } })
  const fake = fakeWire(answers)
  const { calls } = fake
  const exchange: Wire['exchange'] = async (call) => {
    const reply = await fake.wire.exchange(call)
    await until
    return reply
  }
  const gate = createGate({ ...fake.wire, exchange }, findCharged)
  const clock = fakeClock()
  // A cache takes the time 0 for none.
  clock.advance(1)
  const opened = accountOf('vendor', registry.integration('vendor').stepPolicy)
  const loaded = registry.step('vendor', 'search')
  const session = (signal?: AbortSignal) =>
    openSession({ gate, clock, guards: 'upkeep', loaded, opened, effect: 'read', deadlineAt: Infinity, signal })
  return {
    calls,
    clock,
    opened,
    read: () => readChoices(providerValues(session()), choices),
    settle: (values: Record<string, unknown>, signal?: AbortSignal) =>
      settleValues(providerValues(session(signal)), singleFields(loaded.loaded, 'it'), values, () => undefined),
    options: createOptions({
      registry,
      openConnections: { open: () => opened } as unknown as OpenConnections,
      gate,
      clock,
      privacy: nobodySuppressed,
      names: noNames,
    }),
  }
}
const request = { integration: 'vendor', step: 'search', connection: 'Main' }

it('a list of the provider is cached for its time, for each connection', async () => {
  const { calls, clock, opened, read } = open(() => departments)
  await read()
  clock.advance(59_000)
  await read()
  expect(calls).toHaveLength(1)
  clock.advance(2_000)
  await read()
  expect(calls).toHaveLength(2)
  opened.connection = { ...opened.connection, updatedAt: 2 }
  await read()
  expect(calls).toHaveLength(3)
})

it('what was resolved is remembered over the pages of a search, and asked for again later', async () => {
  const { calls, clock, settle } = open(() => body({ id: 5 }))
  await settle({ domain: 'a.example' })
  clock.advance(590_000)
  expect(await settle({ domain: 'a.example' })).toMatchObject({ values: { domain: { value: 5 } } })
  expect(calls).toHaveLength(1)
  await settle({ domain: 'b.example' })
  clock.advance(20_000)
  await settle({ domain: 'a.example' })
  expect(calls.map((call) => call.body)).toEqual([
    { domain: 'a.example' },
    { domain: 'b.example' },
    { domain: 'a.example' },
  ])
})

it('a record that was found without the wanted part is remembered: what is refused for the setting is not paid again', async () => {
  const { calls, clock, settle } = open(() => body({ key: 5 }))
  const refusal = {
    code: 'bad_reply',
    message: expect.stringMatching(/"id".*"resolve\.take" of "domain".*"wire\.vendor\.endpoints"/) as string,
  }
  await expect(settle({ domain: 'a.example' })).rejects.toMatchObject(refusal)
  clock.advance(590_000)
  await expect(settle({ domain: 'a.example' })).rejects.toMatchObject(refusal)
  expect(calls).toHaveLength(1)
  clock.advance(20_000)
  await expect(settle({ domain: 'a.example' })).rejects.toMatchObject(refusal)
  expect(calls).toHaveLength(2)
})

describe('runs that need the same value at the same time', () => {
  const held = () => {
    const { promise, resolve: answer } = Promise.withResolvers<void>()
    return { ...open(() => body({ id: 5 }), promise), answer }
  }
  const turn = () => new Promise((done) => setImmediate(done))

  it('ask for it once; one for another value asks for its own', async () => {
    const { calls, settle, answer } = held()
    const runs = Promise.all(['a', 'a', 'b', 'a'].map((name) => settle({ domain: `${name}.example` })))
    await turn()
    answer()
    expect(await runs).toMatchObject([1, 2, 3, 4].map(() => ({ values: { domain: { value: 5 } } })))
    expect(calls.map((call) => call.body)).toEqual([{ domain: 'a.example' }, { domain: 'b.example' }])
  })

  it('share its failure, since it may be paid all the same; a later one asks again', async () => {
    let failing = true
    const { calls, settle } = open(() => (failing ? fail('outcome_unknown', 'lost') : body({ id: 5 })))
    const runs = await Promise.allSettled([settle({ domain: 'a.example' }), settle({ domain: 'a.example' })])
    expect(runs).toMatchObject([{ reason: { code: 'outcome_unknown' } }, { reason: { code: 'outcome_unknown' } }])
    expect(calls).toHaveLength(1)
    failing = false
    expect(await settle({ domain: 'a.example' })).toMatchObject({ values: { domain: { value: 5 } } })
  })

  it('ask anew where the one that asked was cancelled, and need not wait when they are', async () => {
    let failing = true
    const { calls, settle } = open(() =>
      failing ? ((failing = false), fail('cancelled', 'given up')) : body({ id: 5 }),
    )
    const runs = await Promise.allSettled([
      settle({ domain: 'a.example' }),
      settle({ domain: 'a.example' }),
      settle({ domain: 'a.example' }),
    ])
    expect(runs).toMatchObject([{ reason: { code: 'cancelled' } }, { status: 'fulfilled' }, { status: 'fulfilled' }])
    expect(calls).toHaveLength(2)
    const slow = held()
    const stop = new AbortController()
    const first = slow.settle({ domain: 'a.example' })
    const second = slow.settle({ domain: 'a.example' }, stop.signal)
    await turn()
    stop.abort()
    await expect(second).rejects.toMatchObject({ code: 'cancelled' })
    slow.answer()
    expect(await first).toMatchObject({ values: { domain: { value: 5 } } })
    expect(slow.calls).toHaveLength(1)
  })
})

it('choices of the provider are the options of a field of the step', async () => {
  const { calls, options } = open(() => departments)
  expect(await options.load({ tenant: 't' }, { ...request, field: 'department' })).toEqual({
    options: [
      { value: '11', label: 'Marketing', hint: '11' },
      { value: '2', label: 'Sales', hint: '2' },
    ],
  })
  expect(
    (await options.load({ tenant: 't' }, { ...request, field: 'department', query: 'sal' })).options,
  ).toMatchObject([{ value: '2' }])
  expect(calls).toHaveLength(1)
  await expect(options.load({ tenant: 't' }, { ...request, field: 'title' })).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('Fields that have: department.') as string,
  })
})
