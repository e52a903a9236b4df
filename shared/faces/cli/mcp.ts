import type { Configuration } from './configuration.ts'
import { findServer } from './find-client.ts'
import type { Server } from './request.ts'

/** Options of `toolyard mcp`; `tools`: comma-separated names. */
export type McpOptions = { integration?: string; tools?: string; approved?: string; sandbox?: boolean }

/** MCP over standard input and output, from a running server or otherwise from a pack opened here, and which tools are offered. */
export type McpCall = {
  server: Server | undefined
  sandbox: boolean
  offered: { integration: string | undefined; tools: string[] | undefined; approved: string | undefined }
}

export const mcpCall = async (configuration: Configuration, { integration, tools, approved, sandbox = false }: McpOptions): Promise<McpCall> => ({
  server: await findServer(configuration, { sandbox }),
  sandbox,
  offered: { integration, tools: tools?.split(',').map((name) => name.trim()), approved },
})
