import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { companyRecord, personRecord } from '#kit'
import { company as anzCompany, person as anzPerson } from '../../integrations/anz-data/records.ts'
import { company as contactCompany, person as contactPerson } from '../../integrations/contact-data/records.ts'
import { normaliseRecord } from '../../shared/runtime/endpoints/records.ts'

const anz = (raw: unknown) => normaliseRecord(raw, 'person', anzPerson)
const contact = (raw: unknown) => normaliseRecord(raw, 'person', contactPerson)

describe('one person shape', () => {
  it('comes out of two spellings', () => {
    const first = anz({
      id: 7,
      name: 'Gwen Ellery',
      position: 'Sales Manager',
      current_company: { name: 'Kōwhai', size: '51 - 200' },
      linkedin: 'gwen-ellery',
      location: ['Auckland', 'New Zealand'],
      emails: {
        work: [{ value: 'gwen@kowhai.example', deliverability: 'deliverable' }],
        personal: [{ value: 'gwen@mailbox.example' }],
      },
      phones: [{ value: '021 555 0100', is_dnd: true }],
    })
    const second = contact({
      personId: '7',
      fullName: 'Gwen Ellery',
      jobTitle: { title: 'Sales Manager', seniority: 'manager', departments: ['Sales'] },
      company: { name: 'Kōwhai', employees: '51 - 200' },
      socialLinks: { linkedin: 'https://linkedin.com/in/Gwen-Ellery/' },
      location: { city: 'Auckland', country: 'New Zealand' },
      emailAddresses: [{ address: 'gwen@kowhai.example', emailType: 'work', emailConfidence: 'A+' }],
      phoneNumbers: [{ number: '+64215550100', phoneType: 'mobile', doNotCall: true }],
    })
    for (const record of [first, second]) {
      expect(record).toMatchObject({
        id: '7',
        fullName: 'Gwen Ellery',
        jobTitle: 'Sales Manager',
        company: 'Kōwhai',
        companySize: '51 - 200',
        location: 'Auckland, New Zealand',
        email: 'gwen@kowhai.example',
        linkedinUrl: 'https://www.linkedin.com/in/gwen-ellery',
        linkedinSlug: 'gwen-ellery',
        phones: [{ doNotCall: 'yes' }],
      })
    }
    expect(first.emails).toEqual([
      { value: 'gwen@kowhai.example', type: 'work', status: 'deliverable', deliverable: 'yes' },
      { value: 'gwen@mailbox.example', type: 'personal', deliverable: 'unknown' },
    ])
    expect(second.emails).toEqual([
      { value: 'gwen@kowhai.example', type: 'work', confidence: 'A+', deliverable: 'unknown' },
    ])
  })

  it.each([
    [true, 'yes'],
    ['Yes', 'yes'],
    [1, 'yes'],
    [false, 'no'],
    ['N', 'no'],
    [0, 'no'],
    [null, 'unknown'],
    [undefined, 'unknown'],
    ['', 'unknown'],
    ['maybe', 'unknown'],
    [{}, 'unknown'],
    [2, 'unknown'],
    ['not listed', 'unknown'],
  ])('reads the do-not-call mark %j as %s', (mark, expected) => {
    expect(anz({ phones: [{ value: '0491 570 156', is_dnd: mark }] }).phones).toMatchObject([
      { number: '0491 570 156', doNotCall: expected },
    ])
    expect(contact({ phoneNumbers: [{ number: '+61491570156', doNotCall: mark }] }).phones).toMatchObject([
      { number: '+61491570156', doNotCall: expected },
    ])
  })

  it('never drops a do-not-call flag: bare numbers are unknown, a flag of the person applies to all, the stricter of two wins', () => {
    expect(anz({ phones: ['0491 570 156'], mobile: '0491 570 157' }).phones).toEqual([
      { number: '0491 570 156', line: 'unknown', doNotCall: 'unknown' },
      { number: '0491 570 157', type: 'mobile', line: 'mobile', doNotCall: 'unknown' },
    ])
    expect(anz({ do_not_call: true, phones: [{ value: '1', is_dnd: false }] }).phones).toEqual([
      { number: '1', line: 'unknown', doNotCall: 'yes' },
    ])
    expect(anz({ do_not_call: false, phones: [{ value: '1' }] }).phones).toEqual([
      { number: '1', line: 'unknown', doNotCall: 'unknown' },
    ])
    expect(
      anz({ phones: [{ value: '0491 570 156', is_dnd: false }], mobile: [{ value: '(0491) 570-156', is_dnd: true }] })
        .phones,
    ).toEqual([{ number: '0491 570 156', type: 'mobile', line: 'mobile', doNotCall: 'yes' }])
  })

  it('also gives every number a flag where an operator maps the list as a whole', () => {
    expect(
      normaliseRecord({ tel: ['1', { number: '2', doNotCall: true }, { other: 3 }] }, 'person', { phones: ['tel'] })
        .phones,
    ).toEqual([
      { number: '1', line: 'unknown', doNotCall: 'unknown' },
      { number: '2', line: 'unknown', doNotCall: 'yes' },
    ])
  })

  it('keeps suppression and confidence as given', () => {
    expect(anz({ name: 'A', suppressed: true, confidence: 0.9 })).toMatchObject({ suppressed: true, confidence: 0.9 })
    expect(contact({ fullName: 'A', confidence: 'B+' })).toMatchObject({ confidence: 'B+' })
  })

  it('leaves out what is not given: absent is not "none"', () => {
    expect(anz({ name: 'A', emails: [], phones: null, seniority: '' })).toEqual({ fullName: 'A' })
  })

  it('takes no link that leads elsewhere', () => {
    expect(anz({ name: 'A', linkedin_url: 'https://linkedin.com.evil.example/in/a' })).toEqual({ fullName: 'A' })
    expect(
      contact({
        fullName: 'A',
        socialProfiles: [
          { network: 'x', url: 'javascript:alert(1)' },
          { network: 'y', url: 'https://y.example/a' },
        ],
      }),
    ).toMatchObject({ socialProfiles: [{ network: 'y', url: 'https://y.example/a' }] })
  })

  it('takes out characters that nobody sees but a model reads', () => {
    const tag = String.fromCodePoint(0xe0041, 0xe0042)
    expect(anz({ name: `A\u202eB${tag}\u200b`, headline: 'two\nlines\u0007' })).toEqual({
      fullName: 'AB',
      headline: 'two\nlines',
    })
    expect(anz({ name: 'یک\u200cنام' }).fullName).toBe('یک\u200cنام')
  })
})

