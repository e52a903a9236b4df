/** The same request with nothing but undici. Arguments as of `step.js`. */
import { enableCompileCache } from 'node:module'

const [origin, cache] = process.argv.slice(2)
enableCompileCache(cache)
const { request } = await import('undici')

const headers = {
  authorization: `OAuth oauth_consumer_key="${'0'.repeat(32)}", oauth_token="${'0'.repeat(64)}"`,
  'content-type': 'application/json',
}
const body = JSON.stringify({
  idList: '2'.padStart(24, '0'),
  name: 'Call the printer',
  desc: 'About the second proof',
  pos: 1,
  due: '2026-12-01T09:00:00.000Z',
})
const reply = await request(`${origin}/1/cards`, { method: 'POST', headers, body })
const card = await reply.body.json()
if (reply.statusCode !== 200 || typeof card.id !== 'string') throw new Error(`The mock answered ${reply.statusCode}.`)
process.stdout.write(`${process.memoryUsage().rss}\n`, () => process.exit())
