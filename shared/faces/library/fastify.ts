import type { FastifyPluginAsync } from 'fastify'
import type { Pack } from '../../pack.ts'
import type { Log } from '../../runtime/ports.ts'
import { createHttp } from '../http/index.ts'

export type ToolyardPluginOptions = {
  pack: Pack
  /** Shown in the OpenAPI document. */
  version?: string | undefined
  /** Where the mounted routes are reached from outside. */
  publicUrl?: string | undefined
  log?: Log | undefined
}

/**
 * The HTTP API of a pack inside another Fastify app: `app.register(toolyard, { prefix: '/toolyard', pack })`.
 * It keeps to itself: its own checks, error answers and limits, and the host's hooks and parsers do not see its requests.
 * Closing the host closes it; the pack stays the host's to close.
 */
export const toolyard: FastifyPluginAsync<ToolyardPluginOptions> = async (host, { pack, version = '', publicUrl, log }) => {
  const inner = await createHttp({ pack, version, log, publicUrl })
  // Before the host waits for its connections: streams that are open here would keep it waiting.
  host.addHook('preClose', async () => inner.close())
  // The inner app reads the body itself.
  host.removeAllContentTypeParsers()
  host.addContentTypeParser('*', (_request, _payload, done) => done(null))
  const { prefix } = host
  const pass = (url: string) => {
    const rest = url.slice(prefix.length)
    return rest.startsWith('/') ? rest : `/${rest}`
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
