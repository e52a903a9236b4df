/**
 * `npm run examples`: runs the published examples of every step against a new sandbox and writes the recorded exchanges
 * and outputs. Each example begins with the sandbox's initial state. Examples that fail, or that need something the
 * sandbox does not have initially, are left unchanged. An example's cursor comes from the output of the example before
 * it.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ExampleCase, ExampleFile, TriggerExampleFile } from '../shared/kit/index.ts'
import { createPack, systemClock } from '../shared/pack.ts'
import { createRecorder } from '../shared/recorder/index.ts'
import { startSandbox } from '../shared/sandbox/index.ts'

/** The fixed date of all examples, so that they change only when a step or the sandbox does. */
const now = () => Date.UTC(2026, 10, 20, 9)
const caller = { tenant: 'default' }
const hosts = {
  'work-board': 'https://trello.com',
  'anz-data': 'https://api.anz-data.example',
  'contact-data': 'https://api.contact-data.example',
}

const sandbox = await startSandbox({ board: { now }, anz: { now }, contact: { now } })
const recorder = createRecorder({ keepsPeople: true })
const pack = await createPack({
  wire: sandbox.wire,
  egress: { privateOrigins: sandbox.places.map(({ origin }) => origin) },
  clock: { ...systemClock, now },
  onExchange: recorder.onExchange,
})
for (const { integration, type, name, secrets } of sandbox.accounts)
  await pack.connections.create(caller, { integration, type, name, secrets })

const resetAll = () => [sandbox.board, sandbox.anz, sandbox.contact].forEach(({ control }) => control.reset())

/** The headers in API Call's output differ from call to call, so only the content type is kept. */
const withoutHeaders = (exampleCase: ExampleCase): ExampleCase => {
  const only = (headers: Record<string, string> = {}) => ({
    'content-type': headers['content-type'] ?? 'application/json',
  })
  const output = exampleCase.output as { headers: Record<string, string> }
  return {
    ...exampleCase,
    exchanges: exampleCase.exchanges.map(({ request, reply }) => ({
      request,
      reply: { ...reply, headers: only(reply.headers) },
    })),
    output: { ...output, headers: only(output.headers) },
  }
}

const record = async (
  integration: string,
  step: string,
  exampleCase: ExampleCase,
  before: ExampleCase | undefined,
): Promise<ExampleCase> => {
  // A case that is answered without the provider has nothing to record.
  if (exampleCase.failure || exampleCase.needs !== undefined || exampleCase.exchanges.length === 0) return exampleCase
  // The recorder does not see the content of files.
  if (JSON.stringify(exampleCase.output).includes('"fil_')) return exampleCase
  resetAll()
  await pack.cache.clear(caller, { all: true })
  const next = (before?.output as { next?: string } | undefined)?.next
  const input = 'cursor' in exampleCase.input ? { ...exampleCase.input, cursor: next } : exampleCase.input
  const [made] = await recorder.record(pack, caller, { integration, step, title: exampleCase.title, input })
  return step === 'api-call' ? withoutHeaders({ ...made!, input }) : { ...made!, input }
}

for (const [integration, host] of Object.entries(hosts)) {
  const folder = fileURLToPath(new URL(`../integrations/${integration}/examples/`, import.meta.url))
  const { origin } = sandbox.places.find((place) => place.integration === integration)!
  for (const name of readdirSync(folder)) {
    const file = JSON.parse(readFileSync(folder + name, 'utf8')) as ExampleFile | TriggerExampleFile
    if (!('step' in file)) continue
    // A step that the sandbox does not offer has a hand-written example.
    if (file.step !== 'api-call' && pack.registry.step(integration, file.step).needs.length > 0) continue
    const cases: ExampleCase[] = []
    for (const exampleCase of file.cases) cases.push(await record(integration, file.step, exampleCase, cases.at(-1)))
    const wire = file.wire && { ...sandbox.wire[integration], profile: 'example', baseUrl: host }
    const text = JSON.stringify({ step: file.step, ...(wire ? { wire } : {}), cases }, null, 2)
    // The recorder replaces only the address of the API; the addresses of pages are on another host.
    writeFileSync(
      folder + name,
      `${text.replaceAll(origin, host).replaceAll(/https:\/\/api\.trello\.com\/(?=[bcuw]\/|1\/cards\/\w+\/attachments\/)/g, 'https://trello.com/')}\n`,
    )
  }
}
await pack.close()
await sandbox.close()
