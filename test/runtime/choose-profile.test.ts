import { describe, expect, it } from 'vitest'
import type { Integration, WireProfile } from '#kit'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { integrations, reachable } from '../data/harness.ts'

const contact = integrations[1]!
const profile = (name: string, baseUrl: string, assumed: WireProfile['assumed'] = {}): WireProfile =>
  ({ ...contact.wire, ...reachable, profile: name, baseUrl, assumed }) as WireProfile
let made: string[] = []
const ready = (name: string, baseUrl: string, assumed?: WireProfile['assumed']) => ({
  [name]: () => (made.push(name), profile(name, baseUrl, assumed)),
})
const integration: Integration = {
  ...contact,
  profiles: {
    ...ready('first-v1', 'https://one.example', { 'pace.concurrency': 'a guess' }),
    ...ready('second', 'https://two.example'),
  },
}
const registryOf = (override?: Record<string, unknown>) =>
  createRegistry([integration], override === undefined ? {} : { 'contact-data': override })
const wireOf = (override?: Record<string, unknown>) => registryOf(override).integration('contact-data').wire

describe('the profile that the operator picks', () => {
  it('is the documented one where nothing is picked', () => {
    expect(wireOf()).toBe(contact.wire)
    expect(wireOf({ profile: 'documented' }).profile).toBe('documented')
  })

  it('is the ready profile of that name', () => {
    expect(wireOf({ profile: 'second' })).toMatchObject({ profile: 'second', baseUrl: 'https://two.example' })
  })

  it('has the rest of the override laid over it', () => {
    const wire = wireOf({ profile: 'first-v1', pace: { concurrency: 9 } })
    expect(wire).toMatchObject({
      profile: 'first-v1',
      baseUrl: 'https://one.example',
      pace: { concurrency: 9, limits: [] },
      assumed: {},
    })
  })

  it('may be a profile of the operator with a name and an address of its own', () => {
    expect(wireOf({ profile: 'our gateway', baseUrl: 'https://gateway.example' })).toMatchObject({
      profile: 'our gateway',
      baseUrl: 'https://gateway.example',
      endpoints: { person: { path: '/person' } },
    })
  })

  it('may have any name where an integration has no ready profiles', () => {
    const { profiles: _, ...without } = integration
    expect(
      createRegistry([without], { 'contact-data': { profile: 'anything' } }).integration('contact-data').wire.profile,
    ).toBe('anything')
  })

  it.each([
    [
      'of a name that there is not',
      { profile: 'nobody' },
      /"wire\.contact-data\.profile" .* no profile "nobody"\. Its profiles: documented, first-v1, second\./,
    ],
    [
      'of a name of its own without an address',
      { profile: 'our gateway', pace: { concurrency: 2 } },
      /A profile of your own .* "baseUrl"/,
    ],
    ['of a misspelt name', { profile: 'first-v', baseUrl: 'https://gateway.example' }, /Did you mean "first-v1"\?/],
    ['that is no text', { profile: 7 }, /"wire\.contact-data\.profile" is not usable/],
    [
      'with overrides of a profile that there is not',
      { profiles: { third: {} } },
      /"wire\.contact-data\.profiles\.third" .* no profile "third"/,
    ],
    [
      'with overrides that are no object',
      { profiles: { second: 'https://two.example' } },
      /"wire\.contact-data\.profiles\.second" is not usable/,
    ],
    ['with overrides of profiles that are a list', { profiles: [] }, /"wire\.contact-data\.profiles" is not usable/],
    [
      'with a wrong value for another profile',
      { profiles: { second: { pace: { concurrency: 0 } } } },
      /"wire\.contact-data\.profiles\.second\.pace\.concurrency"/,
    ],
    [
      'with a profile inside another',
      { profiles: { second: { profile: 'first-v1' } } },
      /profiles\.second" .* without "profile"/,
    ],
  ])('is refused at the start %s', (_, override, message) => expect(() => registryOf(override)).toThrow(message))
})

describe('the profile that a connection chooses', () => {
  const chosen = (override: Record<string, unknown> | undefined, name: string | null) =>
    registryOf(override).forConnection({ integration: 'contact-data', profile: name }).wire

  it('is the operator’s where it chooses none', () => {
    const registry = registryOf({ profile: 'second' })
    expect(registry.forConnection({ integration: 'contact-data', profile: null })).toBe(
      registry.integration('contact-data'),
    )
    expect(registry.forConnection({ integration: 'contact-data' })).toBe(registry.integration('contact-data'))
  })

  it('has only what is laid over the profile of that name', () => {
    const override = {
      profile: 'first-v1',
      pace: { concurrency: 9 },
      profiles: { second: { pace: { concurrency: 2 } } },
    }
    expect(chosen(override, null)).toMatchObject({ profile: 'first-v1', pace: { concurrency: 9 } })
    expect(chosen(override, 'second')).toMatchObject({
      profile: 'second',
      baseUrl: 'https://two.example',
      pace: { concurrency: 2 },
    })
    expect(chosen(override, 'first-v1').pace.concurrency).toBe(contact.wire.pace.concurrency)
    expect(chosen(override, 'documented')).toMatchObject({ profile: 'documented', baseUrl: null })
  })

  it('is loaded once, and no profile before it is needed', () => {
    made = []
    const registry = registryOf()
    expect(made).toEqual([])
    const row = { integration: 'contact-data', profile: 'second' }
    expect(registry.forConnection(row)).toBe(registry.forConnection({ ...row }))
    expect(made).toEqual(['second'])
  })

  it('names its own settings where they are missing', () => {
    const { needs } = registryOf()
      .forConnection({ integration: 'contact-data', profile: 'documented' })
      .steps.get('find-contact')!
    expect(needs).toEqual([
      'wire.contact-data.profiles.documented.baseUrl',
      'wire.contact-data.profiles.documented.auth.api-key',
    ])
  })

  it('is refused where there is none of that name any more', () => {
    expect(() => chosen(undefined, 'third')).toThrow(/no profile "third".*choose another one/)
  })
})
