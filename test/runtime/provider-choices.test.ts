import { expect, it } from 'vitest'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import type { OpenConnections } from '../../shared/runtime/connections/open-connection.ts'
import { createOptions } from '../../shared/runtime/options.ts'
import { askingFor } from '../../shared/runtime/steps/endpoints.ts'
import { readChoices, settleValues } from '../../shared/runtime/steps/provider-values.ts'
import { singleFields } from '../../shared/runtime/steps/endpoint-request.ts'
import { openSession } from '../../shared/runtime/steps/session.ts'
import type { Answers } from '../data/harness.ts'
import { accountOf, body, fakeWire, reachable } from '../data/harness.ts'
import { fakeClock } from '../support/clock.ts'
import { profileOf, vendor } from './vendor.ts'

const choices = { endpoint: 'departments', list: '', value: 'id', label: 'title', cacheMs: 60_000 }
const resolve = { endpoint: 'company', field: 'domain', take: 'id' }
const profile = profileOf(
  { fields: { department: { name: 'dept', choices }, domain: { name: 'company', resolve }, title: 'title' } },
  { departments: { method: 'GET', path: '/departments', place: 'query', fields: {} }, company: { fields: { domain: 'domain' } } },
)
const departments = body([
  { id: 11, title: 'Marketing' },
  { id: 2, title: 'Sales' },
])

const open = (answers: Answers) => {
  const registry = createRegistry([vendor], { vendor: { ...reachable, ...profile } })
  const { wire, calls } = fakeWire(answers)
  const clock = fakeClock()
  // A cache takes the time 0 for none.
  clock.advance(1)
  const opened = accountOf('vendor', registry.integration('vendor').stepPolicy)
  const loaded = registry.step('vendor', 'search')
  const session = () => openSession({ loaded, opened, effect: 'read', deadlineAt: Infinity })
  return {
    calls,
    clock,
    opened,
    read: () => readChoices(askingFor(wire, clock, session()), choices),
    settle: (values: Record<string, unknown>) => settleValues(askingFor(wire, clock, session()), singleFields(loaded.loaded, 'it'), values, () => undefined),
    options: createOptions({ registry, openConnections: { open: () => opened } as unknown as OpenConnections, wire, clock }),
  }
}
const asked = { integration: 'vendor', step: 'search', connection: 'Main' }

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
  expect(calls.map((call) => call.body)).toEqual([{ domain: 'a.example' }, { domain: 'b.example' }, { domain: 'a.example' }])
})

it('choices of the provider are the options of a field of the step', async () => {
  const { calls, options } = open(() => departments)
  expect(await options.load({ tenant: 't' }, { ...asked, field: 'department' })).toEqual({
    options: [
      { value: '11', label: 'Marketing', hint: '11' },
      { value: '2', label: 'Sales', hint: '2' },
    ],
  })
  expect((await options.load({ tenant: 't' }, { ...asked, field: 'department', query: 'sal' })).options).toMatchObject([{ value: '2' }])
  expect(calls).toHaveLength(1)
  await expect(options.load({ tenant: 't' }, { ...asked, field: 'title' })).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('Fields that have: department.') as string,
  })
})
