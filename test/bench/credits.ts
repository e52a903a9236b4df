/** What is saved where lookups are reused and merged, in one process, turn by turn: `node test/bench/credits.ts`. */
import { buildAll } from '../../scripts/build.ts'
import { drive, median, p50, report, row } from './support.ts'

await buildAll()
const { startContactSandbox } = await import('../../shared/sandbox/contact/index.ts')
const { createDataSet } = await import('../../shared/sandbox/people/data-set.ts')
const { startMock } = await import('./support.ts')
const { createPack } = (await import(
  '../../dist/index.js' as string
)) as typeof import('../../shared/faces/library/index.ts')

const caller = { tenant: 'default' }
const rounds = 9
const { origin, stop } = await startMock('./lookup-mock.ts')

/** With the documented profile of a provider that answers at once, in a process of its own. */
const open = async () => {
  const wire = { 'contact-data': { baseUrl: origin, profile: 'lusha-v3', pace: { limits: [], concurrency: 64 } } }
  const pack = await createPack({ wire, egress: { privateOrigins: [origin] } })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Bench',
    secrets: { apiKey: '0'.repeat(32) },
  })
  let lookupCount = 0
  const look = async (over: { refresh?: boolean; merge?: boolean }, email: string) => {
    const outcome = await pack.steps.run(caller, {
      integration: 'contact-data',
      step: 'find-contact',
      input: { email },
      ...over,
    })
    if (!outcome.ok || (outcome.value as { matched: boolean }).matched !== true)
      throw new Error(`no match: ${JSON.stringify(outcome)}`)
    return outcome.meta
  }
  return {
    sent: (over = {}) =>
      look({ refresh: true, merge: false, ...over }, `mira.tanaka${(lookupCount += 1)}@harbour-tiles.example`),
    cached: async () => {
      if (!(await look({}, 'mira.tanaka@harbour-tiles.example')).cached) throw new Error('not from an earlier lookup')
    },
    first: () => look({}, 'mira.tanaka@harbour-tiles.example'),
    close: () => pack.close(),
  }
}

const { sent, cached, first, close } = await open()
await first()
for (const work of [sent, cached, sent, cached]) await drive(32, 1000, work)
const times = { sent: [] as number[], cached: [] as number[], alone: [] as number[], lone: [] as number[] }
for (let round = 0; round < rounds; round += 1) {
  times.sent.push((await drive(32, 500, () => sent())).cpuMs)
  times.cached.push((await drive(32, 500, cached)).cpuMs)
  times.alone.push(await p50(60, () => sent()))
  times.lone.push(await p50(60, () => sent({ merge: true })))
}
await close()
stop()

/** Requests that 100 lookups at once take, of which a sandbox keeps count. */
const requestsOf = async (mergeLookups: boolean) => {
  const sandbox = await startContactSandbox({ profile: 'people-data-labs', limits: { requests: 1_000_000 } })
  const pack = await createPack({
    wire: { 'contact-data': sandbox.override },
    egress: { privateOrigins: [sandbox.origin] },
    mergeLookups,
  })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Bench',
    secrets: sandbox.credentials,
  })
  sandbox.control.reset()
  const emails = createDataSet()
    .people.flatMap(({ workEmail }) => workEmail ?? [])
    .slice(0, 100)
  await Promise.all(
    emails.map((email) =>
      pack.steps.run(caller, { integration: 'contact-data', step: 'find-contact', input: { email } }),
    ),
  )
  const { requests, creditsCharged } = sandbox.control.counters()
  await Promise.all([pack.close(), sandbox.close()])
  return { requests, creditsCharged }
}
const apart = await requestsOf(false)
const together = await requestsOf(true)
if (apart.creditsCharged !== together.creditsCharged) throw new Error('merged lookups cost something else')

report('credits', [
  row(
    '100 lookups at once, requests of single calls / of merged ones',
    apart.requests / together.requests,
    'x',
    '>= 20',
  ),
  row(
    'a lone lookup that may be merged, time beside one that may not',
    median(times.lone.map((ms, at) => ms - times.alone[at]!)),
    'ms',
    '<= 10',
  ),
  row(
    'a lookup answered by an earlier one, CPU at 32 at once / a sent one',
    median(times.cached.map((ms, at) => ms / times.sent[at]!)),
    'x',
    '<= 0.3',
  ),
  row('CPU of a sent lookup at 32 at once', median(times.sent) * 1000, 'µs'),
])
