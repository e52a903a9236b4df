/** A process of its own: from nothing to the first completed Create Card with the built library. Arguments: origin of the mock, folder of the compile cache, folder of the library
 * (else this build). */
import { enableCompileCache } from 'node:module'

const [origin, cache, dist] = process.argv.slice(2)
enableCompileCache(cache)
const { createPack } = await import(dist ? `file://${dist}/index.js` : '../../../dist/index.js')

const caller = { tenant: 'default' }
const pack = await createPack({ wire: { 'work-board': { baseUrl: origin } }, egress: { privateOrigins: [origin] } })
await pack.connections.create(caller, {
  integration: 'work-board',
  type: 'key-token',
  name: 'Bench',
  secrets: { key: '0'.repeat(32), token: '0'.repeat(64) },
})
const input = {
  idList: '2'.padStart(24, '0'),
  name: 'Call the printer',
  desc: 'About the second proof',
  pos: '1',
  due: '2026-12-01T09:00:00.000Z',
}
const outcome = await pack.steps.run(caller, { integration: 'work-board', step: 'create-card', input })
if (!outcome.ok) throw new Error(outcome.failure.message)
process.stdout.write(`${process.memoryUsage().rss}\n`, () => process.exit())
