/** Pages for people: static files that a sandbox serves on its own port. */
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { namesThisHost } from './callers.ts'

/** In the package this module is a part of dist/toolyard.js, and the files are in dist/pages. */
const folder = new URL('./pages/', import.meta.url)
const types = { html: 'text/html', css: 'text/css', js: 'text/javascript' }

const headers = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

export const notThisHost = { message: 'this page answers to this machine only' }

const send = (reply: FastifyReply, name: string) =>
  reply
    .headers(headers)
    .header('content-type', `${types[name.split('.').at(-1) as keyof typeof types]}; charset=utf-8`)
    .send(readFileSync(new URL(name, folder), 'utf8'))

/** Serves each file at its path. */
export const servePages = (app: FastifyInstance, files: Record<string, string>): void => {
  for (const [path, name] of Object.entries(files))
    app.get(path, async (request, reply) =>
      namesThisHost(request) ? send(reply, name) : reply.code(403).send(notThisHost),
    )
  app.get('/favicon.ico', async (_, reply) => reply.code(204).send())
}
