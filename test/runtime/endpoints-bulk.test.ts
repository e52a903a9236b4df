import { describe, expect, it } from 'vitest'
import { fail } from '#kit'
import type { Json } from '#kit'
import type { Call } from '../../shared/wire/index.ts'
import { body, dryRun, runStep } from '../data/harness.ts'
import type { Answers } from '../data/harness.ts'

const mail = (index: number) => `p${index}@wattle.example`
const people = (count: number) => Array.from({ length: count }, (_, index) => ({ email: mail(index) }))
const itemsOf = (call: Call): Record<string, string>[] => call.body as Record<string, string>[]
const recordOf = (item: Record<string, string>): Json => ({ data: { fullName: `Person ${item.email}` } })
/** Answers a bulk request by position and a single one with its record. */
const echo = (call: Call) =>
  call.path === '/person/bulk' ? body(itemsOf(call).map(recordOf)) : body(recordOf(call.body as Record<string, string>))

const bulk = (over: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  endpoints: { person: { bulk: over, ...more } },
})
const enrich = (contacts: unknown[], answers: Answers, wire?: Record<string, unknown>) =>
  runStep('contact-data', 'enrich-contacts', { contacts }, answers, wire ? { wire } : {})
const states = (results: { matched?: boolean; failed?: { code: string } }[]) =>
  results.map(({ matched, failed }) => failed?.code ?? matched)

