import { describe, expect, it } from 'vitest'
import { apollo } from '../../integrations/contact-data/profiles/apollo.ts'
import { foundRecord } from '../../shared/runtime/endpoints/records.ts'
import { merge, sourceOf } from '../../shared/runtime/lookups/waterfall/merge.ts'
import type { Part } from '../../shared/runtime/lookups/waterfall/merge.ts'
import { deliverableOf, e164Of, lineOf } from '../../shared/kit/records/verified.ts'

const at = '2026-03-02T09:00:00.000Z'
const part = (provider: string, record: Part['record']): Part => ({
  source: sourceOf({ provider, connection: 'con', at }, record),
  record,
})
const entriesIn = (parts: Part[], list: string) => merge('person', parts).record[list] as Record<string, unknown>[]

describe('what providers say of an address', () => {
  it.each([
    ['valid', 'yes'],
    ['Verified', 'yes'],
    ['accept_all', 'risky'],
    ['catch-all', 'risky'],
    ['unverified', 'risky'],
    ['invalid', 'no'],
    ['bounced', 'no'],
    ['webmail', 'unknown'],
    [undefined, 'unknown'],
  ])('%s: %s', (status, deliverable) => expect(deliverableOf({ status })).toBe(deliverable))

  it('is combined: whoever knows it decides, and the grade stays that of the provider', () => {
    const [email] = entriesIn(
      [
        part('north', { emails: [{ value: 'gwen@kowhai.example', confidence: 'A' }] }),
        part('south', { emails: [{ value: 'GWEN@kowhai.example', status: 'valid', confidence: 97 }] }),
      ],
      'emails',
    )
    expect(email).toMatchObject({ value: 'gwen@kowhai.example', confidence: 'A', deliverable: 'yes' })
    expect(email!.from).toMatchObject([
      { provider: 'north', confidence: 'A', deliverable: 'unknown' },
      { provider: 'south', confidence: 97, deliverable: 'yes' },
    ])
  })
})

describe('a number', () => {
  it.each([
    ['+61 491 570 156', {}, '+61491570156'],
    ['0061 491 570 156', {}, '+61491570156'],
    ['0491 570 156', { countryCode: 'AU' }, '+61491570156'],
    ['021 555 0123', { country: 'New Zealand' }, '+64215550123'],
    ['0491 570 156', {}, undefined],
    ['0171 555 0123', { countryCode: 'GB' }, undefined],
    ['415 555 0132', { countryCode: 'AU' }, undefined],
  ])('%s in %j is %s', (number, record, e164) => expect(e164Of({ number }, record)).toBe(e164))

  it.each([
    ['Mobile', 'mobile'],
    ['cell', 'mobile'],
    ['direct dial', 'direct'],
    ['work_hq', 'office'],
    ['landline', 'office'],
    ['other', 'unknown'],
    [undefined, 'unknown'],
  ])('of the type %s is one of the line %s', (type, line) => expect(lineOf({ type })).toBe(line))

  it('in two spellings is one number, with the stricter flag and what either provider knows', () => {
    const parts = [
      part('north', { countryCode: 'AU', phones: [{ number: '0491 570 156', doNotCall: 'no' }] }),
      part('south', { phones: [{ number: '+61491570156', type: 'mobile', doNotCall: 'yes' }] }),
    ]
    const phones = entriesIn(parts, 'phones')
    expect(phones).toHaveLength(1)
    expect(phones[0]).toMatchObject({
      number: '0491 570 156',
      e164: '+61491570156',
      line: 'mobile',
      doNotCall: 'yes',
    })
  })

  it('of two countries are two numbers, although one ends like the other', () => {
    const parts = [
      part('north', { phones: [{ number: '+64 21 555 0123' }] }),
      part('south', { phones: [{ number: '+1 642 155 50123' }] }),
    ]
    expect(entriesIn(parts, 'phones').map(({ e164 }) => e164)).toEqual(['+64215550123', '+164215550123'])
  })
})

describe('what providers disagree on', () => {
  it('is shown with who says what; one who says nothing does not disagree', () => {
    const { conflicts } = merge('person', [
      part('north', {
        emails: [{ value: 'a@b.example', status: 'valid' }],
        phones: [{ number: '+61491570156', type: 'mobile', doNotCall: 'no' }],
      }),
      part('south', {
        emails: [{ value: 'a@b.example', status: 'bounced' }],
        phones: [{ number: '+61491570156', type: 'direct', doNotCall: 'yes' }],
      }),
      part('west', { emails: [{ value: 'a@b.example' }], phones: [{ number: '+61491570156' }] }),
    ])
    expect(
      conflicts.map(({ field, values }) => [field, values.map(({ provider, value }) => [provider, value])]),
    ).toEqual([
      [
        'deliverable of a@b.example',
        [
          ['north', 'yes'],
          ['south', 'no'],
        ],
      ],
      [
        'line of +61491570156',
        [
          ['north', 'mobile'],
          ['south', 'direct'],
        ],
      ],
      [
        'doNotCall of +61491570156',
        [
          ['north', 'no'],
          ['south', 'yes'],
        ],
      ],
    ])
  })
})

