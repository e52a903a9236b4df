import { describe, expect, it } from 'vitest'
import { fail } from '#kit'
import { wire as anzWire } from '../../integrations/anz-data/wire.ts'
import { effectiveProfile } from '../../shared/runtime/catalogue/profile.ts'
import { body, dryRun, runStep } from '../data/harness.ts'

const person = {
  person: { full_name: 'Aroha Field', position: 'Buyer', emails: ['aroha@wattle.example'] },
  credits_charged: 2,
}
const both = { linkedinUrl: 'https://au.linkedin.com/in/Aroha-Field/', email: 'aroha@wattle.example' }
const endpoint = (over: Record<string, unknown>) => ({ endpoints: { 'enrich-person': over } })

describe('identifiers of a lookup', () => {
  it('go out one per request, strongest first, and the next only after a definite no match', async () => {
    const { value, sent, meta } = await runStep('anz-data', 'people-enrichment', both, [body(null), body(person)])
    expect(sent).toEqual([
      { method: 'POST', path: '/enrich/person', body: { linkedin_url: 'https://www.linkedin.com/in/aroha-field' } },
      { method: 'POST', path: '/enrich/person', body: { email: 'aroha@wattle.example' } },
    ])
    expect(value).toMatchObject({ matched: true, matchedBy: 'email' })
    expect(meta.attempts).toBe(2)
  })

  it('stop at the first that is found', async () => {
    const { value, sent } = await runStep('anz-data', 'people-enrichment', both, [body(person)])
    expect(sent).toHaveLength(1)
    expect(value.matchedBy).toBe('linkedinUrl')
  })

  it('stop at an unknown outcome, which may have been paid', async () => {
    const { failure, sent, meta } = await runStep('anz-data', 'people-enrichment', both, [
      body({ message: 'oops' }, 500),
      body(person),
    ])
    expect(failure?.code).toBe('outcome_unknown')
    expect(sent).toHaveLength(1)
    expect(meta.credits).toEqual({ charged: 2, estimated: true })
  })

  it.each([
    ['rate_limited', fail('rate_limited', 'x', { retryAfterMs: 10 })],
    ['unreachable', fail('unreachable', 'x')],
  ])('stop at %s', async (code, thrown) => {
    const { failure, sent, meta } = await runStep('anz-data', 'people-enrichment', both, [thrown, body(person)])
    expect([failure?.code, sent.length]).toEqual([code, 1])
    expect(meta.credits).toEqual({ charged: 0, estimated: false })
  })

  it('stop at an answer that is not understood, whose beginning is shown', async () => {
    const { failure, sent, meta } = await runStep('anz-data', 'people-enrichment', both, [
      body({ ticket: 7 }),
      body(person),
    ])
    expect(sent).toHaveLength(1)
    expect(failure).toMatchObject({ code: 'bad_reply', providerMessage: '{"ticket":7}' })
    expect(failure?.message).toContain('wire.anz-data.records.person')
    expect(meta.credits).toEqual({ charged: 2, estimated: true })
  })

  it('go out together where the profile says so', async () => {
    const { value, sent } = await runStep('anz-data', 'people-enrichment', both, [body(person)], {
      wire: endpoint({ identifiers: 'all' }),
    })
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/enrich/person',
        body: { linkedin_url: 'https://www.linkedin.com/in/aroha-field', email: 'aroha@wattle.example' },
      },
    ])
    expect(value.matchedBy).toBe('linkedinUrl, email')
  })

  it('without a wire name are passed over while another can be used, else named as unset', async () => {
    const wire = endpoint({ fields: { linkedinUrl: null } })
    const { sent } = await runStep('anz-data', 'people-enrichment', both, [body(person)], { wire })
    expect(sent).toMatchObject([{ body: { email: 'aroha@wattle.example' } }])
    const alone = await runStep('anz-data', 'people-enrichment', { linkedinUrl: both.linkedinUrl }, [], { wire })
    expect(alone.failure?.code).toBe('wire_unset')
    expect(alone.failure?.message).toContain('wire.anz-data.endpoints.enrich-person.fields.linkedinUrl')
    expect(alone.sent).toEqual([])
  })
})

