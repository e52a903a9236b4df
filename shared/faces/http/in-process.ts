import { Readable } from 'node:stream'
import type { Pack } from '../../pack.ts'
import type { Caller } from '../../runtime/ports/index.ts'
import { createHttp } from './app.ts'
import type { HttpOptions } from './app.ts'

type OnProgress = (done: number, total?: number) => void

export type InProcess = {
  /** Responds to a request as the server would, without a socket. The host in its URL does not matter. */
  answer(request: Request): Promise<Response>
  /** Reports the progress of step runs, which the HTTP API does not. */
  onProgress(listener: OnProgress): void
  close(): Promise<void>
}

type Options = Pick<HttpOptions, 'pack' | 'version' | 'log' | 'publicUrl' | 'recorder'> & {
  /** The caller of all requests; no token is read. */
  caller: Caller
  /** Cancels step runs. The request is still answered, so that the caller learns how the run ended. */
  signal: AbortSignal
}

/** A file is streamed; other bodies are small, and reading them gives their length. */
const payloadOf = async (request: Request): Promise<Readable | Buffer> =>
  request.body && request.headers.get('content-type') === 'application/octet-stream'
    ? Readable.fromWeb(request.body as import('node:stream/web').ReadableStream)
    : Buffer.from(await request.arrayBuffer())

/** The HTTP API for requests from this process itself, such as the command line makes when no server runs. */
export const createInProcess = async ({ pack, caller, signal, ...options }: Options): Promise<InProcess> => {
  let report: OnProgress = () => {}
  const run: Pack['steps']['run'] = (by, call) =>
    pack.steps.run(by, { ...call, signal, onProgress: (done, total) => report(done, total) })
  const own = { ...pack, tokens: { ...pack.tokens, authenticate: async () => caller }, steps: { ...pack.steps, run } }
  const app = await createHttp({ ...options, pack: own, mcp: false })
  return {
    async answer(request) {
      const { pathname, search } = new URL(request.url)
      const reply = await app.inject({
        method: request.method as 'GET',
        url: pathname + search,
        // An invalid host, because it is never repeated in a response.
        headers: { ...Object.fromEntries(request.headers), host: '?' },
        payload: await payloadOf(request),
        payloadAsStream: true,
      })
      const headers = Object.entries(reply.headers).map(([name, value]): [string, string] => [name, String(value)])
      const body =
        reply.statusCode === 204
          ? null
          : (Readable.toWeb(reply.stream()) as unknown as NonNullable<ConstructorParameters<typeof Response>[0]>)
      return new Response(body, { status: reply.statusCode, headers })
    },
    onProgress: (listener) => void (report = listener),
    close: () => app.close(),
  }
}
