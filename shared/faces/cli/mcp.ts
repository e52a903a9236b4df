import { isAbsent, isInvalidInput } from '#kit'
import type { Configuration } from '../../settings.ts'
import { findServer } from './find-client.ts'
import { asFailure, openRequests } from './request.ts'
import type { Server } from './request.ts'
import type { Terminal } from './terminal.ts'

/** Options of `toolyard mcp`; `tools`: comma-separated names. */
export type McpOptions = { integration?: string; tools?: string; set?: string; approved?: string; sandbox?: boolean }

/**
 * A call to serve MCP over standard input and output, from a running server or otherwise from a pack opened here.
 * `offered`: which tools are offered.
 */
export type McpCall = {
  server: Server | undefined
  sandbox: boolean
  offered: {
    integration: string | undefined
    tools: string[] | undefined
    set: string | undefined
    approved: string | undefined
  }
}

/** Checks what is offered first, because a host would only show that the server does not respond. */
const check = async (
  server: Server,
  terminal: Pick<Terminal, 'self'>,
  { integration, tools, set, approved }: McpCall['offered'],
) => {
  const { send, explain } = openRequests(server, terminal)
  const query = { tools: tools?.join(','), set, approved }
  const searchParams = Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  try {
    await send(`mcp${integration === undefined ? '' : `/${encodeURIComponent(integration)}`}`, {
      method: 'options',
      searchParams,
    })
  } catch (thrown) {
    const failure = explain(thrown)
    // The request is no MCP call, so any other response says nothing about what is offered.
    if (isInvalidInput(failure) || isAbsent(failure)) throw asFailure(failure)
  }
}

/** @throws Failure `invalid_input`, `not_found` for a tool, set or integration that the running server does not have */
export const mcpCall = async (
  configuration: Configuration,
  { integration, tools, set, approved, sandbox = false }: McpOptions,
  terminal: Pick<Terminal, 'self'>,
): Promise<McpCall> => {
  const server = await findServer(configuration, { sandbox })
  const offered = { integration, tools: tools?.split(',').map((name) => name.trim()), set, approved }
  if (server) await check(server, terminal, offered)
  return { server, sandbox, offered }
}