describe('no match', () => {
  it.each([
    ['200 null', body(null)],
    ['200 {}', body({})],
    ['200 []', body([])],
    ['200 with an empty record', body({ person: null, request_id: 'r1' })],
    ['200 with an empty envelope', body({ data: {} })],
    ['200 with words', body({ message: 'No match found' })],
    ['200 with a flag', body({ matched: false, query: 'x' })],
    ['404', body({ error: 'Person profile not found' }, 404)],
    [
      '404 with words in an object',
      body({ status: 404, error: { type: 'not_found', message: 'Person not found' } }, 404),
    ],
    ['500 that says not found', body({ error: 'Person profile not found' }, 500)],
  ])('%s', async (_, answer) => {
    const { value, outcome, meta } = await runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [answer])
    expect(outcome.ok).toBe(true)
    expect(value).toEqual({ matched: false })
    expect(meta.credits).toEqual({ charged: 0, estimated: false })
  })

  it.each([
    ['a web page', { status: 404, body: '<html>no such person not found</html>', json: false }],
    ['nothing', { status: 404, body: null, json: false }],
    ["a gateway's JSON", body({ message: 'no Route matched with those values' }, 404)],
    ["a framework's JSON", body({ statusCode: 404, error: 'Not Found', message: 'Cannot POST /enrich/person' }, 404)],
    ['the type of an error', body({ status: 404, error: { type: 'not_found', message: 'Nothing like it' } }, 404)],
    ['the bare words', body({ message: 'not found' }, 404)],
    ['a route that did not match', body({ error: 'No matching route found' }, 404)],
    ['an empty answer of status 200', { status: 200, body: null, json: false }],
    ['an empty answer of status 204', { status: 204, body: null, json: false }],
    [
      'a code without words',
      body({ error: { code: 'NOT_FOUND', message: 'The requested resource was not found' } }, 404),
    ],
    ['a method that is not taken', body({ error: 'Method Not Allowed' }, 405)],
    ['a redirect to a login', { status: 302, body: null, json: false }],
    ['a login page', { status: 200, body: '<!doctype html><title>Log in</title>', json: false }],
  ])('is not claimed by %s: a wrong address must not look like a miss', async (_, answer) => {
    const { failure, meta } = await runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [answer])
    expect(failure).toMatchObject({ code: 'bad_reply' })
    expect(failure!.message).toMatch(
      /address may be wrong.*"wire\.anz-data\.baseUrl".*"wire\.anz-data\.endpoints\.enrich-person\.path"/,
    )
    if ('status' in answer && answer.status! >= 300) expect(meta.credits).toEqual({ charged: 0, estimated: false })
  })

  it.each([
    ['words about a route', body({ message: 'Route not found' })],
    ['an error in it', body({ data: null, error: { message: 'unknown path' } })],
    ['the status in it', body({ code: 404, data: null, message: 'not found' })],
    ['a status of error', body({ status: 'error', data: null, message: 'unknown path' })],
    ["another server's object", body({ service: 'billing', version: '2.1' })],
    ["another server's record", body({ data: { service: 'billing' } })],
    ["another server's list", body({ data: [{ service: 'a' }, { service: 'b' }] })],
    ['a text', { status: 200, body: 'OK', json: false }],
  ])('is not claimed by 200 with %s', async (_, answer) => {
    const { failure } = await runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [answer])
    expect(failure?.code).toMatch(/^(bad_reply|rejected)$/)
    expect(failure!.message).toMatch(/"wire\.anz-data\.baseUrl"/)
  })

  it.each([
    ['{}', {}],
    ['[]', []],
    ['null', null],
  ])('is said by %s only where a rule says so', async (_, answer) => {
    const wire = endpoint({ noMatch: [], noMatchOnceMatched: [] })
    const { failure } = await runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [body(answer)], {
      wire,
    })
    expect(failure).toMatchObject({
      code: 'bad_reply',
      message: expect.stringContaining('wire.anz-data.endpoints.enrich-person.record') as string,
    })
  })

  it('cannot be derived from a status alone by an override either', () => {
    for (const rule of [{ status: 404 }, { status: [400, 499] }, { status: 404, is: 'null' }, {}])
      expect(() => effectiveProfile('anz-data', anzWire, endpoint({ noMatch: [rule] }))).toThrow(
        /noMatch.*what the body says/,
      )
    for (const rule of [
      { status: 404, contains: 'nobody' },
      { status: 404, begins: 'nobody' },
      { status: 404, path: 'person', is: 'null' },
      { status: 200, is: 'empty' },
    ])
      expect(() => effectiveProfile('anz-data', anzWire, endpoint({ noMatch: [rule] }))).not.toThrow()
  })

  it('can be read from the words of a text answer', async () => {
    const wire = endpoint({ noMatch: [{ status: 500, contains: 'not found' }] })
    const { value } = await runStep(
      'anz-data',
      'people-enrichment',
      { email: 'a@b.example' },
      [{ status: 500, body: 'profile not found', json: false }],
      {
        wire,
      },
    )
    expect(value).toEqual({ matched: false })
  })

  it('comes before the status classes, suppressed stays a failure', async () => {
    const { failure } = await runStep('anz-data', 'people-enrichment', both, [body({ error: 'opted out' }, 451)])
    expect(failure?.code).toBe('suppressed')
  })
})

