import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it } from 'vitest'
import { entry, withDirectory } from '../faces/process.ts'
import { newClient, openMcpWorld } from '../support/mcp-world.ts'

const world = await openMcpWorld()

it('also over standard input and output', () =>
  withDirectory(async (directory) => {
    const through = async (env: Record<string, string>, ...args: string[]) => {
      const client = newClient('2026-07-28')
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: [entry, 'mcp', ...args], env, stderr: 'ignore' }),
      )
      try {
        return (await client.listTools())._meta!['toolyard/hash']
      } catch (error) {
        return (error as Error).message
      } finally {
        await client.close()
      }
    }
    // Without data and without a server it does not start, except with the sandbox.
    const own = { TOOLYARD_DATA: directory }
    const remote = { TOOLYARD_URL: world.address, TOOLYARD_TOKEN: world.token }
    for (const [env, ...options] of [[own, '--sandbox'], [remote]] as [Record<string, string>, ...string[]][]) {
      // Settings decide what a description says of readiness, so each has a hash of its own.
      const present = String(await through(env, ...options))
      expect(await through(env, ...options, '--approved', present)).toBe(present)
      expect(await through(env, ...options, '--approved', '0'.repeat(64))).toContain('differ from the approved ones')
    }
  }))
