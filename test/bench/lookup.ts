/**
 * A lookup through a ready profile against the documented one, in one process, turn by turn: `node
 * test/bench/lookup.ts`.
 */
import { buildAll } from '../../scripts/build.ts'
import { drive, median, report, row, startMock } from './support.ts'

await buildAll()
const { origin, stop } = await startMock('./lookup-mock.ts')
const { createPack } = (await import(
  '../../dist/index.js' as string
)) as typeof import('../../shared/faces/library/index.ts')

const caller = { tenant: 'default' }
/** Each looks for somebody else, alone: neither an earlier result nor another lookup is to answer it. */
let lookupCount = 0
const alone = () => ({
  input: { email: `mira.tanaka${(lookupCount += 1)}@harbour-tiles.example` },
  refresh: true,
  merge: false,
})
const place = { place: 'header', fields: { authorization: 'Bearer {apiKey}' } }
const unlimited = { pace: { limits: [], concurrency: 64 } }

const open = async (wire: Record<string, unknown>) => {
  const pack = await createPack({
    wire: { 'contact-data': { baseUrl: origin, ...unlimited, ...wire } },
    egress: { privateOrigins: [origin] },
  })
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Bench',
    secrets: { apiKey: '0'.repeat(32) },
  })
  const look = async () => {
    const outcome = await pack.steps.run(caller, { integration: 'contact-data', step: 'find-contact', ...alone() })
    if (!outcome.ok || (outcome.value as { matched: boolean }).matched !== true)
      throw new Error(`no match: ${JSON.stringify(outcome)}`)
  }
  return { look, close: () => pack.close() }
}

const documented = await open({ auth: { 'api-key': place } })
const vendor = await open({ profile: 'lusha-v3' })
const times = { documented: [] as number[], vendor: [] as number[] }
for (const { look } of [documented, vendor, documented, vendor]) await drive(32, 1500, look)
for (let round = 0; round < 15; round += 1) {
  times.documented.push((await drive(32, 600, documented.look)).cpuMs)
  times.vendor.push((await drive(32, 600, vendor.look)).cpuMs)
}
report('lookup', [
  row(
    'lookup through a ready profile, CPU at 32 at once, against the documented profile',
    median(times.vendor.map((ms, index) => ms / times.documented[index]!)),
    'x',
    '<= 1.1',
  ),
  row('CPU of a lookup through the documented profile at 32 at once', median(times.documented) * 1000, 'µs'),
])
await Promise.all([documented.close(), vendor.close()])
stop()