describe('the record of an answer', () => {
  it.each([
    ['wrapped', { person: { name: 'A B' } }],
    ['twice wrapped', { data: { person: { name: 'A B' } } }],
    ['alone in a list', { data: [{ name: 'A B' }] }],
    ['bare', { name: 'A B', company: 'Wattle' }],
  ])('is found %s', async (_, answer) => {
    const { value } = await runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [body(answer)])
    expect(value).toMatchObject({ matched: true, record: { fullName: 'A B' } })
    expect(value.provenance).toEqual({
      provider: 'anz-data',
      endpoint: 'enrich-person',
      at: '2026-11-20T09:00:00.000Z',
      untrusted: true,
    })
  })

  it('is not chosen among several', async () => {
    const { failure } = await runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [
      body({ data: [{ name: 'A' }, { name: 'B' }] }),
    ])
    expect(failure).toMatchObject({ code: 'bad_reply', providerMessage: '{"data":[{"name":"A"},{"name":"B"}]}' })
    expect(failure?.message).toMatch(/2 records.*wire\.anz-data\.endpoints\.enrich-person\.record/)
  })

  it('is whatever the provider sent where the profile maps no fields', async () => {
    const wire = { records: { person: {} }, endpoints: { 'enrich-person': { kind: 'thing', record: [''] } } }
    const { value } = await runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [body({ ticket: 7 })], {
      wire,
    })
    expect(value).toMatchObject({ matched: true, record: {}, raw: { ticket: 7 } })
  })
})

describe('credits', () => {
  const runWithCredits = (credits: unknown, answer: ReturnType<typeof body>) =>
    runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [answer], { wire: endpoint({ credits }) })

  it('are read from a path, a header or a flag', async () => {
    expect((await runWithCredits({ path: 'credits_charged' }, body(person))).meta.credits).toEqual({
      charged: 2,
      estimated: false,
    })
    expect(
      (await runWithCredits({ header: 'X-Credits' }, body(person, 200, { 'x-credits': '1.5' }))).meta.credits,
    ).toEqual({ charged: 1.5, estimated: false })
    expect(
      (await runWithCredits({ flag: 'charged', amount: 3 }, body({ ...person, charged: true }))).meta.credits,
    ).toEqual({ charged: 3, estimated: false })
    expect(
      (await runWithCredits({ flag: 'charged', amount: 3 }, body({ ...person, charged: false }))).meta.credits,
    ).toEqual({ charged: 0, estimated: false })
  })

  it('are read from a miss too, which some providers charge', async () => {
    expect(
      (await runWithCredits({ path: 'credits_charged' }, body({ person: null, credits_charged: 1 }))).meta.credits,
    ).toEqual({
      charged: 1,
      estimated: false,
    })
  })

  it('are the upper end of the price, marked as an estimate, where the reply does not say', async () => {
    expect((await runWithCredits({ path: 'nowhere' }, body(person))).meta.credits).toEqual({
      charged: 2,
      estimated: true,
    })
    expect(
      (await runWithCredits({ header: 'x-credits' }, body(person, 200, { 'x-credits': 'many' }))).meta.credits,
    ).toEqual({ charged: 2, estimated: true })
  })

  it('make a lookup repeat only like a create', async () => {
    const { calls } = await runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [body(person)])
    expect(calls[0]).toMatchObject({ effect: 'create', paid: true })
  })
})

