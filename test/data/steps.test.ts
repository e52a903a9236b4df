import { describe, expect, it } from 'vitest'
import { inputJsonSchema } from '#kit'
import { abnOf, acnOf } from '../../shared/sandbox/people/numbers.ts'
import { body, integrations, runStep } from './harness.ts'

const abn = abnOf(acnOf(41_207))
const refused = async (id: string, step: string, input: unknown) => {
  const { failure, sent } = await runStep(id, step, input, [])
  expect(sent).toEqual([])
  expect(failure?.code).toBe('invalid_input')
  return failure!
}
const bodyOf = async (id: string, step: string, input: unknown) =>
  (await runStep(id, step, input, () => body(null))).sent.map((request) => request.body)

describe('People Enrichment', () => {
  it.each([
    [
      { linkedinUrl: 'https://uk.linkedin.com/in/J%C3%B6rg-Kowal/de?trk=x' },
      [{ linkedin_url: 'https://www.linkedin.com/in/j%C3%B6rg-kowal' }],
    ],
    [{ linkedinSlug: 'https://www.linkedin.com/in/Aroha-1' }, [{ linkedin_slug: 'aroha-1' }]],
    [{ email: ' Aroha@WATTLE.example ' }, [{ email: 'Aroha@wattle.example' }]],
    [
      { linkedinUrl: 'linkedin.com/in/aroha-1', linkedinSlug: 'Aroha-1', email: 'a@wattle.example' },
      [{ linkedin_url: 'https://www.linkedin.com/in/aroha-1' }, { email: 'a@wattle.example' }],
    ],
  ])('sends %j normalised', async (input, expected) => {
    expect(await bodyOf('anz-data', 'people-enrichment', input)).toEqual(expected)
  })

  it.each([
    [{}, '', 'Give at least one of'],
    [{ linkedinUrl: 'https://linkedin.com.evil.example/in/aroha' }, '/linkedinUrl', 'not on linkedin.com'],
    [{ linkedinUrl: 'https://www.linkedin.com/company/wattle' }, '/linkedinUrl', 'address of a company'],
    [{ email: 'aroha at wattle' }, '/email', 'no "@"'],
    [{ email: 42 }, '/email', 'must be text'],
    [{ linkedinSlug: 'two words' }, '/linkedinSlug', 'characters'],
    [{ linkedinUrl: 'linkedin.com/in/aroha-1', linkedinSlug: 'tane-2' }, '/linkedinSlug', 'different people'],
    [{ email: 'a@wattle.example', phone: '1' }, '/phone', 'is not a field'],
  ])('refuses %j', async (input, pointer, words) => {
    const failure = await refused('anz-data', 'people-enrichment', input)
    expect(failure.errors?.[0]?.pointer).toBe(pointer)
    expect(failure.message).toContain(words)
  })
})

describe('Company Enrichment', () => {
  it('tries ABN, domain, LinkedIn page and website, in this order', async () => {
    const input = {
      website: 'www.wattle.example/about#team',
      linkedin: 'wattle-freight',
      domain: 'https://shop.wattle.example',
      abn: abn.replace(/^(..)/, '$1 '),
    }
    expect(await bodyOf('anz-data', 'company-enrichment', input)).toEqual([
      { abn },
      { domain: 'wattle.example' },
      { linkedin_url: 'https://www.linkedin.com/company/wattle-freight' },
      { website: 'https://www.wattle.example/about' },
    ])
  })

  it('refuses the sample number and says why', async () => {
    const failure = await refused('anz-data', 'company-enrichment', { abn: '12345678901' })
    expect(failure.errors?.[0]).toMatchObject({ pointer: '/abn' })
    expect(failure.message).toMatch(/12345678901.*check digits/)
  })

  it.each([
    [{ domain: 'localhost' }, '/domain'],
    [{ website: 'ftp://wattle.example' }, '/website'],
    [{ linkedin: 'https://www.linkedin.com/in/aroha' }, '/linkedin'],
    [{}, ''],
  ])('refuses %j', async (input, pointer) => {
    expect((await refused('anz-data', 'company-enrichment', input)).errors?.[0]?.pointer).toBe(pointer)
  })
})

