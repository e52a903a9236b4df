import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Pack } from '../../pack.ts'
import type { Log } from '../../runtime/ports/index.ts'
import { createHttp } from './app.ts'

export type ToolyardPluginOptions = {
  pack: Pack
  /** Shown in the OpenAPI document. */
  version?: string | undefined
  /** Public address of the mounted routes. */
  publicUrl?: string | undefined
  log?: Log | undefined
  /** Origins whose pages may show the connect pages in a frame, and are told how they ended; none when absent. */
  embedOrigins?: readonly string[] | undefined
}

/** The parts that the plugin uses of the host's Fastify app, which may be of another Fastify version. */
export type ToolyardHost = {
  prefix: string
  addHook(name: 'preClose', hook: () => Promise<void>): unknown
  removeAllContentTypeParsers(): void
  addContentTypeParser(
    type: '*',
    parser: (request: unknown, payload: unknown, done: (error: Error | null) => void) => void,
  ): unknown
  all(
    url: string,
    handler: (request: { raw: IncomingMessage }, reply: { raw: ServerResponse; hijack(): unknown }) => void,
  ): unknown
}

/**
 * The HTTP API of a pack inside another Fastify app: `app.register(toolyard, { prefix: '/toolyard', pack })`. It is
 * isolated: it has its own checks, error responses and limits, and the host's hooks and parsers do not see its
 * requests. Closing the host closes it; the host closes the pack.
 */
export const toolyard = async (
  host: ToolyardHost,
  { pack, version = '', publicUrl, log, embedOrigins }: ToolyardPluginOptions,
): Promise<void> => {
  const inner = await createHttp({ pack, version, log, publicUrl, prefix: host.prefix, embedOrigins })
  // Closed before the host waits for its connections, because open streams would delay it.
  host.addHook('preClose', async () => inner.close())
  // The inner app reads the body itself.
  host.removeAllContentTypeParsers()
  host.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const { prefix } = host
  const pass = (url: string) => {
    const remainingPath = url.slice(prefix.length)
    return remainingPath.startsWith('/') ? remainingPath : `/${remainingPath}`
  }
  for (const url of ['/', '/*']) {
    host.all(url, (request, reply) => {
      reply.hijack()
      request.raw.url = pass(request.raw.url ?? '/')
      inner.routing(request.raw, reply.raw)
    })
  }
}
export default toolyard
