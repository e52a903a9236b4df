import { describe, expect, it } from 'vitest'
import type { FieldWire } from '#kit'
import { body } from '../data/harness.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { profileOf, run, sentFor, vendor } from './vendor.ts'

const sendField = (wire: FieldWire, value: unknown) => sentFor({ fields: { it: wire } }, { it: value })

describe('a template', () => {
  it('puts the value in, as text or with its type', async () => {
    expect(
      await sendField({ name: 'f', template: { exact: '{value}', text: 'is {value}!', fixed: [1, null] } }, 7),
    ).toEqual({
      f: { exact: 7, text: 'is 7!', fixed: [1, null] },
    })
  })

  it('takes the items of a list one by one', async () => {
    const template = [{ country: '{value}' }]
    expect(await sendField({ name: 'places', template }, ['AU', 'NZ'])).toEqual({
      places: [{ country: 'AU' }, { country: 'NZ' }],
    })
    expect(await sendField({ name: 'places', template }, 'AU')).toEqual({ places: [{ country: 'AU' }] })
    expect(
      await sendField({ name: 'places', template: { id: '{value}' }, map: { sales: 2, legal: 9 } }, ['sales', 'legal']),
    ).toEqual({
      places: [{ id: 2 }, { id: 9 }],
    })
    expect(await sendField({ name: 'tags', template: 'is:{value}', as: 'string' }, ['a', 'b'])).toEqual({
      tags: 'is:a,is:b',
    })
  })

  it('takes a range apart; an open end is left out', async () => {
    const sizes = { name: 'company.sizes', template: [{ min: '{min}', max: '{max}' }] }
    expect(await sendField(sizes, '11-50')).toEqual({ company: { sizes: [{ min: 11, max: 50 }] } })
    expect(await sendField(sizes, '10001+')).toEqual({ company: { sizes: [{ min: 10001 }] } })
    expect(await sendField({ name: 'sizes', template: ['{min},{max}'] }, ['1-10', '10001+'])).toEqual({
      sizes: ['1,10', '10001,'],
    })
    expect(await sendField({ ...sizes, map: { small: '1-50' } }, 'small')).toEqual({
      company: { sizes: [{ min: 1, max: 50 }] },
    })
  })

  it('refuses what is no range before anything is sent', async () => {
    expect(await sendField({ name: 's', template: { min: '{min}' } }, 'many')).toMatchObject({
      code: 'invalid_input',
      errors: [{ pointer: '/it' }],
    })
  })
})

describe('a template of several values', () => {
  it('holds what is given for other fields; what is not given is left out', async () => {
    const name = { name: 'fullName', template: '{first} {last}' }
    const company = { name: 'companies', template: [{ name: '{company}', domain: '{domain}' }] }
    const fields = { first: name, last: name, company, domain: company }
    expect(await sentFor({ fields }, { first: 'Mara', last: 'Voss', domain: 'x.example' })).toEqual({
      fullName: 'Mara Voss',
      companies: [{ domain: 'x.example' }],
    })
    expect(await sentFor({ fields }, { company: 'X', domain: 'x.example' })).toEqual({
      companies: [{ name: 'X', domain: 'x.example' }],
    })
  })

  it('holds the last part of an address', async () => {
    const handle = { name: 'handle', template: '{lastPart}' }
    expect(await sendField(handle, 'https://www.linkedin.com/in/mara-voss/?trk=x')).toEqual({ handle: 'mara-voss' })
    expect(await sendField(handle, 'mara-voss')).toEqual({ handle: 'mara-voss' })
  })
})

describe('a country, which is given by its code', () => {
  it('goes out by its English name where the provider wants names, in the case it wants', async () => {
    expect(await sendField({ name: 'places', template: [{ country: '{countryName}' }] }, 'NZ')).toEqual({
      places: [{ country: 'New Zealand' }],
    })
    expect(await sendField({ name: 'c', case: 'lower', template: '{countryName}' }, 'AU')).toEqual({ c: 'australia' })
    expect(await sendField({ name: 'c', template: '{countryName}' }, 'nowhere')).toEqual({ c: 'nowhere' })
  })
})

describe('fields of one list', () => {
  const must = (field: string) => ({
    name: 'query.must',
    add: true as const,
    template: { term: { [field]: '{value}' } },
  })

  it('each add to it, in the order of the profile', async () => {
    const fields = { title: must('t'), place: must('p.name'), size: must('s') }
    expect(await sentFor({ fields }, { size: '1-10', title: 'ceo' })).toEqual({
      query: { must: [{ term: { t: 'ceo' } }, { term: { s: '1-10' } }] },
    })
    expect(await sentFor({ fields }, { place: 'perth' })).toEqual({
      query: { must: [{ term: { 'p.name': 'perth' } }] },
    })
  })
})

