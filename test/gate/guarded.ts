import { defineIntegration, defineStep, path, z } from '#kit'
import type { EndpointProfile, StepContext, WireProfile } from '#kit'

export const email = 'aroha.field@wattle.example'

const address = () => z.string().meta({ title: 'Address', description: 'An address.' })
const input = () => z.strictObject({ email: address() })
const cost = { unit: 'credit' as const, per: 'match' as const, typical: [1, 1] as [number, number] }
const request = (given: string) => ({ method: 'GET' as const, path: path`/person`, query: { mail: given } })
const person: EndpointProfile = {
  method: 'GET',
  path: '/person',
  place: 'query',
  kind: 'person',
  fields: { email: 'mail' },
  record: [''],
  noMatch: [{ status: 404, path: 'none', equals: true }],
  price: [{ per: 'match', credits: 1 }],
  probe: { values: { email }, credits: 1 },
  bulk: {
    path: '/people',
    method: 'POST',
    max: 10,
    envelope: 'who',
    answer: 'array',
    charge: 'match',
    price: [{ per: 'match', credits: 1 }],
  },
}

const { bulk: _, probe: __, ...single } = person
const chosenFrom = (endpoint: string) => ({
  name: endpoint,
  choices: { endpoint, list: '', value: 'title', label: 'title' },
})

/** The operator's override: where nothing is said it is the provider's own profile. */
export const wire = {
  auth: { 'api-key': { place: 'header', fields: { 'x-api-key': '{apiKey}' } } },
  endpoints: {
    person,
    people: {
      ...single,
      path: '/people/search',
      fields: { email: 'mail', title: chosenFrom('titles'), seniority: chosenFrom('seniorities') },
    },
    titles: { method: 'GET', path: '/titles', place: 'query', fields: {} },
    seniorities: {
      method: 'GET',
      path: '/seniorities',
      place: 'query',
      fields: {},
      price: [{ per: 'call', credits: 1 }],
    },
  },
  records: { person: { email: ['email'], jobTitle: ['title'] } },
  operations: [
    { method: 'GET', path: '/free', title: 'What costs nothing', effect: 'read', parameters: [], price: 'free' },
  ],
}

const profile: WireProfile = {
  profile: 'guarded',
  baseUrl: null,
  auth: { 'api-key': null },
  reserved: [],
  pace: { limits: [], concurrency: 4 },
  timeouts: { connectMs: 5_000, headersMs: 5_000, bodyMs: 5_000, totalMs: 10_000, deadlineMs: 60_000 },
  maxReplyBytes: 1_000_000,
  errors: [],
  endpoints: {},
  records: {},
  assumed: {},
}

const parts = { group: 'Steps', effect: 'read' as const, output: () => z.unknown() }
const step = (id: string, run: (ctx: StepContext, given: { email: string }) => Promise<unknown>) =>
  defineStep({ ...parts, id, title: id, purpose: 'Asks about somebody.', cost, input, run })

/** A provider that charges, and steps that ask it in every way that a step can. */
export const guarded = defineIntegration({
  id: 'guarded',
  title: 'Guarded',
  summary: 'A provider that charges.',
  version: '0.1.0',
  maturity: 'beta',
  connections: [
    {
      id: 'api-key',
      scheme: 'secrets',
      title: 'Key',
      purpose: 'A key.',
      secrets: z.strictObject({ apiKey: z.string() }),
    },
  ],
  steps: [
    defineStep({
      ...parts,
      id: 'find',
      title: 'Find',
      purpose: 'Finds somebody.',
      cost,
      input,
      lookup: 'person',
      endpoints: ['person'],
      fields: {
        email: {
          options: async (ctx, { values }) => {
            await ctx.send({ method: 'GET', path: path`/free`, query: { mail: String(values['email']) } })
            return { options: [] }
          },
        },
      },
      run: (ctx, given) => ctx.lookup('person', [given]),
    }),
    defineStep({
      ...parts,
      id: 'find-many',
      title: 'Find Many',
      purpose: 'Finds many.',
      cost: { ...cost, per: 'record' },
      input: () =>
        z.strictObject({ emails: z.array(address()).meta({ title: 'Addresses', description: 'Addresses.' }) }),
      endpoints: ['person'],
      run: async (ctx, given) => ({
        results: await ctx.lookupMany(
          'person',
          given.emails.map((one) => [{ email: one }]),
        ),
      }),
    }),
    defineStep({
      ...parts,
      id: 'search',
      title: 'Search',
      purpose: 'Searches.',
      cost,
      input: () => z.strictObject({ email: address(), title: address().optional(), seniority: address().optional() }),
      endpoints: ['people'],
      run: (ctx, given) => ctx.search('people', given, {}),
    }),
    step('ask', (ctx, given) => ctx.ask('person', given)),
    step('send', (ctx, given) => ctx.send(request(given.email))),
    step('exchange', (ctx, given) => ctx.exchange(request(given.email))),
    step('save', (ctx, given) => ctx.save(request(given.email))),
    defineStep({ ...parts, id: 'other', title: 'Other', purpose: 'Does nothing.', input, run: async () => ({}) }),
  ],
  apiCall: { methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], under: '/', deny: [] },
  wire: profile,
})