describe('People Search', () => {
  const wire = { endpoints: { 'search-people': { fields: { states: 'states', companySize: 'size' } } } }
  const states = async (stateInputs: string[]) =>
    (
      (await runStep('anz-data', 'people-search', { states: stateInputs }, [body([])], { wire })).sent[0]!.body as {
        states: string[]
      }
    ).states

  it('takes states and regions by code and name; Australia wins where both have a code', async () => {
    expect(await states(['TAS', 'WA', 'SA', 'NT', 'CAN'])).toEqual(['AU-TAS', 'AU-WA', 'AU-SA', 'AU-NT', 'NZ-CAN'])
    expect(await states(['NZ-TAS', 'nz tasman', 'Tasman', 'Tasmania', 'au-tas'])).toEqual(['NZ-TAS', 'AU-TAS'])
    expect(
      await states([
        'Manawatu-Whanganui',
        'Manawatū–Whanganui',
        'Hawkes Bay',
        'Hawke’s Bay',
        'Wellington',
        'greater wellington region',
        'new south wales',
      ]),
    ).toEqual(['NZ-MWT', 'NZ-HKB', 'NZ-WGN', 'AU-NSW'])
  })

  it.each(['Fiordland', 'AU-XYZ', 'AU-AUK', 'NZ-NSW', '', '-', 'constructor', '__proto__', 'US-CA'])(
    'refuses the place "%s" and lists the right ones',
    async (place) => {
      const failure = await refused('anz-data', 'people-search', { states: [place] })
      expect(failure.errors?.[0]?.pointer).toBe('/states/0')
      expect(failure.message).toContain('AU-NSW (New South Wales)')
    },
  )

  it.each([
    ['11-50', '11-50'],
    ['1,001 – 5,000', '1001-5000'],
    ['51 to 200', '51-200'],
    ['10001 +', '10001+'],
  ])('takes the size %s', async (size, sent) => {
    expect(
      (await runStep('anz-data', 'people-search', { companySize: size }, [body([])], { wire })).sent[0]?.body,
    ).toEqual({ size: sent })
  })

  it.each([
    [{ companySize: 'big' }, '/companySize'],
    [{ companySize: '50-11' }, '/companySize'],
    [{ position: '  ' }, '/position'],
    [{ position: 'x'.repeat(201) }, '/position'],
    [{ limit: 5 }, ''],
    [{ company: 'W', limit: 0 }, '/limit'],
  ])('refuses %j', async (input, pointer) => {
    expect((await refused('anz-data', 'people-search', input)).errors?.[0]?.pointer).toBe(pointer)
  })

  it('passes words on as given', async () => {
    expect(await bodyOf('anz-data', 'people-search', { seniority: 'C-Suite', department: 'Sales' })).toEqual([
      { seniority: 'C-Suite', department: 'Sales' },
    ])
  })
})

describe('Find Contact and Find Company', () => {
  it('send complete sets only, strongest first', async () => {
    const input = {
      firstName: ' Freya ',
      lastName: 'Lindqvist',
      company: 'Hobgoblin',
      email: 'f@hob.example',
      linkedinUrl: 'linkedin.com/in/Freya-88',
    }
    expect(await bodyOf('contact-data', 'find-contact', input)).toEqual([
      { linkedInUrl: 'https://www.linkedin.com/in/freya-88' },
      { email: 'f@hob.example' },
      { firstName: 'Freya', lastName: 'Lindqvist', company: 'Hobgoblin' },
    ])
    expect(await bodyOf('contact-data', 'find-contact', { email: 'f@hob.example', lastName: 'Lindqvist' })).toEqual([
      { email: 'f@hob.example' },
    ])
    expect(await bodyOf('contact-data', 'find-company', { name: 'Hobgoblin', domain: 'www.hob.example' })).toEqual([
      { domain: 'hob.example' },
      { name: 'Hobgoblin' },
    ])
  })

  it.each([
    {},
    { firstName: 'Freya', lastName: 'Lindqvist' },
    { company: 'Hobgoblin', firstName: 'Freya' },
    { email: '' },
  ])('refuse %j', async (input) => {
    await refused('contact-data', 'find-contact', input)
  })
})