describe('words of a field', () => {
  it('are sent in the case the provider wants, those of a map as they are', async () => {
    expect(await sendField({ name: 'f', case: 'lower', template: 'is:{value}' }, 'Data Science')).toEqual({
      f: 'is:data science',
    })
    expect(await sendField({ name: 'f', case: 'upper' }, ['au', 7])).toEqual({ f: ['AU', 7] })
    expect(await sendField({ name: 'f', case: 'lower', map: { top: 'C_SUITE' } }, 'top')).toEqual({ f: 'C_SUITE' })
  })

  it('are known by their labels too', async () => {
    const wire = { name: 'level', map: { '3': 3, '5': 5 }, labels: { '3': 'C-Suite', '5': 'Manager' } }
    expect(await sendField(wire, 'c-suite')).toEqual({ level: 3 })
    expect(await sendField(wire, '5')).toEqual({ level: 5 })
    expect(await sendField(wire, 'wizard')).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('3 (C-Suite), 5 (Manager)') as string,
    })
  })

  it('may each be a flag of the provider', async () => {
    const wire = {
      name: null,
      flags: { emails: 'revealEmails', phones: 'reveal.phones' },
      labels: { phones: 'Phone numbers' },
    }
    expect(await sendField(wire, ['emails', 'phone numbers'])).toEqual({ revealEmails: true, reveal: { phones: true } })
    expect(await sendField(wire, 'emails')).toEqual({ revealEmails: true })
    expect(await sendField(wire, ['faxes'])).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/it' }] })
    expect(await sentFor({ fields: { it: { ...wire, default: ['emails', 'phones'] } } }, {})).toEqual({
      revealEmails: true,
      reveal: { phones: true },
    })
  })
})

describe('a default', () => {
  it('is sent where the field is not given, in the words of the provider', async () => {
    const fields = {
      country: { name: 'country', map: { AU: 'Australia', NZ: 'New Zealand' }, default: 'AU' },
      name: 'name',
    }
    expect(await sentFor({ fields }, { name: 'x' })).toEqual({ country: 'Australia', name: 'x' })
    expect(await sentFor({ fields }, { name: 'x', country: 'NZ' })).toEqual({ country: 'New Zealand', name: 'x' })
    expect(await sentFor({ fields, place: 'query', method: 'GET' }, { name: 'x' })).toEqual({
      country: 'Australia',
      name: 'x',
    })
  })
})

describe('fields with one wire name', () => {
  const fields = { id: 'q', slug: 'q', domain: { name: 'q', default: 'any.example' } }

  it('send the first that is given, in the order of the profile', async () => {
    expect(await sentFor({ fields }, { slug: 's', id: 'i' })).toEqual({ q: 'i' })
    expect(await sentFor({ fields }, { domain: 'd', slug: 's' })).toEqual({ q: 's' })
    expect(await sentFor({ fields }, {})).toEqual({ q: 'any.example' })
  })
})

describe('the body of a request', () => {
  const fields = { email: 'email', name: 'who.name' }

  it('has the fields under its envelope, with constants inside and outside', async () => {
    const it = { fields, constants: { 'meta.version': 3, partial: { deep: [1] } } }
    expect(
      await sentFor(
        { ...it, envelope: { at: 'contacts', as: 'list', constants: { clientReferenceId: '1' } } },
        { email: 'a@b.example', name: 'A' },
      ),
    ).toEqual({
      meta: { version: 3 },
      partial: { deep: [1] },
      contacts: [{ clientReferenceId: '1', email: 'a@b.example', who: { name: 'A' } }],
    })
    expect(await sentFor({ ...it, envelope: { at: 'data.query', as: 'object' } }, { name: 'A' })).toEqual({
      meta: { version: 3 },
      partial: { deep: [1] },
      data: { query: { who: { name: 'A' } } },
    })
    expect(await sentFor({ fields, envelope: { at: 'filters', as: 'object' } }, {})).toEqual({ filters: {} })
    const beside = { at: 'contacts', as: 'list' as const, beside: ['name'] }
    expect(await sentFor({ fields, envelope: beside }, { email: 'a@b.example', name: 'A' })).toEqual({
      contacts: [{ email: 'a@b.example' }],
      who: { name: 'A' },
    })
  })

  it('takes fields into constants without changing the profile', async () => {
    const it = { fields: { name: 'filters.name' }, constants: { filters: { active: true } } }
    expect(await sentFor(it, { name: 'A' })).toEqual({ filters: { active: true, name: 'A' } })
    expect(it.constants).toEqual({ filters: { active: true } })
  })

  it('makes a list where a name holds a number', async () => {
    const at = { fields: { country: 'locations.0.country', city: 'locations.0.city' } }
    expect(await sentFor(at, { country: 'AU', city: 'Perth' })).toEqual({
      locations: [{ country: 'AU', city: 'Perth' }],
    })
  })

  it('of a search holds its paging beside the envelope', async () => {
    const page = {
      style: 'page' as const,
      place: 'json' as const,
      position: 'pagination.page',
      size: 'pagination.size',
      max: 50,
      default: 25,
    }
    const { sent } = await run(
      'search',
      { values: { name: 'A' } },
      profileOf({ fields, envelope: { at: 'filters', as: 'object' }, page }),
      [body([])],
    )
    expect(sent[0]?.body).toEqual({ filters: { who: { name: 'A' } }, pagination: { page: 0, size: 25 } })
  })
})

