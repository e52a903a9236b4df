/** What runs at the data providers have done, in words; people are named only in parts that refer to them. */
import { describe, expect, it } from 'vitest'
import { maxPartLength, sentenceText } from '#kit'
import anzData from '../../integrations/anz-data/manifest.ts'
import contactData from '../../integrations/contact-data/manifest.ts'
import { firstRunSentences, nobody, runsOfExamples, shown } from '../support/sentences.ts'

const folderOf = (id: string) => new URL(`../../integrations/${id}/examples/`, import.meta.url)

const sentences = {
  'anz-data': {
    'people-enrichment': 'Found *Mirrin Alcott*',
    'people-search': 'Found 2 of 5 people',
    'company-enrichment': 'Found *Wattlebird Freight*',
    'api-call': 'Called POST /enrich/person',
    'find-endpoints': 'Found 1 endpoint',
  },
  'contact-data': {
    'find-contact': 'Found *Saoirse Sandhurst*',
    'find-company': 'Found *Hobgoblin Freightlines*',
    'enrich-contacts': 'Enriched 1 of 4 people; 2 failed',
    'enrich-companies': 'Enriched 1 of 2 companies',
    'search-and-enrich-contacts': 'Searched and revealed 2 of 3 people',
    'search-and-enrich-companies': 'Searched and revealed 2 of 2 companies',
    'reveal-contacts': 'Revealed 1 of 3 people; 1 failed',
    'reveal-companies': 'Revealed 1 of 2 companies',
    'find-lookalike-contacts': 'Found 2 people',
    'find-lookalike-companies': 'Found 2 companies',
    'find-buying-group': 'Found 1 person',
    'get-website-visits': 'Found 2 of 8 companies',
    'get-contact-signals': 'Read the signals of 1 of 2 people',
    'get-company-signals': 'Read the signals of 2 of 2 companies',
    'score-contacts': 'Scored 1 of 2 people',
    'score-companies': 'Scored 1 of 2 companies',
    'list-filter-values': 'Listed 8 values of a filter',
    'search-contacts': 'Found 2 of 3 people',
    'search-companies': 'Found 2 companies',
    'account-usage': 'Read the usage of the account: 380 credits are left',
    'api-call': 'Called POST /person/bulk',
    'find-endpoints': 'Found 1 endpoint',
  },
}

describe.each([anzData, contactData])('$id', (integration) => {
  const words = integration.words!
  const runs = runsOfExamples(folderOf(integration.id))
  const sentenceOf = (step: string, output: unknown, input = {}) =>
    shown(words.describeRun!(step, input, output, nobody))

  it('has a sentence for every step', () => {
    const expected = sentences[integration.id as keyof typeof sentences]
    expect(firstRunSentences(integration, folderOf(integration.id))).toEqual(expected)
    const steps = [...integration.steps.map(({ id }) => id), 'api-call', 'find-endpoints']
    expect(Object.keys(expected).sort()).toEqual(steps.sort())
    expect(words.describeRun!('no-such-step', {}, {}, nobody)).toBeUndefined()
  })

  it('names nobody in words of ours', () => {
    const people = /Mirrin|Alcott|Saoirse|Sandhurst|Imogen|Harrowgate|Kofi|Birrell|Aroha|@|linkedin/i
    for (const { step, input, output } of runs) {
      const sentence = words.describeRun!(step, input, output, nobody)!
      const own = sentence.filter(({ ref }) => ref === undefined)
      expect(sentenceText(own), step).not.toMatch(people)
      for (const part of sentence) if (part.role !== undefined) expect(part.ref?.id).toMatch(/^(pe|co)-\d+$/)
    }
  })

  it('says how many, and when there is no match', () => {
    const [step] = integration.steps.map(({ id }) => id).filter((id) => /enrichment|find-contact/.test(id))
    expect(sentenceOf(step!, { matched: false })).toMatch(/^Found no matching (person|company)$/)
    expect(sentenceOf(step!, { matched: true, record: { fullName: 'Somebody Unknown' } })).toMatch(/^Found 1 person$/)
    expect(sentenceOf('find-endpoints', { endpoints: [] })).toBe('Found no endpoints')
    const path = '/company/hobgoblin/mirrin-alcott?email=mirrin@example.com'
    expect(sentenceOf('api-call', { status: 404 }, { method: 'GET', path })).toBe(
      'Called GET /company/…/…, which answered 404',
    )
    expect(sentenceOf('api-call', {}, { method: '<b>', path: '' })).toBe('Called a method of ')
  })

  it('bounds texts of others, and odd outputs break nothing', () => {
    for (const { step } of runs) {
      for (const value of [undefined, null, [], 1, { matched: true, record: 1, results: {}, summary: [] }])
        expect(sentenceOf(step, value), step).toMatch(/^[A-Z]/)
      const record = { id: 'x-1', name: '<b>\n'.repeat(3000), fullName: '\u202E'.repeat(3000) + 'x' }
      const sentence = words.describeRun!(step, {}, { matched: true, record }, nobody)!
      for (const part of sentence) {
        expect(part.text.length).toBeLessThanOrEqual(maxPartLength)
        expect(part.text).not.toMatch(/[\n\u202E]/)
        if (part.role === undefined) expect(part.text).not.toContain('<b>')
      }
    }
  })
})

describe('names', () => {
  it('are those of people and companies with an id, each once, at most 50', () => {
    const record = { id: 'pe-1', firstName: 'Mirrin', lastName: 'Alcott', companyId: 'co-1', company: 'Wattlebird' }
    const results = [{ record }, { record }, { record: { fullName: 'Without Id' } }, { record: { id: 'pe-2' } }]
    expect(contactData.words!.namesInRun!('enrich-contacts', {}, { results })).toEqual([
      { kind: 'person', id: 'pe-1', name: 'Mirrin Alcott' },
      { kind: 'company', id: 'co-1', name: 'Wattlebird' },
    ])
    const many = Array.from({ length: 500 }, (_, n) => ({ record: { id: `co-${n}`, name: `Company ${n}` } }))
    expect(contactData.words!.namesInRun!('search-companies', {}, { results: many })).toHaveLength(50)
    expect(anzData.words!.namesInRun!('company-enrichment', {}, { matched: true, record: many[0]!.record })).toEqual([
      { kind: 'company', id: 'co-0', name: 'Company 0' },
    ])
  })

  it('of what a few results say', () => {
    const oneOf = (records: number, matched: number, failed = 0) =>
      shown(contactData.words!.describeRun!('enrich-companies', {}, { summary: { records, matched, failed } }, nobody))
    expect([oneOf(50, 40), oneOf(1, 1), oneOf(2, 0), oneOf(3, 1, 1)]).toEqual([
      'Enriched 40 of 50 companies',
      'Enriched 1 of 1 company',
      'Enriched none of 2 companies',
      'Enriched 1 of 3 companies; 1 failed',
    ])
  })
})
