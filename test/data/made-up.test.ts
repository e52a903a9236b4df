import { describe, expect, it } from 'vitest'
import { body, runStep } from './harness.ts'
import type { Answers } from './harness.ts'

/**
 * A provider unlike the documented one, told by configuration alone: GET with query parameters, numeric ids for words,
 * a miss answered 500.
 */
const wire = {
  profile: 'made-up',
  baseUrl: 'https://api.made-up.example',
  auth: { 'api-key': { place: 'header', fields: { Authorization: 'Bearer {apiKey}' } } },
  rejectsBeforeExecuting: [],
  endpoints: {
    'enrich-person': {
      method: 'GET',
      path: '/people',
      place: 'query',
      fields: {
        linkedinUrl: 'ln_url',
        linkedinSlug: 'ln_slug',
        email: [{ name: 'personal_email', mailHosts: ['freemail.example'] }, { name: 'work_email' }],
      },
      record: [''],
      noMatch: [{ status: 500, path: 'error', contains: 'not found' }],
    },
    'enrich-company': {
      method: 'GET',
      path: '/company',
      place: 'query',
      fields: { domain: 'fqdn', linkedin: 'ln_url', abn: 'abn', website: 'website' },
      constants: { country: 'AU' },
      record: [''],
      noMatch: [{ status: 500, path: 'error', contains: 'not found' }],
    },
    'search-people': {
      method: 'GET',
      path: '/people/search',
      place: 'query',
      fields: {
        company: 'company_name',
        seniority: { name: 'seniority', map: { 'c-suite': '3', director: '4', manager: '5' } },
        department: { name: 'department', map: { sales: 2, marketing: 11 }, as: 'string' },
        states: { name: 'states', map: { 'AU-NSW': 'NSW', 'AU-VIC': 'VIC', 'NZ-AUK': 'AUK' }, as: 'string' },
      },
      record: ['records'],
      page: {
        style: 'offset',
        place: 'query',
        position: 'from',
        size: 'size',
        asString: true,
        max: 50,
        default: 10,
        total: 'total',
      },
    },
  },
}
const run = (step: string, input: Record<string, unknown>, answers: Answers) =>
  runStep('anz-data', step, input, answers, { wire })
const miss = body({ error: 'Company profile not found' }, 500)

describe('a made-up profile of anz-data', () => {
  it('asks for a person with GET and takes a 500 for a miss', async () => {
    const { value, sent, calls } = await run(
      'people-enrichment',
      { linkedinSlug: 'gwen-ellery', email: 'gwen@kowhai.example' },
      [
        body({ error: 'Person profile not found' }, 500),
        body({
          id: 'fp1',
          name: 'Gwen Ellery',
          position: 'Sales Manager',
          emails: { work: [{ value: 'gwen@kowhai.example' }] },
        }),
      ],
    )
    expect(sent).toEqual([
      { method: 'GET', path: '/people', query: { ln_slug: 'gwen-ellery' } },
      { method: 'GET', path: '/people', query: { work_email: 'gwen@kowhai.example' } },
    ])
    expect(value).toMatchObject({
      matched: true,
      matchedBy: 'email',
      record: { id: 'fp1', fullName: 'Gwen Ellery', email: 'gwen@kowhai.example' },
    })
    expect(calls.map(({ effect, paid }) => [effect, paid])).toEqual([
      ['create', true],
      ['create', true],
    ])
  })

  it('sends private mail under its own name', async () => {
    expect((await run('people-enrichment', { email: 'gwen@freemail.example' }, [miss])).sent[0]?.query).toEqual({
      personal_email: 'gwen@freemail.example',
    })
  })

  it('asks for a company with its constants', async () => {
    const { value, sent } = await run(
      'company-enrichment',
      { domain: 'kowhai.example', website: 'https://kowhai.example' },
      [miss, miss],
    )
    expect(sent.map(({ query }) => query)).toEqual([
      { country: 'AU', fqdn: 'kowhai.example' },
      { country: 'AU', website: 'https://kowhai.example/' },
    ])
    expect(value).toEqual({ matched: false })
  })

  it('does not take any other 500 for a miss', async () => {
    const { failure, sent } = await run(
      'company-enrichment',
      { domain: 'kowhai.example', website: 'https://kowhai.example' },
      [body({ error: 'boom' }, 500)],
    )
    expect([failure?.code, sent.length]).toEqual(['outcome_unknown', 1])
  })

  it('searches with ids for words and pages by offset', async () => {
    const { value, sent } = await run(
      'people-search',
      { company: 'Kōwhai', seniority: 'Manager', department: 'sales', states: ['nsw', 'Auckland'] },
      [
        body({
          records: [{ person_id: 'p1', position: 'Sales Manager', linkedin: 'gwen-ellery', has_dnd_phone: true }],
          total: 11,
        }),
      ],
    )
    expect(sent).toEqual([
      {
        method: 'GET',
        path: '/people/search',
        query: { company_name: 'Kōwhai', seniority: '5', department: '2', states: 'NSW,AUK', from: '0', size: '10' },
      },
    ])
    expect(value).toMatchObject({
      count: 1,
      total: 11,
      results: [{ record: { id: 'p1', linkedinSlug: 'gwen-ellery', hasDoNotCall: true } }],
    })
    const next = await run('people-search', { company: 'Kōwhai', cursor: value.next as string }, [
      body({ records: [], total: 11 }),
    ])
    expect(next.sent[0]?.query).toMatchObject({ from: '1', size: '10' })
  })

  it('names the words it knows', async () => {
    const { failure } = await run('people-search', { seniority: 'wizard' }, [])
    expect(failure).toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('c-suite, director, manager') as string,
    })
  })

  it('still fails wire_unset for what it leaves open', async () => {
    expect((await run('people-search', { companySize: '11-50' }, [])).failure?.message).toContain(
      'wire.anz-data.endpoints.search-people.fields.companySize',
    )
  })
})
