/** A place on loopback that acknowledges deliveries as this vendor requires, or otherwise when told. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = {
  status: number
  contentType: string
  received: boolean
  timestamp: string | undefined
  /** Default: the id of the payload. */
  webhookId: string | undefined
  /** Replaces the JSON. */
  body: string | undefined
  hang: boolean
}

const asRequired: Answer = {
  status: 201,
  contentType: 'application/json',
  received: true,
  timestamp: '2023-11-14T22:13:20.000Z',
  webhookId: undefined,
  body: undefined,
  hang: false,
}

export const startAcknowledger = async () => {
  const received: { headers: IncomingMessage['headers']; body: string; json: any }[] = []
  const answer = { ...asRequired }
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString('utf8')
    const json = JSON.parse(body)
    received.push({ headers: request.headers, body, json })
    const { status, contentType, received: isReceived, timestamp, webhookId = json.id, body: text, hang } = answer
    if (hang) return
    response.writeHead(status, { 'content-type': contentType })
    response.end(text ?? JSON.stringify({ received: isReceived, timestamp, webhookId }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer,
    asRequired,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export type Acknowledger = Awaited<ReturnType<typeof startAcknowledger>>
