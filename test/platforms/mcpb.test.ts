import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildAll } from '../../scripts/build.ts'
import { writePackage } from '../../scripts/packages/index.ts'
import { mcpbPackage, serverJson } from '../../scripts/packages/mcpb/index.ts'
import { loadPlatform, makeFolder, startServed } from './served.ts'
import type { Served } from './served.ts'

/**
 * The bundle for MCP hosts, checked, packed and unpacked by its own tools, and started as a host does; and the
 * registry's entry.
 */
const root = fileURLToPath(new URL('../../', import.meta.url))
let served: Served
let place: Awaited<ReturnType<typeof makeFolder>>
beforeAll(async () => {
  if (!existsSync(join(root, 'dist/toolyard.js'))) await buildAll()
  served = await startServed()
  place = await makeFolder()
  writePackage(join(place.folder, 'bundle'), mcpbPackage(await served.manifests()))
})
afterAll(async () => {
  await served?.close()
  await place?.remove()
})

const mcpb = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'test/platforms/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js'), ...args],
    {
      cwd: place.folder,
      encoding: 'utf8',
    },
  )
  return { status, out: stdout + stderr }
}
const readJson = (file: string) => JSON.parse(readFileSync(join(place.folder, file), 'utf8'))

describe('the MCPB bundle', () => {
  it('is valid, and its checker finds a planted mistake', () => {
    expect(mcpb('validate', 'bundle/manifest.json')).toMatchObject({
      status: 0,
      out: expect.stringContaining('validation passes'),
    })
    writePackage(join(place.folder, 'broken'), {
      'manifest.json': JSON.stringify({ ...readJson('bundle/manifest.json'), manifest_version: '0.3', server: {} }),
    })
    expect(mcpb('validate', 'broken/manifest.json').status).not.toBe(0)
  })

  it('packed and unpacked, lists and calls the tools of the server', async () => {
    const packed = mcpb('pack', 'bundle', 'toolyard.mcpb')
    expect(packed.status, packed.out).toBe(0)
    expect(statSync(join(place.folder, 'toolyard.mcpb')).size).toBeLessThan(2_500_000)
    const unpacked = mcpb('unpack', 'toolyard.mcpb', 'unpacked')
    expect(unpacked.status, unpacked.out).toBe(0)
    // As a host fills in what the person was asked.
    const { server, user_config: userConfig, tools } = readJson('unpacked/manifest.json')
    expect(userConfig.token).toMatchObject({ sensitive: true, required: true })
    const values: Record<string, string> = { address: served.address, token: served.token }
    const fill = (text: string) =>
      text
        .replace('${__dirname}', join(place.folder, 'unpacked'))
        .replace(/\$\{user_config\.(\w+)\}/g, (_, name: string) => values[name]!)
    const env = Object.fromEntries(
      Object.entries(server.mcp_config.env as Record<string, string>).map(([name, value]) => [name, fill(value)]),
    )
    const client = new Client({ name: 'host', version: '1' })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: server.mcp_config.args.map(fill), env }),
    )
    try {
      const listed = (await client.listTools()).tools.map(({ name }) => name)
      expect(listed.toSorted()).toEqual(
        expect.arrayContaining(tools.map(({ name }: { name: string }) => name).toSorted()),
      )
      expect(listed.length).toBeGreaterThan(15)
      const boards = await client.callTool({ name: 'work_board_get_boards', arguments: {} })
      expect(JSON.stringify(boards)).toContain('Launch plan')
      const failed = await client.callTool({
        name: 'work_board_get_card',
        arguments: { idCard: 'ffffffffffffffffffffffff' },
      })
      expect([failed.isError, JSON.stringify(failed)]).toEqual([true, expect.stringMatching(/not_found/)])
    } finally {
      await client.close()
    }
  })
})

describe('the entry of the MCP registry', () => {
  it("fits the registry's schema, and names the npm package that names it", async () => {
    const { Validator } = loadPlatform('jsonschema')
    const schema = JSON.parse(readFileSync(new URL('mcp-registry/server.schema.json', import.meta.url), 'utf8'))
    const errorsOf = (entry: object) => new Validator().validate(entry, schema).errors.map(String)
    const entry = serverJson(await served.manifests())
    expect(errorsOf(entry)).toEqual([])
    expect(errorsOf({ ...entry, description: 'x'.repeat(101) })).toHaveLength(1)
    expect(errorsOf({ ...entry, name: 'toolyard' })).toHaveLength(1)
    expect(errorsOf({ ...entry, remotes: [{ type: 'streamable-http', url: 'no address' }] })).not.toEqual([])
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect([entry.name, entry.version, entry.packages[0]!.identifier]).toEqual([own.mcpName, own.version, own.name])
  })
})
