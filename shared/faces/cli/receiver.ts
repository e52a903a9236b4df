import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fail } from '#kit'
import { readSignedStart } from '../../pack.ts'
import type { AgentStart } from '../../runtime/triggers/index.ts'

// An import statement of `node:http` would also load Node's own fetch.
const { createServer } = process.getBuiltinModule('node:http')

/** Larger than any start, which holds an event of up to 1 MiB and the data of its subject. In bytes. */
const maxBytes = 4 * 1024 * 1024

const readBody = async (request: IncomingMessage): Promise<string | undefined> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of request) {
    bytes += (part as Buffer).length
    if (bytes > maxBytes) return undefined
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString('utf8')
}

export type Receiver = {
  /** The address that receives starts. */
  url: string
  /** Sets the secret that starts are verified with; earlier starts wait for it. */
  expect(secret: string): void
  close(): Promise<void>
}

/**
 * A small agent on this machine. It verifies the signature of each start with the Standard Webhooks library and passes
 * each start on once, however often it is sent. `onForged` is called for a request without a valid signature.
 */
export const startReceiver = async (
  port: number,
  onStart: (start: AgentStart, key: string) => void,
  onForged: () => void,
): Promise<Receiver> => {
  const secret = Promise.withResolvers<string>()
  const seen = new Set<string>()

  const answer = async (request: IncomingMessage): Promise<number> => {
    if (request.method !== 'POST') return 405
    const body = await readBody(request)
    if (body === undefined) return 413
    try {
      const start = readSignedStart(await secret.promise, request.headers, body)
      const key = String(request.headers['webhook-id'])
      if (!seen.has(key)) onStart(start, key)
      seen.add(key)
      return 204
    } catch {
      onForged()
      return 401
    }
  }
  const server = createServer((request, response) => {
    answer(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        fail(
          'unavailable',
          `Cannot listen on port ${port} of this machine (${error.code}). Choose another with --port, or omit it to use any free port.`,
        ),
      ),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/start`,
    expect: secret.resolve,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