describe('one company shape', () => {
  it('comes out of two spellings', () => {
    const first = normaliseRecord(
      {
        name: 'Wattle',
        fqdn: 'wattle.example',
        industries: ['Transport', 'Storage'],
        company_size: '201 - 500',
        employee_count: '1,240',
        year_founded: '2009',
        industry_codes: { abn: '74 970 412 072' },
        nextGen: { technographics: { crm: ['HubSpot'], db: ['Postgres', 'HubSpot'] } },
        revenue: '>$1B+',
      },
      'company',
      anzCompany,
    )
    expect(first).toMatchObject({
      name: 'Wattle',
      domain: 'wattle.example',
      industry: 'Transport',
      industries: ['Transport', 'Storage'],
      employeeRange: '201 - 500',
      employeeCount: 1240,
      foundedYear: 2009,
      abn: '74970412072',
      technologies: ['HubSpot', 'Postgres'],
      revenue: '>$1B+',
    })
    const second = normaliseRecord(
      {
        name: 'Wattle',
        domain: 'wattle.example',
        mainIndustry: 'Transport',
        employeeCount: { exact: 1240, min: 1001, max: 5000 },
        revenueRange: [1, 2],
        technologies: [{ name: 'HubSpot' }, { name: 'Postgres' }],
      },
      'company',
      contactCompany,
    )
    expect(second).toMatchObject({
      name: 'Wattle',
      domain: 'wattle.example',
      industry: 'Transport',
      employeeCount: 1240,
      employeeRange: '1001-5000',
      revenue: '1-2',
      technologies: ['HubSpot', 'Postgres'],
    })
  })
})

describe('any answer whatever', () => {
  const names = [
    ...new Set(
      [anzPerson, anzCompany, contactPerson, contactCompany]
        .flatMap((aliases) =>
          Object.values(aliases).flatMap((alias) => (Array.isArray(alias) ? alias : alias.lists.map(({ at }) => at))),
        )
        .map((path) => path.split('.')[0]!),
    ),
  ]
  const raw = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 4 }))

  it('gives a record of the shape, and does not throw', () => {
    fc.assert(
      fc.property(raw, (record) => {
        for (const aliases of [anzPerson, contactPerson])
          expect(personRecord().safeParse(normaliseRecord(record, 'person', aliases)).error).toBeUndefined()
        for (const aliases of [anzCompany, contactCompany])
          expect(companyRecord().safeParse(normaliseRecord(record, 'company', aliases)).error).toBeUndefined()
      }),
      { numRuns: 400 },
    )
  })
})
