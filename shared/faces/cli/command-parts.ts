import type { DevCall } from './dev.ts'
import type { InProcess } from './call.ts'
import type { Configuration, Environment } from '../../settings.ts'
import type { PackToOpen } from './find-client.ts'
import type { McpCall } from './mcp.ts'
import type { Terminal } from './terminal.ts'

export type CommandParts = {
  /** Arguments after the command's own name. */
  argv: string[]
  env: Environment
  cwd: string
  version: string
  terminal: Terminal
  /** Serves until stopped; returns the exit code. */
  serve(configuration: Configuration, options: { sandbox: boolean }): Promise<number>
  /** Serves MCP on standard input and output until the host closes them; returns the exit code. */
  mcp(configuration: Configuration, call: McpCall): Promise<number>
  /** Demonstrates everything against its own sandbox; returns the exit code. */
  demo(configuration: Configuration): Promise<number>
  /** Opens a pack in this process, for commands that find no running server. */
  openInProcess(configuration: Configuration, needs: PackToOpen): Promise<InProcess>
  /** Serves the integration in one folder until stopped; returns the exit code. */
  dev(configuration: Configuration, call: DevCall): Promise<number>
}
