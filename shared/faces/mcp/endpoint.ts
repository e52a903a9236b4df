import { isJsonContentType } from '@modelcontextprotocol/server'
import { failField, inputLimits, jsonExcess, sayExcess } from '#kit'
import type { JsonLimits } from '#kit'
import { requireToolSet } from '../../pack.ts'
import type { Pack } from '../../pack.ts'
import type { Caller, Log } from '../../runtime/ports/index.ts'
import type { EventSource } from './events.ts'
import { createMcp } from './server.ts'
import type { View } from './server.ts'
import { isHash } from './tools.ts'
import { createTransport } from './transport.ts'
import type { Sender, Transport } from './transport.ts'

export type EndpointOptions = {
  pack: Pack
  version: string
  log: Log
  /** Source of recent events; the pack itself when absent. */
  events?: EventSource | undefined
}

/** What the URL of a request narrows the tools to. */
export type UrlFilter = {
  integration: string | undefined
  tools: string | string[] | undefined
  set: string | string[] | undefined
  approved: string | string[] | undefined
}

export type Endpoint = {
  transport: Transport
  /**
   * The sender of a request, with the tools it may see.
   * @throws Failure `not_found` for an unknown integration; `invalid_input` for an unknown tool or set, or a malformed
   * hash
   */
  senderFor(caller: Caller, query: UrlFilter): Sender
}

const readTools = (queryValue: string | string[], knownNames: string[]): string[] => {
  const tools = [queryValue]
    .flat()
    .flatMap((names) => names.split(','))
    .map((name) => name.trim())
    .filter(Boolean)
  const unknown = tools.filter((name) => !knownNames.includes(name))
  if (unknown.length > 0)
    throw failField(
      '/query/tools',
      `tools= names unknown tools: ${unknown.map((name) => name.slice(0, 80)).join(', ')}. Known tools: ${knownNames.join(', ')}.`,
    )
  return tools
}

const readSet = ({ registry }: Pack, queryValue: string | string[], integration: string | undefined): string => {
  const [set = ''] = [queryValue].flat()
  requireToolSet(integration === undefined ? registry.all : [registry.integration(integration)], set, '/query/set')
  return set
}

const readHash = (queryValue: string | string[]): string => {
  if (typeof queryValue === 'string' && isHash(queryValue)) return queryValue
  throw failField(
    '/query/approved',
    'approved= must be the hash of a tool list: 64 hex digits, as tools/list returns it in _meta "toolyard/hash".',
  )
}

/** MCP over Streamable HTTP, to be mounted in an HTTP server, which decides who may call. */
export const createEndpoint = ({ pack, version, log, events }: EndpointOptions): Endpoint => {
  const now = () => performance.now()
  const mcp = createMcp({ pack, version, log, now, events })
  const viewOf = (authInfo: Sender['authInfo'] | undefined) => authInfo?.extra?.view as View
  const transport = createTransport({
    factory: ({ authInfo, era }) => mcp.makeServer(viewOf(authInfo), { stream: false, era }),
    busFor: ({ authInfo }) => ({
      publish: () => {},
      subscribe: (listener) => mcp.watch(viewOf(authInfo), (uri) => listener({ kind: 'resource_updated', uri })),
    }),
    onError: (error) => log('debug', 'mcp.refused', { error: error.message.slice(0, 200) }),
    now,
  })
  return {
    transport,
    senderFor(caller, { integration, tools, set, approved }) {
      if (integration !== undefined) pack.registry.integration(integration)
      const view: View = {
        caller,
        integration,
        ...(approved === undefined ? {} : { approved: readHash(approved) }),
        ...(set === undefined ? {} : { set: readSet(pack, set, integration) }),
        ...(tools === undefined ? {} : { tools: readTools(tools, mcp.toolNames) }),
      }
      // A renewed token belongs to the same client.
      const { expiresAt: _, ...allowed } = caller
      return {
        // Includes everything the token allows, so that no session outlives a narrower token of the same person.
        client: JSON.stringify(allowed),
        tenant: caller.tenant,
        authInfo: { token: '', clientId: caller.token ?? '', scopes: caller.scopes ?? [], extra: { view } },
      }
    },
  }
}

const tooMuch = (excess: keyof JsonLimits) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32600, message: `Invalid Request: the request body holds ${sayExcess(excess, inputLimits)}` },
})
const parseError = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32700, message: 'Parse error: the request body is not valid JSON' },
}

/**
 * Parses the message in a request body. Only a body declared as JSON is parsed; the transport refuses other media
 * types.
 */
export const readMessage = (body: unknown, type: string | undefined): { value: unknown } | { refusal: object } => {
  if (!Buffer.isBuffer(body) || !isJsonContentType(type)) return { value: undefined }
  const excess = jsonExcess(body, inputLimits)
  if (excess) return { refusal: tooMuch(excess) }
  try {
    return { value: JSON.parse(body.toString()) as unknown }
  } catch {
    return { refusal: parseError }
  }
}
