/** A served world with an account at each sandbox, and the official client of MCP. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ClientCapabilities, ClientOptions } from '@modelcontextprotocol/client'
import { openHttpWorld } from './http-world.ts'
import type { HttpWorldOptions } from './http-world.ts'

/** The two protocols: shaking hands, and every request by itself. */
export const eras = ['2025-11-25', '2026-07-28'] as const
export type Era = (typeof eras)[number]

export type Result = {
  isError?: boolean
  content: { type: string; text: string }[]
  structuredContent?: Record<string, any>
  _meta?: Record<string, any>
}

export const openMcpWorld = async ({ http, ...options }: HttpWorldOptions = {}) => {
  const world = await openHttpWorld({
    accounts: 'all',
    newToken: { name: 'Test' },
    http: { version: '9.9.9', ...http },
    ...options,
  })
  const address = await world.listen()
  world.pack.servedAt(address)
  return { ...world, address }
}
export type McpWorld = Awaited<ReturnType<typeof openMcpWorld>>

export const newClient = (era: Era, capabilities: ClientCapabilities = {}, options: ClientOptions = {}) =>
  new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } }, ...options },
  )

export type ClientChoice = {
  path?: string
  token?: string
  capabilities?: ClientCapabilities
  headers?: Record<string, string>
}

/** The official client, connected over HTTP. */
export const connect = async (
  { address, token: everything }: Pick<McpWorld, 'address' | 'token'>,
  era: Era,
  { path = '/mcp', token = everything, capabilities, headers = {} }: ClientChoice = {},
) => {
  const client = newClient(era, capabilities)
  await client.connect(
    new StreamableHTTPClientTransport(new URL(path, address), {
      requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
    }),
  )
  return client
}

export const withClient = async <T>(
  world: Pick<McpWorld, 'address' | 'token'>,
  era: Era,
  work: (client: Client) => Promise<T>,
  choice: ClientChoice = {},
): Promise<T> => {
  const client = await connect(world, era, choice)
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

export const call = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  meta?: Record<string, unknown>,
): Promise<Result> =>
  (await client.callTool({ name, arguments: args, ...(meta ? { _meta: meta } : {}) })) as unknown as Result

/**
 * What a failed call tells a program. It stands beside the text and never in structured content, which has to keep to
 * the output schema.
 */
export const failureOf = (result: Result): Record<string, any> => {
  if (result.isError !== true || 'structuredContent' in result)
    throw new Error(`not a failed result: ${JSON.stringify(result).slice(0, 500)}`)
  return result._meta!['toolyard/failure']
}
export const textOf = ({ content }: Result) => content.map(({ text }) => text).join('\n')
export const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

/** An answer holds its data twice, and hosts pass on one of the two: the larger one counts. */
export const sizeOf = ({ content, structuredContent }: Result) =>
  Math.max(
    bytesOf(structuredContent),
    // Links to files have no text.
    content.reduce(
      (sum, part) => sum + (typeof part.text === 'string' ? Buffer.byteLength(part.text) : bytesOf(part)),
      0,
    ),
  )
