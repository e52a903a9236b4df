/** Serves the files of the console. They are the same for everybody and contain no data, so they need no token. */
import type { FastifyReply } from 'fastify'
import { fail, z } from '#kit'
import type { AddressOf } from './address.ts'
import { html } from './connect/html.ts'
import type { HttpApp } from './parts.ts'
import { makeStaticReply, sendStaticReply } from './static-reply.ts'
import type { StaticReply } from './static-reply.ts'

/** Files by their path below /console/; `index.html` holds `{root}` in place of that path, and `{login}`. */
export type ConsoleFiles = Map<string, Buffer>

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
}
const policy =
  "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'; require-trusted-types-for 'script'"
const pageHeaders = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}
const yearSeconds = 31_536_000

/** Reads the files once, at the first request; after a failed read, the next request tries again. */
const readOnce = (read: () => Promise<ConsoleFiles>) => {
  let files: Promise<Map<string, StaticReply>> | undefined
  const serve = async () => {
    const pairs = [...(await read())].map(async ([name, bytes]): Promise<[string, StaticReply]> => {
      const type = types[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
      return [name, await makeStaticReply(type, bytes)]
    })
    return new Map(await Promise.all(pairs))
  }
  return () => {
    files ??= serve().catch((thrown: unknown) => {
      files = undefined
      throw thrown
    })
    return files
  }
}

type ConsoleOptions = {
  addressOf: AddressOf
  read: () => Promise<ConsoleFiles>
  /** What people know the OpenID provider as that signs them in, if there is one. */
  login?: string | undefined
}

/** Routes of the console: its page at every address below /console/, and its files. */
export const consoleRoutes = (app: HttpApp, { addressOf, read, login = '' }: ConsoleOptions) => {
  const config = { access: 'public' as const }
  const files = readOnce(read)
  // The redirect is relative, so that it works behind any proxy.
  app.get('/console', { config, schema: { hide: true } }, async (_request, reply) =>
    (reply as FastifyReply).code(308).header('location', 'console/').send(),
  )
  app.get(
    '/console/*',
    { config, schema: { hide: true, params: z.object({ '*': z.string() }) } },
    async (request, reply) => {
      const name = request.params['*']
      const all = await files()
      const file = name === 'index.html' ? undefined : all.get(name)
      if (file) {
        const isHashed = /-[A-Z0-9]{8}\.\w+$/.test(name)
        reply.header('cache-control', isHashed ? `public, max-age=${yearSeconds}, immutable` : 'public, max-age=3600')
        reply.header('vary', 'accept-encoding')
        return sendStaticReply(reply as FastifyReply, file, request.headers['accept-encoding'])
      }
      // A page may still be open after an upgrade has replaced its files.
      if (/\.(js|css|svg|map|txt)$/.test(name))
        throw fail('not_found', 'The console has no such file. Reload the page: the server may have been upgraded.')
      const root = `${new URL(addressOf(request), 'http://host').pathname.replace(/\/$/, '')}/console/`
      const text = all.get('index.html')!.bytes.toString()
      const bytes = Buffer.from(text.replaceAll('{root}', root).replace('{login}', () => html`${login}`.html))
      return (reply as FastifyReply).headers(pageHeaders).type(types['html']!).serializer(String).send(bytes)
    },
  )
}
