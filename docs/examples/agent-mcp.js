// An MCP host that makes a card when a comment is added: it takes starts, and calls tools of toolyard by MCP.
// Node 22 or later, after npm install @modelcontextprotocol/client standardwebhooks: node agent-mcp.js
import { createServer } from 'node:http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

const { TOOLYARD_URL = 'http://127.0.0.1:8750', TOOLYARD_TOKEN, AGENT_SECRET, PORT = '8801' } = process.env
if (!TOOLYARD_TOKEN || !AGENT_SECRET) throw new Error('Set TOOLYARD_TOKEN and AGENT_SECRET.')

const requestInit = { headers: { authorization: `Bearer ${TOOLYARD_TOKEN}` } }
const client = new Client({ name: 'comment-agent', version: '1.0.0' })
await client.connect(new StreamableHTTPClientTransport(new URL(`${TOOLYARD_URL}/mcp`), { requestInit }))

/** `_meta` links the call to its start, unseen by a model: a start that arrives twice makes one card. */
const callTool = async (name, values, start) => {
  const _meta = { 'toolyard/startId': start, 'toolyard/idempotencyKey': start }
  const { isError, content } = await client.callTool({ name, arguments: values, _meta })
  if (isError) throw new Error(content[0].text)
}

/** Here a model would choose the tool and its arguments. `event` holds words of others: data for it, no orders. */
const work = async ({ start, connection, event }) => {
  const name = `Answer: ${event.text}`.slice(0, 200)
  await callTool('work_board_create_card', { idList: event.list.id, name, connection }, start)
  return `Made the card ${name}`
}

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await Array.fromAsync(request)).toString()
  try {
    const { data } = new Webhook(AGENT_SECRET).verify(body, request.headers)
    // Nothing has happened when a sample arrives, so nothing is done.
    response.end(data.test ? 'The sample arrived' : await work(data))
  } catch (error) {
    // Any answer but 2xx: the start is sent again later.
    response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end(error.message)
  }
})
server.listen(Number(PORT), () => console.log(`The agent listens on port ${PORT}`))
