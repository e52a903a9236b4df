import { describe, expect, it } from 'vitest'
import { defineStep, fail, keySets, lookupOutput, personRecord, z } from '#kit'
import type { Integration } from '#kit'
import contactData from '../../integrations/contact-data/manifest.ts'
import { priceOf, stepCost } from '../../shared/runtime/catalogue/price.ts'
import { createRegistry } from '../../shared/runtime/catalogue/registry.ts'
import { body, dryRun, reachable, runStep } from '../data/harness.ts'
import type { Answers } from '../data/harness.ts'

const replyWith = (over: Record<string, unknown> = {}) => ({
  contact: { fullName: 'Gwen Ellery', emails: ['gwen@kowhai.example'], phones: ['+64 3 555 0101'], ...over },
})
const nobody = { message: 'No match found' }
const reveals = [
  { per: 'match', credits: 1, wanted: 'emails' },
  { per: 'match', credits: 5, wanted: 'phones' },
]

const findWanted = defineStep({
  id: 'find-wanted',
  title: 'Find Wanted',
  purpose: 'Finds a person, with what is wanted of it.',
  effect: 'read',
  input: () =>
    keySets(
      z.strictObject({
        email: z.string().optional(),
        linkedinUrl: z.string().optional(),
        reveal: z.array(z.string()).optional(),
      }),
      [['email'], ['linkedinUrl']],
    ),
  output: () => lookupOutput(personRecord()),
  endpoints: ['person'],
  run: (ctx, { reveal, email, linkedinUrl }) =>
    ctx.lookup(
      'person',
      [{ email }, { linkedinUrl }]
        .filter((set) => Object.values(set)[0] !== undefined)
        .map((set) => ({ ...set, ...(reveal ? { reveal } : {}) })),
    ),
})
const integration: Integration = { ...contactData, steps: [findWanted] }

const person = (over: Record<string, unknown>) => ({ endpoints: { person: over } })
const withReveal = (over: Record<string, unknown>) => person({ fields: { reveal: 'reveal' }, ...over })
const find = (input: Record<string, unknown>, answers: Answers, over: Record<string, unknown>) =>
  runStep('contact-data', 'find-wanted', input, answers, { integration, wire: withReveal(over) })
const charged = async (input: Record<string, unknown>, answers: Answers, over: Record<string, unknown>) =>
  (await find(input, answers, over)).meta.credits
const quoted = async (input: Record<string, unknown>, over: Record<string, unknown>) =>
  (
    await runStep('contact-data', 'find-wanted', input, [], {
      integration,
      wire: withReveal(over),
      call: { dryRun: true },
    })
  ).value.price as unknown
const email = 'gwen@kowhai.example'
const linkedinUrl = 'https://www.linkedin.com/in/gwen-ellery'

const loadedWith = (wire: Record<string, unknown>) =>
  createRegistry([contactData], { 'contact-data': { ...reachable, ...wire } }).integration('contact-data')

