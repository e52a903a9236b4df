/**
 * The clients and hosts of docs/mcp-hosts.md, each as its own documents say it is used. All of them give what their
 * model reads.
 */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect } from '../../support/mcp-world.ts'
import type { McpWorld } from '../../support/mcp-world.ts'

/** A host that is connected. */
export type Seat = {
  list(): Promise<string[]>
  /** What the model reads as the result of a call, part by part. Rejects when the host gives it none. */
  call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<string[]>
  close(): Promise<unknown>
}
/** `folder`: for what a host writes. */
export type Surroundings = { world: McpWorld; tools: string; entry: string; folder: string }
export type Host = {
  name: string
  /** It can only be ended, which the protocol does not count as cancelling: the call goes on. */
  cannotCancel?: true
  sit(surroundings: Surroundings): Promise<Seat>
}

type Module = Record<string, any>
const load = async (tools: string, name: string): Promise<Module> => {
  const loader = (await import(pathToFileURL(join(tools, 'load.mjs')).href)) as { load(name: string): Promise<Module> }
  return loader.load(name)
}
type Content = { type: string; text?: string }[]
const textsOf = (content: Content) => content.flatMap(({ text }) => text ?? [])
const bearer = ({ token }: McpWorld) => ({ authorization: `Bearer ${token}` })
const urlOf = ({ address }: McpWorld) => new URL('/mcp', address)
const command = ({ world, entry }: Surroundings) => ({
  command: process.execPath,
  args: [entry, 'mcp'],
  env: { TOOLYARD_URL: world.address, TOOLYARD_TOKEN: world.token },
})

/** A client of SDK version 1 that lists tools first, as hosts do: from then on it holds answers to their schemas. */
const firstSdk = async (tools: string, transport: (module: Module) => unknown): Promise<Seat> => {
  const parts = ['client/index.js', 'client/streamableHttp.js', 'client/stdio.js']
  const module = Object.assign(
    {},
    ...(await Promise.all(parts.map((part) => load(tools, `@modelcontextprotocol/sdk/${part}`)))),
  ) as Module
  const client = new module.Client({ name: 'test', version: '1' })
  await client.connect(transport(module))
  const list = async () => ((await client.listTools()).tools as { name: string }[]).map(({ name }) => name)
  await list()
  return {
    list,
    call: async (name, args, signal) =>
      textsOf((await client.callTool({ name, arguments: args }, undefined, { signal })).content as Content),
    close: () => client.close(),
  }
}

