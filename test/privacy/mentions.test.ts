import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { mentionsIn, mentionsInText } from '../../shared/runtime/privacy/mentions.ts'
import { largeTexts } from '../support/large-texts.ts'
import { workOf } from '../support/work.ts'

const values = async (input: unknown) => (await mentionsIn(input)).map(({ kind, value }) => `${kind} ${value}`)

describe('identifiers are read', () => {
  test('in every form that providers write them', async () => {
    expect(await values({ note: 'Ask Mai.Tran@EXAMPLE.com.au, or call.' })).toEqual(['email mai.tran@example.com.au'])
    expect(await values({ linkedinUrl: 'mai-tran-1' })).toEqual(['linkedin mai-tran-1'])
    expect(await values({ phones: [{ value: '+61 491 570 156' }] })).toEqual(['phone +61491570156'])
    expect(await values({ mobile: '0491 570 156' })).toEqual(['phone +61491570156', 'phone +64491570156'])
    expect(await values({ phoneNumber: 61491570156 })).toEqual(['phone +61491570156'])
    expect(await values({ contacts: { 'mai.tran@example.com.au': {} } })).toEqual(['email mai.tran@example.com.au'])
    expect(await values({ founded: 1998, employees: '201-500', at: '2026-11-23T07:00:00.000Z' })).toEqual([])
  })

  test.each([
    'mai.tran@example.com',
    'mailto:Mai.Tran@Example.com?subject=x',
    '<mai.tran@example.com>',
    "'mai.tran@example.com'.",
    '/v1/people/mai.tran@example.com/files',
    'limit=1&email=mai.tran@example.com&x=1',
    'email%3Dmai.tran%40example.com',
    "where email='mai.tran@example.com'",
    'x@y@mai.tran@example.com',
    `${'x'.repeat(300)} mai.tran@example.com${' x'.repeat(300)}`,
    '{mai.tran@example.com}',
  ])('an address: %s', async (text) => expect(await values(text)).toContain('email mai.tran@example.com'))

  test.each([
    'https://www.linkedin.com/in/mai-tran/',
    'AU.LINKEDIN.com/in/Mai-Tran?trk=https://www.linkedin.com/feed',
    'linkedin.com/feed?of=linkedin.com/in/mai-tran',
    'https%3A%2F%2Flinkedin.com%2Fin%2Fmai-tran',
    '"https://linkedin.com/in/mai-tran", and others',
  ])('a profile: %s', async (text) => expect(await values(text)).toContain('linkedin mai-tran'))

  test('a slug of 150 percent-encoded characters', async () => {
    const slug = '漢'.repeat(150)
    expect(await values(`https://www.linkedin.com/in/${encodeURIComponent(slug)}/en`)).toEqual([`linkedin ${slug}`])
  })

  test('at any depth, and in keys of any kind', async () => {
    const keys = '{"linkedin.com/in/mai-tran":{"+61 491 570 156":"mai.tran@example.com"}}'
    const deep: unknown = JSON.parse('['.repeat(100_000) + keys + ']'.repeat(100_000))
    expect(await values(deep)).toEqual(['linkedin mai-tran', 'phone +61491570156', 'email mai.tran@example.com'])
  })

  test('an apostrophe in a name stays in it', async () => {
    expect(await values("Ask o'brien@example.com")).toEqual(["email o'brien@example.com"])
  })
})

describe('digests are read', () => {
  const sha256 = createHash('sha256').update('mai.tran@example.com').digest('hex')
  const md5 = createHash('md5').update('mai.tran@example.com').digest('hex')

  test('with what the names around them say', async () => {
    const digest = { kind: 'digest', value: sha256, field: 'id', ofAddress: false }
    expect(await mentionsIn({ id: sha256.toUpperCase() })).toEqual([digest])
    expect(await mentionsIn({ email_hash: sha256 })).toEqual([{ ...digest, field: 'email_hash', ofAddress: true }])
    const ofAddress = { value: md5, ofAddress: true }
    expect(await mentionsIn({ emails: [{ md5, type: 'work' }] })).toMatchObject([{ ...ofAddress, field: 'md5' }])
    expect(await mentionsIn({ id: md5, email: md5 })).toMatchObject([
      { ofAddress: false },
      { ...ofAddress, field: 'email' },
    ])
    expect(await mentionsInText(`{"query":"emails.md5:${md5}"}`)).toMatchObject([{ value: md5, ofAddress: true }])
  })

  test('and nothing else is taken for one', async () => {
    const relay = `${md5}@relay.example.com`
    const otherFields = { hash: 'a7f3', id: '5f3a1c', hashed_email: '', include_email_hash: 'true' }
    expect(await values({ email: relay, ...otherFields })).toEqual([`email ${relay}`])
  })
})

describe('the work for 200 kB of text', () => {
  // A quadratic search took 10 s for 60 kB. A linear one takes 0.3 s at most here, in turns of some milliseconds.
  test.each(Object.entries(largeTexts(200_000)))('%s', { timeout: 300_000 }, async (_shape, text) => {
    const { allMs, turnMs } = await workOf(() => mentionsIn(text))
    expect(allMs).toBeLessThan(5_000)
    expect(turnMs).toBeLessThan(1_000)
  })
})
