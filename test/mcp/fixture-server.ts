/**
 * A server with everything the conformance runner asks for, on the very transport the pack is served by: what passes
 * here is the transport's. What the tools and prompts are called and answer is laid down by the runner.
 */
import type { AddressInfo } from 'node:net'
import { createRequestStateCodec, InMemoryServerEventBus, McpServer } from '@modelcontextprotocol/server'
import type { McpRequestContext } from '@modelcontextprotocol/server'
import Fastify from 'fastify'
import { mountMcp } from '../../shared/faces/http/mcp.ts'
import { createTransport } from '../../shared/faces/mcp/transport.ts'
import { failures, isFailure } from '../../shared/kit/index.ts'
import { addAskingTools } from './fixture-asking.ts'
import { addPrompts, addResources } from './fixture-contents.ts'
import { addTools } from './fixture-tools.ts'

const key = 'a key that only signs states of this fixture server'

const makeServer = (bus: InMemoryServerEventBus) => (context: McpRequestContext) => {
  const states = createRequestStateCodec({ key })
  const server = new McpServer(
    { name: 'fixture', version: '1.0.0' },
    {
      // What is kept of the protocol of 2025 only is declared where that is spoken.
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        ...(context.era === 'legacy' ? { logging: {} } : {}),
      },
      requestState: { verify: states.verify },
      cacheHints: { 'tools/list': { ttlMs: 1000, cacheScope: 'private' } },
    },
  )
  addTools(server, context, bus)
  addAskingTools(server, context, states)
  addPrompts(server)
  addResources(server)
  return server
}

/** Starts it on a free port of the loopback address. */
export const startFixture = async () => {
  const bus = new InMemoryServerEventBus()
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) =>
    isFailure(error) ? reply.code(failures[error.code].status).send({ code: error.code }) : reply.send(error),
  )
  const transport = createTransport({
    factory: makeServer(bus),
    busFor: () => bus,
    onError: () => {},
    now: () => performance.now(),
  })
  mountMcp(app, {
    paths: ['/mcp'],
    transport,
    publicUrl: undefined,
    identify: async () => ({
      client: 'anyone',
      tenant: 'default',
      authInfo: { token: '', clientId: 'anyone', scopes: [] },
    }),
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/mcp`, close: () => app.close() }
}