describe('Enrich', () => {
  const enrich = (contacts: unknown, answers: Parameters<typeof runStep>[3]) =>
    runStep('contact-data', 'enrich-contacts', { contacts }, answers)

  it('keeps what is given and adds what is not', async () => {
    const contact = { reference: 'crm-1', email: 'Freya@hob.example', company: 'Hobgoblin (US)', jobTitle: 'Buyer' }
    const { value, sent } = await enrich(
      [contact],
      [
        body({
          data: {
            fullName: 'Freya Lindqvist',
            jobTitle: 'Director',
            company: 'Hobgoblin Inc',
            emails: ['freya.l@hob.example'],
            phones: ['+1 212 555 0143'],
          },
        }),
      ],
    )
    expect(sent[0]?.body).toEqual({ email: 'Freya@hob.example' })
    expect(value.results[0]).toMatchObject({
      index: 0,
      reference: 'crm-1',
      matched: true,
      matchedBy: 'email',
      record: {
        fullName: 'Freya Lindqvist',
        email: 'Freya@hob.example',
        company: 'Hobgoblin (US)',
        jobTitle: 'Buyer',
        emails: [{ value: 'freya.l@hob.example' }],
        phones: [{ number: '+1 212 555 0143', doNotCall: 'unknown' }],
      },
    })
    expect(value.results[0].record.reference).toBeUndefined()
  })

  it('fails a record that cannot be read alone, naming place and remedy, and does not send it', async () => {
    const bad: [unknown, string][] = [
      [{ email: 'no-at' }, '/contacts/0/email'],
      [{ email: 7 }, '/contacts/1/email'],
      ['a@hob.example', '/contacts/2'],
      [null, '/contacts/3'],
      [{ lastName: 'Lindqvist', reference: 'r5' }, '/contacts/4'],
      [{ email: 'a@hob.example', phone: '1' }, '/contacts/5/phone'],
      [{ email: 'a@hob.example', jobTitle: 'x'.repeat(300) }, '/contacts/6/jobTitle'],
      [['a@hob.example'], '/contacts/7'],
    ]
    const { value, sent } = await enrich(
      [...bad.map(([record]) => record), { email: 'good@hob.example' }],
      [body({ data: { fullName: 'Good' } })],
    )
    expect(sent).toHaveLength(1)
    expect(
      value.results.map(
        (result: { failed?: { code: string; errors: { pointer: string }[] } }) =>
          result.failed && [result.failed.code, result.failed.errors[0]?.pointer],
      ),
    ).toEqual([...bad.map(([, pointer]) => ['invalid_input', pointer]), undefined])
    expect(value.results[4].reference).toBe('r5')
    expect(value.summary).toEqual({ records: 9, matched: 1, notMatched: 0, failed: 8 })
  })

  it('of nothing but bad records sends nothing', async () => {
    const { value, sent, meta } = await enrich([{ email: 'x' }], [])
    expect([sent, value.summary.failed, meta.credits]).toEqual([[], 1, undefined])
  })

  it('caps count and bytes before anything is paid', async () => {
    for (const contacts of [
      [],
      Array.from({ length: 1001 }, () => ({ email: 'a@hob.example' })),
      Array.from({ length: 90_000 }, () => 0),
    ]) {
      const { failure, sent } = await enrich(contacts, [])
      expect([failure?.code, failure?.errors?.[0]?.pointer, sent]).toEqual(['invalid_input', '/contacts', []])
    }
    for (const contacts of [
      [{ email: 'a@hob.example' }, { email: 'b@hob.example', jobTitle: 'x'.repeat(1024 * 1024) }],
      Array.from({ length: 200_000 }, () => 0),
    ]) {
      const { failure, sent } = await enrich(contacts, [])
      expect([failure?.code, sent]).toEqual(['too_large', []])
    }
  })

  it('wants a list always', async () => {
    for (const contacts of [{ email: 'a@hob.example' }, undefined, 'a@hob.example'])
      expect((await enrich(contacts, [])).failure?.errors?.[0]?.pointer).toBe('/contacts')
  })

  it('describes its records to agents', () => {
    const step = integrations[1]!.steps.find(({ id }) => id === 'enrich-contacts')!
    const schema = inputJsonSchema(step.input) as {
      properties: {
        contacts: {
          maxItems: number
          items: {
            type: string
            additionalProperties: boolean
            properties: Record<string, { description: string }>
            'x-key-sets': unknown
          }
        }
      }
    }
    const { items, maxItems } = schema.properties.contacts
    expect([items.type, items.additionalProperties, maxItems]).toEqual(['object', false, 1000])
    expect(items['x-key-sets']).toMatchObject({
      sets: [
        ['email'],
        ['linkedinUrl'],
        ['personId'],
        ['firstName', 'lastName', 'company'],
        ['firstName', 'lastName', 'companyDomain'],
      ],
    })
    expect(Object.values(items.properties).every(({ description }) => description.length > 10)).toBe(true)
  })
})