describe('the price that a profile states', () => {
  it.each([
    ['one match', [{ per: 'match', credits: 1 }], 'match', [1, 1], '1 credit a match'],
    ['what is wanted', reveals, 'match', [0, 6], '1 credit a match with emails, 5 credits a match with phones'],
    ['records asked for', [{ per: 'record', credits: 2 }], 'record', [2, 2], '2 credits a record asked for'],
    ['groups', [{ per: 'results', credits: 1, of: 25 }], 'match', [1, 1], '1 credit for each 25 results begun'],
    [
      'requests and matches',
      [
        { per: 'call', credits: 1 },
        { per: 'match', credits: 2 },
      ],
      'call',
      [1, 3],
      '1 credit a request, 2 credits a match',
    ],
    ['nothing', [], 'call', [0, 0], 'free'],
  ])('for %s', (_, price, per, typical, text) => {
    expect(priceOf(loadedWith(person({ price })), 'person')).toEqual({ unit: 'credit', per, typical, text })
  })

  it('of a page is that of one of its results', () => {
    const page = { style: 'page', place: 'json', position: 'page', size: 'size', max: 100, default: 25 }
    const over = { endpoints: { 'search-contacts': { price: [{ per: 'results', credits: 1, of: 25 }], page } } }
    expect(priceOf(loadedWith(over), 'search-contacts')).toMatchObject({ per: 'record', typical: [0.04, 1] })
  })

  it('is that of the step where none is stated', () => {
    const loaded = loadedWith({})
    expect(priceOf(loaded, 'person')).toBeUndefined()
    expect(stepCost(loaded.steps.get('find-contact')!, {})).toEqual({ unit: 'credit', per: 'match', typical: [1, 2] })
  })

  it('leaves out what is not asked for', () => {
    const loaded = loadedWith(person({ price: reveals }))
    expect(priceOf(loaded, 'person', { reveal: ['phones'] })).toEqual({
      unit: 'credit',
      per: 'match',
      typical: [0, 5],
      text: '5 credits a match with phones',
    })
    expect(stepCost(loaded.steps.get('find-contact')!, { reveal: ['emails'] })).toEqual({
      unit: 'credit',
      per: 'match',
      typical: [0, 1],
    })
    expect(stepCost(loaded.steps.get('find-contact')!, { reveal: [] })).toBeUndefined()
  })

  it('is found anew where the input holds a field on which it depends', () => {
    const company = { name: 'c', resolve: { endpoint: 'company', field: 'name', take: 'id' } }
    const loaded = loadedWith({
      endpoints: {
        person: { price: reveals, fields: { company } },
        company: { price: [{ per: 'match', credits: 2 }] },
      },
    })
    const cost = (input: Record<string, unknown>) => stepCost(loaded.steps.get('find-contact')!, input)
    const plain = { unit: 'credit', per: 'match', typical: [0, 6] }
    expect([cost({}), cost({ company: 'Kowhai' }), cost({ email }), cost({ reveal: [] }), cost({})]).toEqual([
      plain,
      { unit: 'credit', per: 'call', typical: [0, 8] },
      plain,
      undefined,
      plain,
    ])
  })

  it('of bulk requests is their own, or for each record where each is charged', () => {
    const price = [{ per: 'match', credits: 2 }]
    expect(priceOf(loadedWith(person({ price })), 'person', undefined, true)).toMatchObject({
      per: 'record',
      typical: [2, 2],
    })
    expect(priceOf(loadedWith(person({ price, bulk: { charge: 'match' } })), 'person', undefined, true)).toMatchObject({
      per: 'match',
    })
    const own = [{ per: 'results', credits: 1, of: 25 }]
    expect(priceOf(loadedWith(person({ price, bulk: { price: own } })), 'person', undefined, true)).toMatchObject({
      text: '1 credit for each 25 results begun',
    })
  })

  it('holds that of turning a value into the one of the provider, once for fields of one name', () => {
    const resolve = (field: string) => ({ name: 'companyId', resolve: { endpoint: 'company', field, take: 'id' } })
    const loaded = loadedWith({
      endpoints: {
        company: { price: [{ per: 'match', credits: 1 }] },
        'search-contacts': {
          path: '/search',
          price: [],
          fields: { company: resolve('name'), companyDomain: resolve('domain') },
        },
      },
    })
    expect(priceOf(loaded, 'search-contacts', {})).toEqual({
      unit: 'credit',
      per: 'call',
      typical: [0, 0],
      text: 'free',
    })
    const dear = { unit: 'credit', per: 'call', typical: [0, 1], text: 'up to 1 credit to look up an id' }
    expect(priceOf(loaded, 'search-contacts', { company: 'Kowhai' })).toEqual(dear)
    expect(priceOf(loaded, 'search-contacts')).toEqual(dear)
    expect(priceOf(loaded, 'search-contacts', { companyDomain: ['kowhai.example', 'wattle.example'] })).toMatchObject({
      typical: [0, 2],
    })
  })
})

describe('credits of a lookup by the price of the profile', () => {
  it('are those of the fields that were found', async () => {
    expect(await charged({ email }, [body(replyWith())], { price: reveals })).toEqual({ charged: 6, estimated: true })
    expect(await charged({ email }, [body(replyWith({ phones: [] }))], { price: reveals })).toEqual({
      charged: 1,
      estimated: true,
    })
    expect(
      await charged({ email }, [body(replyWith({ phones: undefined, emails: undefined }))], { price: reveals }),
    ).toEqual({ charged: 0, estimated: false })
  })

  it('count only what was asked for', async () => {
    expect(await charged({ email, reveal: ['phones'] }, [body(replyWith())], { price: reveals })).toEqual({
      charged: 5,
      estimated: true,
    })
  })

  it('are none for a miss, save what each request or record costs', async () => {
    expect(await charged({ email }, [body(nobody)], { price: reveals })).toEqual({ charged: 0, estimated: false })
    const price = [
      { per: 'call', credits: 1 },
      { per: 'match', credits: 3 },
    ]
    expect(await charged({ email, linkedinUrl }, [body(nobody), body(replyWith())], { price })).toEqual({
      charged: 5,
      estimated: true,
    })
  })

  it('are the most where nobody knows whether it was charged', async () => {
    expect(await charged({ email }, [fail('outcome_unknown', 'lost')], { price: reveals })).toEqual({
      charged: 6,
      estimated: true,
    })
    expect(await charged({ email, reveal: ['emails'] }, [body({ odd: 'answer' })], { price: reveals })).toEqual({
      charged: 1,
      estimated: true,
    })
  })

  it('of a flag without an amount are the price of the record', async () => {
    const over = { price: reveals, credits: { flag: 'paid' } }
    expect(await charged({ email }, [body({ ...replyWith(), paid: true })], over)).toEqual({
      charged: 6,
      estimated: true,
    })
    const whole = { ...over, price: [{ per: 'match', credits: 3 }] }
    expect(await charged({ email }, [body({ ...replyWith(), paid: true })], whole)).toEqual({
      charged: 3,
      estimated: false,
    })
    expect(await charged({ email }, [body({ ...replyWith(), paid: false })], over)).toEqual({
      charged: 0,
      estimated: false,
    })
    expect(await charged({ email }, [body({ ...nobody, paid: true })], over)).toEqual({ charged: 1, estimated: true })
  })

  it('are reported though the price is none', async () => {
    expect(
      await charged({ email }, [body({ ...replyWith(), cost: 2 })], { price: [], credits: { path: 'cost' } }),
    ).toEqual({ charged: 2, estimated: false })
    const free = await find({ email }, [body(replyWith())], { price: [] })
    expect([free.meta.credits, free.calls[0]?.paid]).toEqual([undefined, false])
  })

  it('make the request one that is paid', async () => {
    expect((await find({ email }, [body(replyWith())], { price: reveals })).calls[0]).toMatchObject({
      paid: true,
      effect: 'create',
    })
  })
})