describe('many lookups in bulk', () => {
  it('go out in as many requests as the maximum makes it, answers in input order', async () => {
    const { value, sent, progress, meta } = await enrich(people(5), echo, bulk({ max: 2 }))
    expect(sent.map(({ path, body: items }) => [path, (items as unknown[]).length])).toEqual([
      ['/person/bulk', 2],
      ['/person/bulk', 2],
      ['/person/bulk', 1],
    ])
    expect(
      value.results.map((result: { index: number; record: { fullName: string } }) => [
        result.index,
        result.record.fullName,
      ]),
    ).toEqual([0, 1, 2, 3, 4].map((index) => [index, `Person ${mail(index)}`]))
    expect(value.summary).toEqual({ records: 5, matched: 5, notMatched: 0, failed: 0 })
    expect(progress).toEqual([
      [2, 5],
      [4, 5],
      [5, 5],
    ])
    expect(meta.credits).toEqual({ charged: 10, estimated: true })
  })

  it('of one record is a single request', async () => {
    const { sent } = await enrich(people(1), echo)
    expect(sent).toEqual([{ method: 'POST', path: '/person', body: { email: mail(0) } }])
  })

  it('go out singly where the profile has no bulk path', async () => {
    const { value, sent } = await enrich(people(2), echo, bulk({ path: null }))
    expect(sent.map(({ path }) => path)).toEqual(['/person', '/person'])
    expect(value.summary.matched).toBe(2)
  })

  it('use the envelope, the item ids and the place of the answers', async () => {
    const wire = bulk({ envelope: 'contacts', itemId: 'ref', answers: 'contacts' })
    const { value, sent } = await enrich(
      people(3),
      (call) => {
        const items = (call.body as { contacts: Record<string, string>[] }).contacts
        return body({ contacts: items.map((item) => ({ ref: item.ref!, ...(recordOf(item) as object) })).reverse() })
      },
      wire,
    )
    expect(sent[0]?.body).toEqual({ contacts: [0, 1, 2].map((index) => ({ email: mail(index), ref: String(index) })) })
    expect(value.results.map((result: { record: { fullName: string } }) => result.record.fullName)).toEqual(
      [0, 1, 2].map((index) => `Person ${mail(index)}`),
    )
  })

  it('take answers keyed by item id; one that is left out is no match only where a rule says so', async () => {
    const byId = { itemId: 'ref', answer: 'byId', answers: 'found' }
    const answer = (call: Call) => body({ found: { 0: recordOf(itemsOf(call)[0]!), 2: null } })
    const { value } = await enrich(people(3), answer, bulk(byId))
    expect(states(value.results)).toEqual([true, 'bad_reply', false])
    expect(value.results[1].failed.message).toMatch(
      /no answer for this record.*wire\.contact-data\.endpoints\.person\.bulk\.answers/,
    )
    const missOutcome = await enrich(people(3), answer, bulk({ ...byId, itemNoMatch: [{ path: '', is: 'absent' }] }))
    expect(states(missOutcome.value.results)).toEqual([true, false, false])
  })

  it('distinguish matched, not matched and failed, record by record', async () => {
    const { value } = await enrich(people(6), [
      body([
        { data: { fullName: 'A' } },
        null,
        {},
        { error: { code: 'NOT_FOUND' } },
        { error: { code: 'SUPPRESSED', message: 'opted out' } },
        { error: { code: 'ODD', message: 'no e-mail address' } },
      ]),
    ])
    expect(states(value.results)).toEqual([true, false, false, false, 'suppressed', 'rejected'])
    expect(value.results[5].failed).toMatchObject({ providerMessage: 'no e-mail address', retryable: false })
    expect(value.summary).toEqual({ records: 6, matched: 1, notMatched: 3, failed: 2 })
  })

  it('fail with the failure itself where nothing was answered', async () => {
    for (const [status, code] of [
      [401, 'not_connected'],
      [402, 'credits_exhausted'],
      [404, 'bad_reply'],
      [500, 'outcome_unknown'],
    ] as const) {
      const { failure, sent } = await enrich(people(3), () => body({ message: 'x' }, status), bulk({ max: 2 }))
      expect([failure?.code, sent.length]).toEqual([code, ['bad_reply', 'outcome_unknown'].includes(code) ? 2 : 1])
    }
  })

  it.each([
    ['singly', people(2), bulk({ path: null })],
    ['for one record', people(1), bulk({ max: 2 })],
    ['one in a request', people(2), bulk({ max: 1 })],
  ])('fail as a run where nobody knows of any whether it was paid for, also sent %s', async (_how, contacts, wire) => {
    const { failure } = await enrich(contacts, () => body({ message: 'x' }, 500), wire)
    expect(failure).toMatchObject({ code: 'outcome_unknown', mayHaveHappened: true })
  })

  it('keep what was answered before a request that failed, and go on after it', async () => {
    const { value, meta } = await enrich(
      people(5),
      (call, index) => (index === 1 ? body({ message: 'oops' }, 500) : echo(call)),
      bulk({ max: 2 }),
    )
    expect(states(value.results)).toEqual([true, true, 'outcome_unknown', 'outcome_unknown', true])
    expect(meta.credits).toEqual({ charged: 10, estimated: true })
  })

  it('stop at a failure of the account: the rest is not sent and says why', async () => {
    const { value, sent, meta } = await enrich(
      people(6),
      (call, index) => (index === 1 ? body({ message: 'none left' }, 402) : echo(call)),
      bulk({ max: 2 }),
    )
    expect(sent).toHaveLength(2)
    expect(states(value.results)).toEqual([true, true, ...Array.from({ length: 4 }, () => 'credits_exhausted')])
    expect(meta.credits?.charged).toBe(4)
  })

  it('stop at a rate limit that outlasts the deadline, with the time to wait', async () => {
    const { value } = await enrich(
      people(4),
      (call, index) => (index === 0 ? echo(call) : fail('rate_limited', 'later', { retryAfterMs: 500 })),
      bulk({ max: 2 }),
    )
    expect(states(value.results)).toEqual([true, true, 'rate_limited', 'rate_limited'])
    expect(value.results[3].failed.retryAfterMs).toBe(500)
  })

  it('are sent singly where the provider refuses the whole because of one', async () => {
    const { value, sent } = await enrich(people(3), (call) => {
      if (call.path === '/person/bulk') return body({ message: 'item 1 is bad' }, 400)
      return (call.body as { email: string }).email === mail(1) ? body({ message: 'bad address' }, 422) : echo(call)
    })
    expect(sent.map(({ path }) => path)).toEqual(['/person/bulk', '/person', '/person', '/person'])
    expect(states(value.results)).toEqual([true, 'rejected', true])
  })

  it("are not assigned where the number of answers differs: nobody gets another one's record", async () => {
    const { failure, meta } = await enrich(people(3), [body([recordOf({ email: 'x' })])])
    expect(failure?.code).toBe('bad_reply')
    expect(meta.credits).toEqual({ charged: 6, estimated: true })
  })

  it('ask and pay once for the same record', async () => {
    const { value, sent } = await enrich(
      [
        { email: mail(0), reference: 'a' },
        { email: mail(1) },
        { email: mail(0).toUpperCase().replace('P0', 'p0'), reference: 'b' },
      ],
      echo,
    )
    expect(sent[0]?.body).toEqual([{ email: mail(0) }, { email: mail(1) }])
    expect(
      value.results.map(({ reference, matched }: { reference?: string; matched: boolean }) => [reference, matched]),
    ).toEqual([
      ['a', true],
      [undefined, true],
      ['b', true],
    ])
  })

  it('name the setting where no maximum is known, and send nothing', async () => {
    const { failure, sent } = await enrich(people(2), [], bulk({ max: null }))
    expect(failure).toMatchObject({
      code: 'wire_unset',
      message: expect.stringContaining('wire.contact-data.endpoints.person.bulk.max') as string,
    })
    expect(sent).toEqual([])
  })

  it('fail a record alone that the provider has no name for', async () => {
    const wire = { endpoints: { person: { fields: { linkedinUrl: null } } } }
    const { value, sent } = await enrich([{ linkedinUrl: 'in-only' }, ...people(2)], echo, wire)
    expect(states(value.results)).toEqual(['wire_unset', true, true])
    expect(sent[0]?.body).toEqual([{ email: mail(0) }, { email: mail(1) }])
    expect((await enrich([{ linkedinUrl: 'one' }, { linkedinUrl: 'two' }], [], wire)).failure?.code).toBe('wire_unset')
  })
})

