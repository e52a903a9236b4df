import type { FastifyReply, FastifyRequest } from 'fastify'
import { failField, isFailure, toFailureJson } from '#kit'
import type { FailureJson } from '#kit'
import type { Pack } from '../../pack.ts'
import type { Caller, Log } from '../../runtime/ports/index.ts'
import type { AddressOf } from '../http/address.ts'
import { authorize } from '../http/auth.ts'
import type { HttpApp } from '../http/parts.ts'
import { problemOf } from '../http/problem.ts'
import type { EventSource } from './events.ts'
import { mountMcp } from './mount.ts'
import { createMcp } from './server.ts'
import type { View } from './server.ts'
import { isHash } from './tools.ts'
import { createTransport } from './transport.ts'
import type { Sender } from './transport.ts'

export type McpRoutes = {
  pack: Pack
  version: string
  log: Log
  publicUrl: string | undefined
  addressOf: AddressOf
  /** Recent events; those of the pack when absent. */
  events?: EventSource | undefined
}

const wellKnown = '/.well-known/oauth-protected-resource'
const bearer = (header: string | undefined) => /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1] ?? ''

/** A refusal that tells a host where to learn how to ask for access (RFC 9728). */
const sendChallenge = (request: FastifyRequest, reply: FastifyReply, failure: FailureJson, addressOf: AddressOf) => {
  request.code = failure.code
  const { status, headers, body } = problemOf(failure)
  const path = new URL(request.url, 'http://mcp.internal').pathname
  const error =
    failure.code === 'not_allowed' ? 'error="insufficient_scope", scope="run", ' : bearer(request.headers.authorization) === '' ? '' : 'error="invalid_token", '
  const challenge = `Bearer realm="toolyard", ${error}resource_metadata="${addressOf(request)}${wellKnown}${path}"`
  return reply
    .code(status)
    .headers({ ...headers, 'www-authenticate': challenge })
    .type('application/problem+json')
    .serializer(String)
    .send(JSON.stringify(body))
}

const readView = (request: FastifyRequest, caller: Caller, pack: Pack, toolNames: string[]): View => {
  const { integration } = request.params as { integration?: string }
  if (integration !== undefined) pack.registry.integration(integration)
  const { tools: given, approved: hash } = request.query as { tools?: string | string[]; approved?: string | string[] }
  if (hash !== undefined && !(typeof hash === 'string' && isHash(hash)))
    throw failField('/query/approved', 'approved= is the hash of a tool list: 64 hex digits, as tools/list gives it in _meta "toolyard/hash".')
  const approved = hash === undefined ? {} : { approved: hash }
  if (given === undefined) return { caller, integration, ...approved }
  const tools = [given]
    .flat()
    .flatMap((names) => names.split(','))
    .map((name) => name.trim())
    .filter(Boolean)
  const unknown = tools.filter((name) => !toolNames.includes(name))
  if (unknown.length > 0)
    throw failField(
      '/query/tools',
      `tools= names what is no tool here: ${unknown.map((name) => name.slice(0, 80)).join(', ')}. There are: ${toolNames.join(', ')}.`,
    )
  return { caller, integration, tools, ...approved }
}

/** MCP at `/mcp` and `/mcp/{integration}`, and the metadata that tell hosts how it is protected. */
export const mcpRoutes = (app: HttpApp, { pack, version, log, publicUrl, addressOf, events }: McpRoutes) => {
  const now = () => performance.now()
  const mcp = createMcp({ pack, version, log, now, events })
  const viewOf = (authInfo: Sender['authInfo'] | undefined) => authInfo?.extra?.view as View

  const transport = createTransport({
    factory: ({ authInfo }) => mcp.makeServer(viewOf(authInfo), { stream: false }),
    busFor: ({ authInfo }) => ({
      publish: () => {},
      subscribe: (listener) => mcp.watch(viewOf(authInfo).caller, (uri) => listener({ kind: 'resource_updated', uri })),
    }),
    onError: (error) => log('debug', 'mcp.refused', { error: error.message.slice(0, 200) }),
    now,
  })

  const identify = async (request: FastifyRequest, reply: FastifyReply): Promise<Sender | undefined> => {
    try {
      const caller = (await authorize(pack, ['run', 'read'], request))!
      request.caller = caller
      const view = readView(request, caller, pack, mcp.toolNames)
      return {
        // All that the token allows, so that no session outlives a narrower token of the same person.
        client: JSON.stringify(caller),
        tenant: caller.tenant,
        authInfo: { token: '', clientId: caller.token ?? '', scopes: caller.scopes ?? [], extra: { view } },
      }
    } catch (thrown) {
      if (!isFailure(thrown) || (thrown.code !== 'unauthenticated' && thrown.code !== 'not_allowed')) throw thrown
      sendChallenge(request, reply, toFailureJson(thrown), addressOf)
      return undefined
    }
  }

  mountMcp(app, { paths: ['/mcp', '/mcp/:integration'], transport, publicUrl, identify })
  for (const path of ['', '/mcp', '/mcp/:integration']) {
    app.get(`${wellKnown}${path}`, { config: { access: 'public' }, schema: { hide: true } }, async (request) => {
      const { integration } = request.params as { integration?: string }
      if (integration !== undefined) pack.registry.integration(integration)
      return {
        resource: `${addressOf(request)}/mcp${integration === undefined ? '' : `/${integration}`}`,
        resource_name: 'toolyard',
        ...(pack.issuer === undefined ? {} : { authorization_servers: [pack.issuer] }),
        bearer_methods_supported: ['header'],
        scopes_supported: ['run', 'read'],
      }
    })
  }
}