describe('a quote by the price of the profile', () => {
  it('is the least and the most of one lookup', async () => {
    expect(await quoted({ email }, { price: reveals })).toMatchObject({
      per: 'match',
      typical: [0, 6],
      total: [0, 6],
      text: expect.any(String) as string,
    })
    expect(await quoted({ email, reveal: ['emails'] }, { price: reveals })).toMatchObject({ total: [0, 1] })
  })

  it('counts each identifier that may be sent', async () => {
    expect(await quoted({ email, linkedinUrl }, { price: [{ per: 'call', credits: 2 }] })).toMatchObject({
      total: [2, 4],
    })
  })

  it('of a page of results is that of as many as it may hold', async () => {
    const price = [
      { per: 'call', credits: 1 },
      { per: 'results', credits: 1, of: 25 },
    ]
    const page = { style: 'page', place: 'json', position: 'page', size: 'size', max: 100, default: 25 }
    const over = { endpoints: { 'search-contacts': { path: '/search', fields: { jobTitle: 'title' }, price, page } } }
    const { dry } = await dryRun('contact-data', 'search-contacts', { jobTitle: 'buyer', limit: 60 }, over)
    expect(dry.price).toMatchObject({ per: 'call', typical: [1, 5], total: [1, 4] })
    const answer = body({ results: Array.from({ length: 26 }, (_, index) => ({ id: `p${index}` })) })
    expect(
      (await runStep('contact-data', 'search-contacts', { jobTitle: 'buyer' }, [answer], { wire: over })).meta.credits,
    ).toEqual({
      charged: 3,
      estimated: true,
    })
  })
})

describe('bulk requests by the price of the profile', () => {
  const people = (count: number) => ({
    contacts: Array.from({ length: count }, (_, index) => ({ email: `p${index}@kowhai.example` })),
  })
  const three = [replyWith(), null, replyWith({ phones: undefined })]
  const run = (over: Record<string, unknown>, answers = three.map((reply) => reply as never)) =>
    runStep('contact-data', 'enrich-contacts', people(answers.length), [body(answers)], { wire: person(over) })

  it('cost what was found, and so much for each group', async () => {
    expect((await run({ bulk: { charge: 'match', price: reveals } })).meta.credits).toEqual({
      charged: 7,
      estimated: true,
    })
    expect((await run({ bulk: { price: [{ per: 'results', credits: 1, of: 2 }] } })).meta.credits).toEqual({
      charged: 1,
      estimated: true,
    })
    expect((await run({ price: [{ per: 'match', credits: 1 }] })).meta.credits).toEqual({ charged: 3, estimated: true })
  })

  it('are charged by the signal of their own, each flag by its record', async () => {
    const flagged = three.map((reply, index) => (reply === null ? null : { ...reply, paid: index === 2 }) as never)
    const over = { credits: { header: 'x-none' }, bulk: { charge: 'match', price: reveals, credits: { flag: 'paid' } } }
    expect((await run(over, flagged)).meta.credits).toEqual({ charged: 1, estimated: true })
  })

  it('are quoted as a whole', async () => {
    const price = [
      { per: 'call', credits: 1 },
      { per: 'match', credits: 2 },
    ]
    const { dry } = await dryRun(
      'contact-data',
      'enrich-contacts',
      people(5),
      person({ bulk: { max: 2, charge: 'match', price } }),
    )
    expect(dry.price).toMatchObject({ total: [3, 13] })
  })
})
