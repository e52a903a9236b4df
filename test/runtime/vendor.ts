import { defineIntegration, defineStep, z } from '#kit'
import type { EndpointProfile, WireProfile } from '#kit'
import { dryRun, runStep } from '../data/harness.ts'
import type { Answers } from '../data/harness.ts'

type Values = Record<string, unknown>

const wire: WireProfile = {
  profile: 'vendor',
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

const values = () => z.record(z.string(), z.unknown()).meta({ title: 'Values', description: 'Our fields.' })
const parts = { group: 'Steps', endpoints: ['it'], effect: 'read' as const, output: () => z.unknown() }
const cost = { unit: 'credit' as const, per: 'match' as const, typical: [1, 1] as [number, number] }

/** Steps that pass on what they are given, to the endpoint "it". */
export const vendor = defineIntegration({
  id: 'vendor',
  title: 'Vendor',
  summary: 'A provider whose wire a test describes.',
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
      id: 'ask',
      title: 'Ask',
      purpose: 'Asks.',
      input: () => z.strictObject({ values: values() }),
      run: (ctx, input) => ctx.ask('it', input.values),
    }),
    defineStep({
      ...parts,
      id: 'find',
      title: 'Find',
      purpose: 'Finds.',
      cost,
      input: () => z.strictObject({ sets: z.array(values()), along: values().optional() }),
      run: (ctx, input) => ctx.lookup('it', input.sets, input.along),
    }),
    defineStep({
      ...parts,
      id: 'find-many',
      title: 'Find Many',
      purpose: 'Finds many.',
      cost: { ...cost, per: 'record' as const },
      input: () => z.strictObject({ records: z.array(z.array(values())), along: z.array(values()).optional() }),
      run: async (ctx, input) => ({ results: await ctx.lookupMany('it', input.records, input.along) }),
    }),
    defineStep({
      ...parts,
      id: 'search',
      title: 'Search',
      purpose: 'Searches.',
      cost,
      input: () => z.strictObject({ values: values(), limit: z.int().optional(), cursor: z.string().optional() }),
      run: (ctx, { values: filters, ...page }) => ctx.search('it', filters, page as { limit?: number }),
    }),
  ],
  apiCall: { methods: ['GET', 'POST'], under: '/', deny: [] },
  wire,
})

type It = Partial<EndpointProfile> & { fields: EndpointProfile['fields'] }

/** The profile with this endpoint "it", and others beside it. */
export const profileOf = (it: It, more: Record<string, Partial<EndpointProfile>> = {}): Values => {
  const whole = (endpoint: Partial<EndpointProfile>) => ({
    method: 'POST',
    path: '/it',
    place: 'json',
    noMatch: [{ status: 200, path: '', is: 'empty' }],
    ...endpoint,
  })
  return {
    endpoints: {
      it: whole(it),
      ...Object.fromEntries(Object.entries(more).map(([name, endpoint]) => [name, whole(endpoint)])),
    },
  }
}

export const run = (step: string, input: Values, profile: Values, answers: Answers) =>
  runStep('vendor', step, input, answers, { integration: vendor, wire: profile })

/** What a request of these values looks like on the wire. */
export const sentFor = async (it: It, input: Values) => {
  const { sent, failure } = await run('ask', { values: input }, profileOf(it), () => ({ body: {} }))
  return failure ?? sent[0]!.body ?? sent[0]!.query
}

export const dry = (step: string, input: Values, profile: Values) => dryRun('vendor', step, input, profile, vendor)
