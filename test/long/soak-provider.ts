/** The board and the agent of the soaks. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Pool } from 'undici'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'

/** The list where the runs create their cards. */
export const list = '000000000000000000000001'

export const serve = async (
  answer: (method: string, url: string, body: Buffer) => Promise<{ status: number; body: Buffer | string }>,
) => {
  const server = createServer(async (request, response) => {
    const { status, body } = await answer(request.method ?? '', request.url ?? '', await buffer(request))
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The board of the sandbox, where cards are created without being there afterwards: it would grow too. */
export const openProvider = async () => {
  let polls = 0
  const sandbox = await startBoardSandbox()
  const card = JSON.stringify({
    id: '7'.repeat(24),
    name: 'Call the printer',
    idList: list,
    idBoard: '9'.repeat(24),
    desc: 'x'.repeat(400),
    closed: false,
  })
  const pool = new Pool(sandbox.origin)
  const { origin, close } = await serve(async (method, url, body) => {
    if (method === 'POST' && url.startsWith('/1/cards')) return { status: 200, body: card }
    if (url.startsWith('/1/members/me/boards')) {
      polls += 1
      return { status: 200, body: '[]' }
    }
    const { key, token } = sandbox.credentials
    const headers = {
      authorization: `OAuth oauth_consumer_key="${key}", oauth_token="${token}"`,
      ...(body.length > 0 ? { 'content-type': 'application/json' } : {}),
    }
    const reply = await pool.request({
      method: method as 'GET',
      path: url,
      headers,
      ...(body.length > 0 ? { body } : {}),
    })
    return { status: reply.statusCode, body: Buffer.from(await reply.body.arrayBuffer()) }
  })
  return {
    sandbox,
    origin,
    polls: () => polls,
    async close() {
      close()
      await pool.close()
      await sandbox.close()
    },
  }
}
export type Provider = Awaited<ReturnType<typeof openProvider>>
