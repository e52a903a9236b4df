import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readManifests } from '../../scripts/packages/manifests.ts'
import { mcpbManifest, serverJson } from '../../scripts/packages/mcpb/index.ts'

/** What is written for MCP hosts and their registry; `npm run test:platforms` validates both and starts the bundle. */
const packManifests = readManifests()
const own = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

it('the bundle asks for address and token, and shows the core tools', () => {
  const { tools, user_config: userConfig, server } = mcpbManifest(packManifests)
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['work_board_create_card', 'anz_data_people_enrichment', 'contact_data_find_contact']),
  )
  expect([userConfig.address.required, userConfig.token.required, userConfig.token.sensitive]).toEqual([
    true,
    true,
    true,
  ])
  // In the environment, not among the arguments, which other users of the machine can read.
  expect(server.mcp_config.args.join(' ')).not.toContain('token')
})

it("the registry's entry has one owner with the npm package", () => {
  expect([serverJson(packManifests).name, serverJson(packManifests).version]).toEqual([own.mcpName, own.version])
  expect(serverJson(packManifests).description.length).toBeLessThanOrEqual(100)
  expect(serverJson({ ...packManifests, pack: { ...packManifests.pack, version: '0.0.0' } })).toMatchInlineSnapshot(`
    {
      "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      "description": "Integration pack for agent platforms: boards, company and contact data, triggers.",
      "name": "io.github.toolyard/toolyard",
      "packages": [
        {
          "environmentVariables": [
            {
              "description": "Address of your toolyard server, without a path such as /mcp.",
              "isRequired": true,
              "name": "TOOLYARD_URL",
              "placeholder": "http://127.0.0.1:8750",
            },
            {
              "description": "A bearer token of the server, made with "toolyard tokens add".",
              "isRequired": true,
              "isSecret": true,
              "name": "TOOLYARD_TOKEN",
            },
          ],
          "identifier": "toolyard",
          "packageArguments": [
            {
              "type": "positional",
              "value": "mcp",
            },
          ],
          "registryType": "npm",
          "runtimeHint": "npx",
          "transport": {
            "type": "stdio",
          },
          "version": "0.0.0",
        },
      ],
      "remotes": [
        {
          "headers": [
            {
              "isRequired": true,
              "isSecret": true,
              "name": "Authorization",
              "value": "Bearer {token}",
              "variables": {
                "token": {
                  "description": "A bearer token of the server, made with "toolyard tokens add".",
                  "isRequired": true,
                  "isSecret": true,
                },
              },
            },
          ],
          "type": "streamable-http",
          "url": "https://{host}/mcp",
          "variables": {
            "host": {
              "description": "Host of your toolyard server.",
              "isRequired": true,
              "placeholder": "toolyard.example",
            },
          },
        },
      ],
      "title": "toolyard",
      "version": "0.0.0",
    }
  `)
})
