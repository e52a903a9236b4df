import { findServer } from './find-client.ts'
import type { CommandParts } from './command.ts'
import type { Configuration } from './configuration.ts'

type Asked = { integration?: string; tools?: string; approved?: string; sandbox?: boolean }

/** `toolyard mcp`: standard output belongs to the protocol, so nothing else is written there. */
export const mcp = async (configuration: Configuration, parts: CommandParts, { integration, tools, approved, sandbox = false }: Asked): Promise<number> => {
  const { bridgeToServer, endpointOf, serveOverStdio } = await import('../mcp/index.ts')
  const offered = { integration, tools: tools?.split(',').map((name) => name.trim()), approved }
  const { channel, log } = await parts.mcp(configuration)
  const server = await findServer(configuration, { sandbox })
  if (server) {
    await bridgeToServer(endpointOf(server.address, offered), server.token, log, channel)
    return 0
  }
  const { pack, caller, close } = await parts.openHouse(configuration, { sandbox, store: 'directory' })
  try {
    await serveOverStdio(pack, { caller, version: parts.version, log, ...offered }, channel)
    return 0
  } finally {
    await close()
  }
}
