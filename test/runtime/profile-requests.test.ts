import { describe, expect, it } from 'vitest'
import { effectiveProfile } from '../../shared/runtime/catalogue/profile.ts'
import { wrongReference } from '../../shared/runtime/catalogue/profile-references.ts'
import { profileOf, vendor } from './vendor.ts'
import anzData from '../../integrations/anz-data/manifest.ts'
import contactData from '../../integrations/contact-data/manifest.ts'

const page = { style: 'page', position: 'no', size: 'size', max: 10, default: 10 }
const bulk = { path: '/many', max: 5, envelope: '', answer: 'array', charge: 'match' }
const refusal = (it_: Record<string, unknown>, more: Record<string, Record<string, unknown>> = {}) => {
  try {
    effectiveProfile('vendor', vendor.wire, profileOf({ fields: { id: 'id' }, ...it_ } as never, more as never))
  } catch (thrown) {
    return (thrown as Error).message
  }
  return undefined
}

describe('a profile whose requests could not be sent is refused with its setting', () => {
  it.each([
    ['endpoints.it.envelope', { place: 'query', envelope: { at: 'a', as: 'list' } }],
    ['endpoints.it.envelope.beside', { envelope: { at: 'a', as: 'list', beside: ['what'] } }],
    ['endpoints.it.requires', { requires: [['id'], ['email']] }],
    ['endpoints.it.fields.level.default', { fields: { level: { name: 'level', map: { boss: 1 }, default: 'chef' } } }],
    [
      'endpoints.it.fields.reveal.default',
      { fields: { reveal: { name: null, flags: { emails: 'e' }, default: ['emails', 'faxes'] } } },
    ],
    [
      'endpoints.it.fields.place.template',
      { place: 'query', fields: { place: { name: 'place', template: [{ city: '{value}' }] } } },
    ],
    ['endpoints.it.bulk.beside', { bulk: { ...bulk, envelope: 'list', beside: ['reveal'] } }],
    ['endpoints.it.bulk.beside', { bulk: { ...bulk, beside: ['id'] } }],
    ['endpoints.it.bulk.constants', { bulk: { ...bulk, constants: { version: 3 } } }],
    [
      'endpoints.it.bulk.fields.level.default',
      { bulk: { ...bulk, fields: { level: { name: 'level', map: { boss: 1 }, default: 'chef' } } } },
    ],
    [
      'endpoints.it.fields.id.resolve.endpoint',
      { fields: { id: { name: 'id', resolve: { endpoint: 'them', field: 'id', take: 'id' } } } },
    ],
    [
      'endpoints.it.fields.id.resolve.field',
      { fields: { id: { name: 'id', resolve: { endpoint: 'other', field: 'slug', take: 'id' } } } },
    ],
    ['endpoints.it.place', { method: 'GET', place: 'json' }],
    ['endpoints.it.place', { method: 'GET' }],
    ['endpoints.it.page.place', { method: 'GET', place: 'query', page: { ...page, place: 'json' } }],
    ['endpoints.it.page.place', { place: 'query', page: { ...page, place: 'json' } }],
    ['endpoints.it.bulk.method', { bulk: { ...bulk, method: 'GET' } }],
  ])('%s', (setting, it_) => {
    expect(refusal(it_, { other: { fields: { id: 'id' } } })).toContain(`"wire.vendor.${setting}"`)
  })

  it('also where an operation puts parameters into the body of a GET', () => {
    const operations = [
      { method: 'GET', path: '/it', title: 'It', parameters: [{ name: 'id', in: 'body', type: 'string' }] },
    ]
    expect(() => effectiveProfile('vendor', vendor.wire, { operations })).toThrow(
      '"wire.vendor.operations.0.parameters.0.in"',
    )
    const listed = [{ method: 'GET', path: '/it', title: 'It', body: 'list', parameters: [] }]
    expect(() => effectiveProfile('vendor', vendor.wire, { operations: listed })).toThrow(
      '"wire.vendor.operations.0.body"',
    )
  })

  it('also where values are asked for in a circle', () => {
    const asks = (endpoint: string) => ({ id: { name: 'id', resolve: { endpoint, field: 'id', take: 'id' } } })
    expect(refusal({ fields: asks('other') }, { other: { fields: asks('it') } })).toContain('it → other → it')
    expect(refusal({ fields: asks('it') })).toContain('it → it')
  })

  it('and taken where they can be', () => {
    const fields = {
      id: 'id',
      level: { name: 'level', map: { boss: 1 }, labels: { boss: 'The boss' }, default: 'the boss' },
      size: { name: 'size', template: '{min}-{max}' },
    }
    expect(
      refusal({ fields, requires: [['id']], place: 'query', bulk: { ...bulk, envelope: 'list', beside: ['id'] } }),
    ).toBeUndefined()
    expect(refusal({ path: '/it/{slug}', requires: [['slug']] })).toBeUndefined()
    expect(refusal({ method: 'GET', place: 'query', page: { ...page, place: 'query' } })).toBeUndefined()
    expect(refusal({ page: { ...page, place: 'query' } })).toBeUndefined()
  })
})

it('the profiles of integrations can be sent', () => {
  for (const { id, wire, profiles = {} } of [anzData, contactData])
    for (const [name, make] of [['', () => wire] as const, ...Object.entries(profiles)])
      expect([id, name, wrongReference(make())]).toEqual([id, name, undefined])
})