describe('further identifiers of bulk records', () => {
  const contacts = [
    { email: mail(0), linkedinUrl: 'person-zero' },
    { email: mail(1), linkedinUrl: 'person-one' },
  ]

  it('are not tried where every record sent is charged, and the result says so', async () => {
    const { value, sent, meta } = await enrich(contacts, [body([null, { data: { fullName: 'One' } }])])
    expect(sent).toHaveLength(1)
    expect(states(value.results)).toEqual([false, true])
    expect(value.results[0].reason).toContain('strongest identifier')
    expect(meta.credits?.charged).toBe(4)
  })

  it('are tried for what was not found where only matches are charged', async () => {
    const { value, sent, meta } = await enrich(
      contacts,
      [body([null, { data: { fullName: 'One' } }]), body([{ data: { fullName: 'Zero' } }])],
      bulk({ charge: 'match' }),
    )
    expect(sent.map(({ body: items }) => items)).toEqual([
      [
        { linkedInUrl: 'https://www.linkedin.com/in/person-zero' },
        { linkedInUrl: 'https://www.linkedin.com/in/person-one' },
      ],
      [{ email: mail(0) }],
    ])
    expect(value.results.map(({ matchedBy }: { matchedBy: string }) => matchedBy)).toEqual(['email', 'linkedinUrl'])
    expect(meta.credits?.charged).toBe(4)
  })

  it('leave the first answers alone when their own request fails', async () => {
    const { value } = await enrich(
      contacts,
      [body([null, { data: { fullName: 'One' } }]), fail('unreachable', 'gone')],
      bulk({ charge: 'match' }),
    )
    expect(states(value.results)).toEqual(['unreachable', true])
  })

  it('go along where the profile sends all together', async () => {
    const { sent } = await enrich(contacts, [body([null, null])], bulk({}, { identifiers: 'all' }))
    expect(sent[0]?.body).toEqual([
      { linkedInUrl: 'https://www.linkedin.com/in/person-zero', email: mail(0) },
      { linkedInUrl: 'https://www.linkedin.com/in/person-one', email: mail(1) },
    ])
  })
})

describe('records of a bulk answer', () => {
  it('are joined with what stands beside them', async () => {
    const wire = {
      ...bulk(
        { answer: 'byId', itemId: 'ref', answers: 'contacts' },
        { aliases: 'joined', joins: [{ into: 'firm', from: 'companies', by: 'companyId' }] },
      ),
      records: { joined: { company: ['firm.name'] } },
    }
    const answer = body({
      contacts: { 0: { companyId: 5, x: 1 }, 1: { companyId: 6 } },
      companies: { 5: { name: 'Kowhai' }, 6: { name: 'Wattle' } },
    })
    const { value } = await enrich(people(2), [answer], wire)
    expect(value.results.map((result: { record: { company: string } }) => result.record.company)).toEqual([
      'Kowhai',
      'Wattle',
    ])
  })
})

describe('credits of bulk requests', () => {
  const three = (
    wire: Record<string, unknown>,
    answer = body([{ data: { fullName: 'A' }, paid: true }, null, { data: { fullName: 'B' }, paid: false }]),
  ) => enrich(people(3), [answer], wire)

  it('are estimated for each record or each match, as the profile says', async () => {
    expect((await three(bulk({ charge: 'record' }))).meta.credits).toEqual({ charged: 6, estimated: true })
    expect((await three(bulk({ charge: 'match' }))).meta.credits).toEqual({ charged: 4, estimated: true })
  })

  it('are read from the header of the whole or the flags of the items', async () => {
    const header = body([null, null, null], 200, { 'x-credits-charged': '3' })
    expect((await three(bulk({}, { credits: { header: 'x-credits-charged' } }), header)).meta.credits).toEqual({
      charged: 3,
      estimated: false,
    })
    expect((await three(bulk({}, { credits: { flag: 'paid', amount: 2 } }))).meta.credits).toEqual({
      charged: 2,
      estimated: false,
    })
  })
})

describe('a dry run of many', () => {
  it('shows every request and the price of the whole', async () => {
    const { dry, calls } = await dryRun(
      'contact-data',
      'enrich-contacts',
      { contacts: [...people(3), { email: 'broken' }] },
      bulk({ max: 2, itemId: 'ref' }),
    )
    expect(calls).toEqual([])
    expect(dry.requests.map(({ body: items }) => items as unknown)).toEqual([
      [
        { email: mail(0), ref: '0' },
        { email: mail(1), ref: '1' },
      ],
      [{ email: mail(2), ref: '0' }],
    ])
    expect(dry).toMatchObject({ complete: true, price: { per: 'record', typical: [1, 2], total: [3, 6] } })
  })

  it('shows every single request where there is no bulk', async () => {
    const { dry } = await dryRun('contact-data', 'enrich-contacts', { contacts: people(3) }, bulk({ path: null }))
    expect(dry.requests.map(({ body: sent }) => sent as unknown)).toEqual(
      [0, 1, 2].map((index) => ({ email: mail(index) })),
    )
    expect(dry.complete).toBe(true)
  })

  it('of nothing but bad records sends nothing and is complete', async () => {
    const { dry } = await dryRun('contact-data', 'enrich-contacts', { contacts: [{ email: 'broken' }] })
    expect(dry).toMatchObject({ requests: [], complete: true })
  })
})
