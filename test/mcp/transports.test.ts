import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'
import { entry, makeData, start, withDirectory } from '../faces/process.ts'
import { callEveryTool } from './every-tool.ts'
import { call, connect, eras, newClient, openMcpWorld } from '../support/mcp-world.ts'
import type { Era } from '../support/mcp-world.ts'
import { listedTools, toolsOfSet } from '../support/shipped.ts'

const world = await openMcpWorld()

const names = () => world.pack.registry.all.flatMap(({ steps }) => [...steps.values()].map(({ tool }) => tool))

const useAll = async (client: Client, era: Era) => {
  try {
    expect(client.getNegotiatedProtocolVersion()).toBe(era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([...listedTools, 'find_tools'])
    // Those that are not listed can be called too.
    expect((await callEveryTool(client)).toSorted()).toEqual(names().toSorted())
  } finally {
    await client.close()
  }
}

const startStdio = async (era: Era, env: Record<string, string>, args: string[] = ['--sandbox']) => {
  const client = newClient(era)
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [entry, 'mcp', ...args], env, stderr: 'ignore' }),
  )
  return client
}

describe.each(eras)('the official client of %s lists the core, and calls every tool', (era) => {
  it('over HTTP', async () => useAll(await connect(world, era), era))

  it('over stdio, in a process of its own', () =>
    withDirectory(async (directory) => useAll(await startStdio(era, { TOOLYARD_DATA: directory }), era)))

  it('over stdio, passed on to a running server', async () =>
    useAll(await startStdio(era, { TOOLYARD_URL: world.address, TOOLYARD_TOKEN: world.token }, []), era))
})

it('picks the later protocol by itself', async () => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [entry, 'mcp'],
      env: { TOOLYARD_URL: world.address, TOOLYARD_TOKEN: world.token },
      stderr: 'ignore',
    }),
  )
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  await client.close()
})

describe('stdio', () => {
  it('uses the server of the data directory, with its accounts', () =>
    withDirectory(async (directory) => {
      const server = start(['serve', '--sandbox'], { TOOLYARD_DATA: directory, TOOLYARD_PORT: '0' })
      await server.printed('is running')
      const client = await startStdio('2026-07-28', { TOOLYARD_DATA: directory }, [])
      expect((await call(client, 'work_board_get_boards')).structuredContent).toMatchObject({ count: 2 })
      await client.close()
      server.kill('SIGTERM')
      expect((await server.ended).err).toContain('"route":"/mcp"')
    }))

  it('narrows to an integration or to named tools, and refuses names that are none', () =>
    withDirectory(async (directory) => {
      const env = { TOOLYARD_DATA: directory }
      await makeData(directory)
      const filteredClient = await startStdio('2025-11-25', env, [
        '--integration',
        'anz-data',
        '--tools',
        'anz_data_people_search,work_board_get_card',
      ])
      expect((await filteredClient.listTools()).tools.map(({ name }) => name)).toEqual(['anz_data_people_search'])
      await filteredClient.close()
      const set = await startStdio('2025-11-25', env, ['--set', 'read'])
      expect((await set.listTools()).tools.map(({ name }) => name)).toEqual([
        ...toolsOfSet('work-board', 'read'),
        'find_tools',
      ])
      await set.close()
      const { code, out, err } = await start(['mcp', '--tools', 'work_board_fly'], env).ended
      expect([code, out]).toEqual([2, ''])
      expect(err).toContain('Unknown tools: work_board_fly.')
      const none = await start(['mcp', '--set', 'nothing'], env).ended
      expect([none.code, none.err]).toEqual([
        2,
        expect.stringContaining(
          'There is no tool set "nothing". There are: core, all, people, prospecting, read, cards, comments, checklists, files, boards.',
        ),
      ])
    }))

  it.each([
    [['--tools', 'nope'], 2, 'tools= names unknown tools: nope. Known tools: '],
    [['--set', 'nope'], 2, 'There is no tool set "nope".'],
    [['--integration', 'nope'], 5, 'There is no integration "nope".'],
  ])('says so before it starts where a running server has no such thing: %j', (options, exit, said) =>
    withDirectory(async (directory) => {
      const env = { TOOLYARD_DATA: directory, TOOLYARD_URL: world.address, TOOLYARD_TOKEN: world.token }
      const { code, out, err } = await start(['mcp', ...options], env).ended
      expect([code, out, err]).toEqual([exit, '', expect.stringContaining(said)])
    }),
  )

  it.each(eras)('says what is wrong when the server is not running, and does not hang (%s)', (era) =>
    withDirectory(async (directory) => {
      const mine = await openMcpWorld()
      const client = await startStdio(
        era,
        { TOOLYARD_DATA: directory, TOOLYARD_URL: mine.address, TOOLYARD_TOKEN: mine.token },
        [],
      )
      await mine.close()
      await expect(call(client, 'work_board_get_boards')).rejects.toThrow(/cannot be reached|went away/)
      await client.close()
    }),
  )

  it('writes nothing but the protocol to standard output and ends when the host closes the input', () =>
    withDirectory(async (directory) => {
      const hello = {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
      }
      await makeData(directory)
      const began = performance.now()
      const child = start(['mcp'], { TOOLYARD_DATA: directory }, { stdin: `${JSON.stringify(hello)}\n` })
      const { code, out } = await child.ended
      expect(code).toBe(0)
      for (const line of out.trim().split('\n').filter(Boolean))
        expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
      // Otherwise it would not end at all.
      expect(performance.now() - began).toBeLessThan(60_000)
    }))
})
