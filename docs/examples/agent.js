// An agent that makes a card when a comment is added. Node 22 or later, no packages: node agent.js
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { TOOLYARD_URL = 'http://127.0.0.1:8750', TOOLYARD_TOKEN, AGENT_SECRET, PORT = '8801' } = process.env
if (!TOOLYARD_TOKEN || !AGENT_SECRET) throw new Error('Set TOOLYARD_TOKEN and AGENT_SECRET.')
const authorization = `Bearer ${TOOLYARD_TOKEN}`

/** Standard Webhooks: while the secret is rotated there are two signatures, and one of them matches. */
const isSigned = ({ 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures = '' }, body) => {
  const key = Buffer.from(AGENT_SECRET.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest()
  const claims = signatures.split(' ').map((signature) => Buffer.from(signature.replace('v1,', ''), 'base64'))
  const isGenuine = claims.some((claim) => claim.length === expected.length && timingSafeEqual(claim, expected))
  return isGenuine && Math.abs(Date.now() / 1000 - Number(at)) < 300
}

/** A start that arrives twice makes one card, and what the card changes starts no agent in turn. */
const makeCard = async ({ start, connection, event }) => {
  const headers = { authorization, 'content-type': 'application/json', 'start-id': start, 'idempotency-key': start }
  const input = { idList: event.list.id, name: `Answer: ${event.text}`.slice(0, 200) }
  const body = JSON.stringify({ connection, input })
  const response = await fetch(`${TOOLYARD_URL}/v1/steps/work-board/create-card/run`, { method: 'POST', headers, body })
  const { output, detail } = await response.json()
  if (!response.ok) throw new Error(detail)
  return `Made the card ${output.name}`
}

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString()
  if (!isSigned(request.headers, body)) return response.writeHead(401).end('The signature does not match AGENT_SECRET')
  const { data } = JSON.parse(body)
  try {
    // Nothing has happened when a sample arrives. After any answer but 2xx, the start is sent again later.
    response.end(data.test ? 'The sample arrived' : await makeCard(data))
  } catch (error) {
    response.writeHead(500).end(error.message)
  }
})
server.listen(Number(PORT), () => console.log(`The agent listens on port ${PORT}`))
