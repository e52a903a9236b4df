/** What a Node platform does with the installed package. Prints one line of JSON. Argument: origin of a provider. */
import { createPack, isFailure, toTools } from 'toolyard'
import { defineIntegration, defineStep, path, z } from 'toolyard/kit'
import index from 'toolyard/manifests/pack.json' with { type: 'json' }

const [origin] = process.argv.slice(2)
const caller = { tenant: 'default' }
const wire = { 'work-board': { baseUrl: origin } }
const pack = await createPack({ wire, egress: { privateOrigins: [origin] } })
await pack.connections.create(caller, {
  integration: 'work-board',
  type: 'key-token',
  name: 'Studio',
  secrets: { key: '0'.repeat(32), token: '0'.repeat(64) },
})
const outcome = await pack.steps.run(caller, {
  integration: 'work-board',
  step: 'create-card',
  input: { idList: '1'.padStart(24, '0'), name: 'Call the printer' },
})
const tools = toTools(pack, { caller })
const normalised = await pack.steps.run(caller, {
  integration: 'anz-data',
  step: 'company-enrichment',
  input: { domain: 'https://www.papermill.com.au/about' },
  dryRun: true,
})
const manifest = await pack.integrations.manifest('work-board')
const thrown = await pack.connections.get(caller, 'con_none').catch((error) => error)
await pack.close()

const greet = defineStep({
  id: 'greet',
  title: 'Greet',
  purpose: 'Greets a person through the provider by name.',
  effect: 'read',
  input: z.strictObject({ name: z.string().min(1).meta({ description: 'Name of the person.' }) }),
  output: z.looseObject({ id: z.string() }),
  run: (ctx, { name }) => ctx.send({ method: 'GET', path: path`/greetings/${name}` }),
})
const own = defineIntegration({
  id: 'own-thing',
  title: 'Own thing',
  summary: 'An integration of the platform itself.',
  version: '1.0.0',
  maturity: 'beta',
  connections: [
    {
      id: 'api-key',
      title: 'Key',
      purpose: 'A key of the provider.',
      secrets: z.strictObject({ apiKey: z.string().meta({ description: 'The key.' }) }),
    },
  ],
  steps: [greet],
  apiCall: { methods: ['GET'], under: '/', deny: [] },
  wire: {
    profile: 'own',
    baseUrl: origin,
    auth: { 'api-key': { place: 'header', fields: { Authorization: 'Bearer {apiKey}' } } },
    reserved: [],
    pace: { limits: [], concurrency: 4 },
    timeouts: { connectMs: 1000, headersMs: 1000, bodyMs: 1000, totalMs: 2000, deadlineMs: 3000 },
    maxReplyBytes: 1_000_000,
    errors: [],
    assumed: {},
  },
})
const second = await createPack({ integrations: [own], egress: { privateOrigins: [origin] } })
await second.connections.create(caller, {
  integration: 'own-thing',
  type: 'api-key',
  name: 'Own',
  secrets: { apiKey: 'k'.repeat(20) },
})
const greeted = await second.steps.run(caller, { integration: 'own-thing', step: 'greet', input: { name: 'Kim' } })
const refused = await second.steps.run(caller, { integration: 'own-thing', step: 'greet', input: {} })
await second.close()

console.log(
  JSON.stringify({
    created: outcome.ok && outcome.value.name,
    tools: tools.length,
    integrations: index.integrations.map(({ id }) => id),
    examples: manifest.steps.find(({ id }) => id === 'create-card').examples.length,
    isFailure: isFailure(thrown),
    normalised,
    greeted: greeted.ok && greeted.value.id,
    refused: refused.ok || refused.failure.code,
  }),
)
