import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ClientCapabilities, ClientOptions } from '@modelcontextprotocol/client'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { HttpApp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

/** The two protocols: shaking hands, and every request by itself. */
export const eras = ['2025-11-25', '2026-07-28'] as const
export type Era = (typeof eras)[number]
export const caller = { tenant: 'default' }

export type Result = {
  isError?: boolean
  content: { type: string; text: string }[]
  structuredContent?: Record<string, any>
  _meta?: Record<string, any>
}
export type House = {
  pack: Pack
  http: HttpApp
  address: string
  sandbox: Sandbox
  token: string
  lines: Record<string, unknown>[]
  close(): Promise<void>
}

const wireOfSandbox = ({ wire }: Sandbox) => wire

/**
 * A server over a pack in memory, with an account of each sandbox. `change` stands between pack and server, `wireOf`
 * gives the operator's settings.
 */
export const openHouse = async ({
  change = (pack: Pack) => pack,
  connect = true,
  wireOf = wireOfSandbox,
} = {}): Promise<House> => {
  const sandbox = await startSandbox()
  const lines: Record<string, unknown>[] = []
  const log = (level: string, event: string, fields?: Record<string, unknown>) =>
    void lines.push({ level, event, ...fields })
  const pack = await createPack({
    wire: wireOf(sandbox),
    egress: { ownOrigins: sandbox.places.map(({ origin }) => origin) },
    log,
  })
  if (connect)
    for (const { integration, type, name, secrets } of sandbox.accounts)
      await pack.connections.create(caller, { integration, type, name, secrets })
  const http = await createHttp({ pack: change(pack), version: '9.9.9', log })
  const { text: token } = await pack.tokens.create('default', { name: 'Test' })
  const address = await http.listen({ host: '127.0.0.1', port: 0 })
  pack.servedAt(address)
  return {
    pack,
    http,
    address,
    sandbox,
    token,
    lines,
    async close() {
      await http.close()
      await pack.close()
      await sandbox.close()
    },
  }
}

export const newClient = (era: Era, capabilities: ClientCapabilities = {}, options: ClientOptions = {}) =>
  new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } }, ...options },
  )

export type Asked = {
  path?: string
  token?: string
  capabilities?: ClientCapabilities
  headers?: Record<string, string>
}

/** The official client, connected over HTTP. */
export const connect = async (
  house: House,
  era: Era,
  { path = '/mcp', token = house.token, capabilities, headers = {} }: Asked = {},
) => {
  const client = newClient(era, capabilities)
  await client.connect(
    new StreamableHTTPClientTransport(new URL(path, house.address), {
      requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
    }),
  )
  return client
}

export const withClient = async <T>(
  house: House,
  era: Era,
  work: (client: Client) => Promise<T>,
  options: Asked = {},
): Promise<T> => {
  const client = await connect(house, era, options)
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

const { people } = createDataSet()
/** Somebody whom both data providers know by every identifier. */
export const someone = people.find(
  ({ knownTo, suppressed, workEmail, linkedinSlug, company }) =>
    knownTo.length === 2 && !suppressed && workEmail && linkedinSlug && company.abn && company.knownTo.length === 2,
)!
/** People whom the second provider knows by address. */
export const many = people.filter(
  ({ knownTo, suppressed, workEmail }) => knownTo.includes('contact') && !suppressed && workEmail !== undefined,
)

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