describe('sets of fields that an endpoint requires', () => {
  const it_ = {
    fields: { email: 'email', first: 'first', domain: 'domain', country: 'country' },
    requires: [['email'], ['first', 'domain']],
  }

  it('are named where none is given, and nothing is sent', async () => {
    for (const [step, input] of [
      ['ask', { values: { first: 'A' } }],
      ['search', { values: { first: 'A' } }],
      ['find', { sets: [{ first: 'A' }] }],
      ['find-many', { records: [[{ first: 'A' }]] }],
    ] as const) {
      const { failure, sent, value } = await run(step, input, profileOf(it_), [])
      const failed = failure ?? value.results[0].failed
      expect(failed).toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('email, first + domain') as string,
      })
      expect(failed.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/email', '/first', '/domain'])
      expect(sent).toEqual([])
    }
    expect(await sentFor(it_, { first: 'A', domain: 'b.example' })).toEqual({ first: 'A', domain: 'b.example' })
  })

  it('pass over identifiers that are not enough while others are', async () => {
    const { sent } = await run('find', { sets: [{ first: 'A' }, { email: 'a@b.example' }] }, profileOf(it_), [
      body(null),
    ])
    expect(sent.map((one_) => one_.body)).toEqual([{ email: 'a@b.example' }])
  })

  it('are counted together where all identifiers go together', async () => {
    const { sent } = await run(
      'find',
      { sets: [{ first: 'A' }, { domain: 'b.example' }] },
      profileOf({ ...it_, identifiers: 'all' }),
      [body(null)],
    )
    expect(sent.map((one_) => one_.body)).toEqual([{ first: 'A', domain: 'b.example' }])
  })
})

describe('values that go along with identifiers', () => {
  const wire = profileOf({ fields: { email: 'email', id: 'id', country: 'country' } })

  it('are sent with each, and are no part of what it was matched by', async () => {
    const { sent, value } = await run(
      'find',
      { sets: [{ id: 'p1' }, { email: 'a@b.example' }], along: { country: 'NZ' } },
      wire,
      [body(null), body({ name: 'A' })],
    )
    expect(sent.map((one_) => one_.body)).toEqual([
      { id: 'p1', country: 'NZ' },
      { email: 'a@b.example', country: 'NZ' },
    ])
    expect(value.matchedBy).toBe('email')
  })

  it('fail before anything is sent where the provider has no such field', async () => {
    const { failure, sent } = await run('find', { sets: [{ id: 'p1' }], along: { colour: 'red' } }, wire, [])
    expect(failure).toMatchObject({ code: 'wire_unset', message: expect.stringContaining('fields.colour') as string })
    expect(sent).toEqual([])
  })
})

describe('an endpoint with an address of its own', () => {
  it('is named to the wire, and is enough for a step to be usable', async () => {
    const it_ = {
      fields: { id: 'id' },
      baseUrl: 'https://people.example',
      bulk: { path: '/many', max: 9, envelope: '', answer: 'array', charge: 'match' } as const,
    }
    const { calls } = await run('ask', { values: { id: 1 } }, profileOf(it_), [body({})])
    expect(calls[0]).toMatchObject({ endpoint: 'it' })
    const many = await run('find-many', { records: [[{ id: 1 }], [{ id: 2 }]] }, profileOf(it_), [body([null, null])])
    expect(many.calls[0]).toMatchObject({ endpoint: 'it', path: '/many' })
    const auth = { 'api-key': { place: 'header', fields: { 'x-key': '{apiKey}' } } }
    const needs = (over: Record<string, unknown>) =>
      createRegistry([vendor], { vendor: { auth, ...over } }).step('vendor', 'find').needs
    expect(needs(profileOf({ fields: {} }))).toEqual(['wire.vendor.baseUrl'])
    expect(needs(profileOf(it_))).toEqual([])
  })
})