const inspector = ({ world, tools, folder }: Surroundings): Seat => {
  const config = join(folder, 'hosts.json')
  writeFileSync(
    config,
    JSON.stringify({
      mcpServers: { toolyard: { type: 'streamable-http', url: urlOf(world).href, headers: bearer(world) } },
    }),
  )
  const launcher = join(tools, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')
  const ask = (args: string[], signal?: AbortSignal) =>
    new Promise<Module>((done, failed) => {
      const whole = [launcher, '--cli', '--config', config, '--server', 'toolyard', ...args]
      const child = spawn(process.execPath, whole, {
        env: { ...process.env, HOME: folder },
        stdio: ['ignore', 'pipe', 'pipe'],
        signal,
        killSignal: 'SIGINT',
      })
      let [out, err] = ['', '']
      child.stdout!.setEncoding('utf8').on('data', (part: string) => (out += part))
      child.stderr!.setEncoding('utf8').on('data', (part: string) => (err += part))
      child.on('error', failed).on('close', (code) => {
        try {
          done(JSON.parse(out) as Module)
        } catch {
          failed(new Error(`ended with ${code}: ${out}${err}`))
        }
      })
    })
  const argument = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  return {
    list: async () => ((await ask(['--method', 'tools/list'])).tools as { name: string }[]).map(({ name }) => name),
    async call(name, args, signal) {
      const toolArguments = Object.entries(args).flatMap(([field, value]) => [
        '--tool-arg',
        `${field}=${argument(value)}`,
      ])
      return textsOf(
        (await ask(['--method', 'tools/call', '--tool-name', name, ...toolArguments], signal)).content as Content,
      )
    },
    close: async () => undefined,
  }
}

const langChain = async ({ world, tools }: Surroundings): Promise<Seat> => {
  const [{ MultiServerMCPClient }, { ToolNode }, { AIMessage }] = (await Promise.all(
    ['@langchain/mcp-adapters', '@langchain/langgraph/prebuilt', '@langchain/core/messages'].map((name) =>
      load(tools, name),
    ),
  )) as [Module, Module, Module]
  const client = new MultiServerMCPClient({
    mcpServers: {
      toolyard: { transport: 'http', url: urlOf(world).href, headers: bearer(world), automaticSSEFallback: false },
    },
  })
  const offered = (await client.getTools()) as { name: string }[]
  const node = new ToolNode(offered)
  return {
    list: async () => offered.map(({ name }) => name),
    async call(name, args, signal) {
      const message = new AIMessage({ content: '', tool_calls: [{ id: 'call', name, args }] })
      const { messages } = await node.invoke({ messages: [message] }, { signal })
      const { content } = messages[0] as { content: string | Content }
      return typeof content === 'string' ? [content] : textsOf(content)
    },
    close: () => client.close(),
  }
}

type ModelOutput = { type: string; value: unknown }
/** A tool result as the AI SDK gives it to a model. */
const partsOf = ({ type, value }: ModelOutput): string[] => {
  if (type === 'content') return textsOf(value as Content)
  return [type === 'text' || type === 'error-text' ? (value as string) : JSON.stringify(value)]
}

const mastra = async ({ world, tools }: Surroundings): Promise<Seat> => {
  const [{ MCPClient }, { noopLogger }] = (await Promise.all(
    ['@mastra/mcp', '@mastra/core/logger'].map((name) => load(tools, name)),
  )) as [Module, Module]
  const client = new MCPClient({
    id: world.address,
    servers: { toolyard: { url: urlOf(world), requestInit: { headers: bearer(world) } } },
  })
  client.__setLogger(noopLogger)
  const offered = (await client.listTools()) as Record<
    string,
    { execute: (...args: unknown[]) => Promise<unknown>; toModelOutput?: (output: unknown) => ModelOutput }
  >
  return {
    list: async () => Object.keys(offered).map((name) => name.replace(/^toolyard_/, '')),
    async call(name, args, signal) {
      const { execute, toModelOutput } = offered[`toolyard_${name}`]!
      const output = await execute(args, { abortSignal: signal }).catch((error: Error & { id?: string }) => {
        // A failed call is thrown, and the text of the error is what its agents show to the model.
        if (error.id === 'MCP_CLIENT_TOOL_EXECUTION_FAILED') return error
        throw error
      })
      if (output instanceof Error) return [output.message]
      return toModelOutput ? partsOf(toModelOutput(output)) : [JSON.stringify(output)]
    },
    close: () => client.disconnect(),
  }
}

const aiSdk = async ({ world, tools }: Surroundings): Promise<Seat> => {
  const { createMCPClient } = await load(tools, '@ai-sdk/mcp')
  const client = await createMCPClient({ transport: { type: 'http', url: urlOf(world).href, headers: bearer(world) } })
  const offered = (await client.tools()) as Record<
    string,
    { execute: (...args: unknown[]) => Promise<unknown>; toModelOutput: (output: object) => ModelOutput }
  >
  return {
    list: async () => Object.keys(offered),
    async call(name, args, signal) {
      const { execute, toModelOutput } = offered[name]!
      const output = await execute(args, { toolCallId: 'call', messages: [], abortSignal: signal })
      return partsOf(toModelOutput({ toolCallId: 'call', input: args, output }))
    },
    close: () => client.close(),
  }
}

/** Their usual 5 s are not enough for a process that starts on a busy machine. */
const busySeconds = 60

const openAiAgents = async ({ tools }: Surroundings, serverOf: (module: Module) => any): Promise<Seat> => {
  const module = await load(tools, '@openai/agents')
  const server = serverOf(module)
  await server.connect()
  type Tool = { name: string; invoke: (...args: unknown[]) => Promise<string | Content[number] | Content> }
  const offered = (await module.getAllMcpTools([server])) as Tool[]
  return {
    list: async () => offered.map(({ name }) => name),
    async call(name, args, signal) {
      const output = await offered
        .find((tool) => tool.name === name)!
        .invoke(new module.RunContext(), JSON.stringify(args), { signal })
      return typeof output === 'string' ? [output] : textsOf([output].flat())
    },
    close: () => server.close(),
  }
}

const requestInit = (world: McpWorld) => ({ requestInit: { headers: bearer(world) } })

/** The slowest one first: it starts a process for each call. */
export const hosts: Host[] = [
  { name: 'inspector', cannotCancel: true, sit: async (surroundings) => inspector(surroundings) },
  {
    name: 'SDK v1 over http',
    sit: ({ world, tools }) =>
      firstSdk(tools, (module) => new module.StreamableHTTPClientTransport(urlOf(world), requestInit(world))),
  },
  {
    name: 'SDK v1 over stdio',
    sit: (surroundings) =>
      firstSdk(
        surroundings.tools,
        (module) => new module.StdioClientTransport({ ...command(surroundings), stderr: 'ignore' }),
      ),
  },
  {
    name: 'SDK v2 over http',
    async sit({ world }) {
      const client = await connect(world, '2026-07-28')
      return {
        list: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: async (name, args, signal) =>
          textsOf((await client.callTool({ name, arguments: args }, signal ? { signal } : {})).content as Content),
        close: () => client.close(),
      }
    },
  },
  {
    name: 'mcp-remote',
    sit: ({ world, tools, folder }) =>
      firstSdk(
        tools,
        (module) =>
          new module.StdioClientTransport({
            command: process.execPath,
            args: [
              join(tools, 'node_modules/mcp-remote/dist/proxy.js'),
              urlOf(world).href,
              '--allow-http',
              '--transport',
              'http-only',
              '--header',
              `Authorization: Bearer ${world.token}`,
            ],
            env: { ...process.env, MCP_REMOTE_CONFIG_DIR: folder } as Record<string, string>,
            stderr: 'ignore',
          }),
      ),
  },
  { name: 'LangChain', sit: langChain },
  { name: 'Mastra', sit: mastra },
  { name: 'AI SDK', sit: aiSdk },
  {
    name: 'OpenAI Agents over http',
    sit: (surroundings) =>
      openAiAgents(
        surroundings,
        ({ MCPServerStreamableHttp }) =>
          new MCPServerStreamableHttp({
            name: 'toolyard',
            url: urlOf(surroundings.world).href,
            clientSessionTimeoutSeconds: busySeconds,
            ...requestInit(surroundings.world),
          }),
      ),
  },
  {
    name: 'OpenAI Agents over stdio',
    sit: (surroundings) =>
      openAiAgents(
        surroundings,
        ({ MCPServerStdio }) =>
          new MCPServerStdio({
            name: 'toolyard',
            clientSessionTimeoutSeconds: busySeconds,
            ...command(surroundings),
          }),
      ),
  },
]
