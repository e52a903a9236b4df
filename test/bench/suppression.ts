/** What it costs to look for suppressed people in the largest body of an API Call: `node test/bench/suppression.ts`. */
import { createPack } from '../../shared/pack.ts'
import { largeTexts } from '../support/large-texts.ts'
import { startProvider } from '../support/provider.ts'
import { workOf } from '../support/work.ts'
import type { WorkCost } from '../support/work.ts'
import { median, report, row } from './support.ts'

const caller = { tenant: 'default' }
const size = 990_000
const rounds = 3
/** Less than that is mostly the rest of the call. */
const leastMs = 50

const headers = { 'content-type': 'application/json' }
const provider = await startProvider((_, reply) => reply.writeHead(200, headers).end('{}'))
const pack = await createPack({
  wire: { 'contact-data': { profile: 'people-data-labs', baseUrl: provider.origin, pace: { limits: [] } } },
  egress: { privateOrigins: [provider.origin] },
})
const account = { integration: 'contact-data', type: 'api-key', name: 'Contacts' }
await pack.connections.create(caller, { ...account, secrets: { apiKey: 'key-of-the-bench' } })
await pack.suppressions.add(caller, [{ linkedin: 'somebody-else' }])

const call = async (text: string) => {
  const input = { method: 'POST', path: '/v5/person/enrich', body: { text }, strict: false }
  const outcome = await pack.steps.run(caller, { integration: 'contact-data', step: 'api-call', input })
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`)
}
/** The least of some rounds, since others on the machine only add to it. */
const costOf = async (text: string): Promise<WorkCost> => {
  const all: WorkCost[] = []
  for (let round = 0; round < rounds; round += 1) all.push(await workOf(() => call(text)))
  return { allMs: Math.min(...all.map(({ allMs }) => allMs)), turnMs: median(all.map(({ turnMs }) => turnMs)) }
}

await call('warm')
const quarters = largeTexts(size / 4)
const costs: { shape: string; allMs: number; turnMs: number; growth: number }[] = []
for (const [shape, text] of Object.entries(largeTexts(size))) {
  const quarter = await costOf(quarters[shape]!)
  const whole = await costOf(text)
  costs.push({ shape, ...whole, growth: whole.allMs < leastMs ? 0 : whole.allMs / quarter.allMs })
}
const largest = (of: 'allMs' | 'turnMs' | 'growth') => costs.toSorted((a, b) => b[of] - a[of])[0]!
const [dearest, longest, steepest] = [largest('allMs'), largest('turnMs'), largest('growth')]
const what = 'suppression list, 1 MB of pathological text in an API Call'
report('suppression', [
  row(`${what}, CPU of the dearest of ${costs.length} shapes (${dearest.shape})`, dearest.allMs, 'ms'),
  // 4 is linear, 16 is quadratic.
  row(`the same, CPU against a quarter of the text (${steepest.shape})`, steepest.growth, 'x', '<= 8'),
  row(`the same, longest turn of the event loop (${longest.shape})`, longest.turnMs, 'ms', '<= 100'),
])
await pack.close()
await provider.close()