describe('how old a value is', () => {
  it('is what the provider says of the value, else of the record, else when it was read', () => {
    const record = {
      fullName: 'Gwen Ellery',
      updatedAt: '2026-01-05',
      emails: [{ value: 'a@b.example', updatedAt: '2025-11-01T00:00:00Z' }, { value: 'c@d.example' }],
    }
    const { record: merged, sources } = merge('person', [part('north', record)])
    expect((merged.emails as Record<string, unknown>[]).map(({ asOf }) => asOf)).toEqual([
      '2025-11-01T00:00:00.000Z',
      '2026-01-05T00:00:00.000Z',
    ])
    expect(sources.fullName).toMatchObject([{ asOf: '2026-01-05T00:00:00.000Z', at }])
    expect(merge('person', [part('south', { fullName: 'Gwen' })]).sources.fullName).toMatchObject([{ asOf: at }])
  })

  it('of one that several gave is the age of the newest', () => {
    const emails = (updatedAt: string) => ({ emails: [{ value: 'a@b.example', updatedAt }] })
    const [email] = entriesIn([part('north', emails('2026-02-01')), part('south', emails('2025-02-01'))], 'emails')
    expect(email!.asOf).toBe('2026-02-01T00:00:00.000Z')
  })
})

describe('the record of a single provider', () => {
  const readAt = Date.parse(at)
  const aliases = {
    country: ['country'],
    updatedAt: ['updated'],
    emails: { lists: [{ at: 'mails', item: { value: ['address'], status: ['state'], updatedAt: ['seen'] } }] },
    phones: { lists: [{ at: 'numbers', item: { number: ['text'], type: ['kind'], doNotCall: ['dnc'] } }] },
  }
  const read = (raw: object, kind: string | undefined = 'person') =>
    foundRecord(raw, { kind, aliases }, { provider: 'north', endpoint: 'person', at: readAt }).record

  it('says the same of its addresses and numbers, with how old they are', () => {
    const record = read({
      country: 'Australia',
      updated: '2026-01-05',
      mails: [{ address: 'a@b.example', state: 'catch_all', seen: '2025-11-01' }, { address: 'c@d.example' }],
      numbers: [{ text: '0491 570 156', kind: 'Cell', dnc: true }],
    })
    expect(record).toMatchObject({
      emails: [
        { value: 'a@b.example', status: 'catch_all', deliverable: 'risky', asOf: '2025-11-01T00:00:00.000Z' },
        { value: 'c@d.example', deliverable: 'unknown', asOf: '2026-01-05T00:00:00.000Z' },
      ],
      phones: [
        {
          number: '0491 570 156',
          e164: '+61491570156',
          line: 'mobile',
          doNotCall: 'yes',
          asOf: '2026-01-05T00:00:00.000Z',
        },
      ],
    })
  })

  it('of a company too, dated by when it was read where the provider has no date', () =>
    expect(read({ numbers: [{ text: '04 555 0123', kind: 'hq' }] }, 'company')).toEqual({
      phones: [{ number: '04 555 0123', type: 'hq', line: 'office', doNotCall: 'unknown', asOf: at }],
    }))

  it('is combined like records that were stored before', () => {
    const raw = { mails: [{ address: 'a@b.example', state: 'valid' }], numbers: [{ text: '+61491570156' }] }
    const record = read(raw)
    const older = {
      emails: [{ value: 'a@b.example', status: 'valid' }],
      phones: [{ number: '+61491570156', doNotCall: 'unknown' }],
    }
    expect(merge('person', [part('north', record)])).toEqual(merge('person', [part('north', older)]))
  })

  it('of another kind is left as the profile maps it', () => {
    const mails = [{ value: 'a@b.example', status: 'valid' }]
    expect(read({ mails: [{ address: 'a@b.example', state: 'valid' }] }, 'event')).toEqual({ emails: mails })
  })

  it.each([
    ['verified', 'yes'],
    ['extrapolated', 'risky'],
    ['unavailable', 'no'],
  ])('has the status that Apollo states beside the address: %s', (status, deliverable) => {
    const reading = { kind: 'person', aliases: apollo().records!['person']! }
    const from = { provider: 'contact-data', endpoint: 'person', at: readAt }
    const { record } = foundRecord({ email: 'a@b.example', email_status: status }, reading, from)
    expect(record).toMatchObject({ emails: [{ value: 'a@b.example', type: 'work', status, deliverable }] })
    expect(foundRecord({ email: null, email_status: status, name: 'A' }, reading, from).record).toEqual({
      fullName: 'A',
    })
  })
})