describe('values on the wire', () => {
  const search = (over: Record<string, unknown>, input: Record<string, unknown>) =>
    runStep('anz-data', 'people-search', input, [body([])], { wire: { endpoints: { 'search-people': over } } })

  it('are named, nested, translated, typed and sent with constants', async () => {
    const fields = {
      position: 'filters.title',
      seniority: { name: 'filters.level', map: { manager: 5, Owner: 2 }, as: 'string' },
      department: { name: 'dept', as: 'list' },
      states: { name: 'states', map: { 'AU-NSW': 'NSW', 'NZ-AUK': 'AKL' } },
    }
    const { sent } = await search(
      { fields, constants: { 'options.country': 'AU', size: 10 } },
      { position: 'buyer', seniority: 'OWNER', department: 'sales', states: ['nsw', 'Auckland'] },
    )
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/search/people',
        body: {
          options: { country: 'AU' },
          size: 10,
          filters: { title: 'buyer', level: '2' },
          dept: ['sales'],
          states: ['NSW', 'AKL'],
        },
      },
    ])
  })

  it('go into the query where the profile says so, a list joined where it is to be text', async () => {
    const { sent } = await search(
      { method: 'GET', place: 'query', fields: { company: 'q.company', states: { name: 'states', as: 'string' } } },
      { company: 'Wattle & Co', states: ['WA', 'Otago'] },
    )
    expect(sent).toEqual([
      { method: 'GET', path: '/search/people', query: { 'q.company': 'Wattle & Co', states: 'AU-WA,NZ-OTA' } },
    ])
  })

  it('fill the path', async () => {
    const wire = endpoint({ method: 'GET', path: '/v9/people/{email}', place: 'query', fields: {} })
    const { sent } = await runStep('anz-data', 'people-enrichment', { email: 'a+b@c.example' }, [body(person)], {
      wire,
    })
    expect(sent).toEqual([{ method: 'GET', path: '/v9/people/a%2Bb%40c.example' }])
  })

  it('that the translation lacks are refused before anything is sent', async () => {
    const { failure, sent } = await search(
      { fields: { seniority: { name: 's', map: { manager: 5 } } } },
      { seniority: 'wizard' },
    )
    expect(failure).toMatchObject({ code: 'invalid_input', errors: [{ pointer: '/seniority' }] })
    expect(failure?.message).toContain('manager')
    expect(sent).toEqual([])
  })

  it('choose between private and work mail', async () => {
    const wire = endpoint({
      fields: { email: [{ name: 'personal_email', mailHosts: ['freemail.example'] }, { name: 'work_email' }] },
    })
    const at = async (email: string) =>
      (await runStep('anz-data', 'people-enrichment', { email }, [body(person)], { wire })).sent[0]?.body
    expect(await at('x@freemail.example')).toEqual({ personal_email: 'x@freemail.example' })
    expect(await at('x@wattle.example')).toEqual({ work_email: 'x@wattle.example' })
  })
})

describe('records that an endpoint spells in its own way', () => {
  it('are read by the aliases it names, in the shape of its kind', async () => {
    const wire = {
      ...endpoint({ aliases: 'detail', record: ['who'] }),
      records: { detail: { fullName: ['nm'], emails: ['mails'] } },
    }
    const { value } = await runStep(
      'anz-data',
      'people-enrichment',
      { email: 'a@b.example' },
      [body({ who: { nm: ' Aroha Field ', mails: ['aroha@wattle.example'] } })],
      { wire },
    )
    expect(value.record).toMatchObject({ fullName: 'Aroha Field', email: 'aroha@wattle.example' })
    const lost = { ...endpoint({ aliases: 'detail', record: [''] }), records: { detail: { fullName: ['nm'] } } }
    const { failure } = await runStep(
      'anz-data',
      'people-enrichment',
      { email: 'a@b.example' },
      [body({ full_name: 'Aroha' })],
      { wire: lost },
    )
    expect(failure).toMatchObject({
      code: 'bad_reply',
      message: expect.stringContaining('wire.anz-data.records.detail') as string,
    })
  })

  it('are joined with what stands elsewhere in the answer', async () => {
    const wire = endpoint({ record: ['people.0'], joins: [{ into: 'current_company', from: 'orgs', by: 'org' }] })
    const answer = body({ people: [{ full_name: 'Aroha Field', org: 'o1' }], orgs: { o1: { name: 'Wattle' } } })
    const { value } = await runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [answer], { wire })
    expect(value.record).toMatchObject({ fullName: 'Aroha Field', company: 'Wattle' })
  })
})

describe('a dry run', () => {
  it('shows the first request, the price, and that more may follow', async () => {
    const { dry, calls } = await dryRun('anz-data', 'people-enrichment', both)
    expect(calls).toEqual([])
    expect(dry.requests).toMatchObject([
      { method: 'POST', body: { linkedin_url: 'https://www.linkedin.com/in/aroha-field' } },
    ])
    expect(dry.price).toEqual({ unit: 'credit', per: 'match', typical: [1, 2], total: [1, 2] })
    expect(dry.complete).toBe(false)
  })

  it('is complete where there is one identifier', async () => {
    expect((await dryRun('anz-data', 'company-enrichment', { domain: 'wattle.example' })).dry).toMatchObject({
      complete: true,
      price: { total: [1, 1] },
    })
  })
})

describe('an override', () => {
  it('that names an unknown failure is refused with its setting', async () => {
    await expect(
      runStep('anz-data', 'people-enrichment', { email: 'a@b.example' }, [], {
        wire: { errors: [{ status: 402, failure: 'credit_exhausted' }] },
      }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('wire.anz-data.errors.0.failure') as string,
    })
  })
})
