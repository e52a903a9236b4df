/**
 * Packages for MCP hosts: a bundle that desktop hosts install with a click, and the entry for the MCP registry. The
 * bundle contains the built command, which relays messages between the host and a running server.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Files } from '../generator.ts'
import { toolNameOf } from '../form.ts'
import type { Manifest, PackIndex } from '../manifests.ts'

/**
 * The publisher's namespace. `mcpName` in package.json has the same value, by which the registry verifies that both
 * have the same owner.
 */
export const registryName = 'io.github.toolyard/toolyard'
const minimumNode = '24.12'
const address = { title: 'Address', description: 'Address of your toolyard server, without a path such as /mcp.' }
const token = { title: 'Token', description: 'A bearer token of the server, made with "toolyard tokens add".' }

/** One sentence, short enough for the registry. */
const shortDescription = ({ description }: PackIndex) =>
  `${description.split(':')[0]!.trim()}: boards, company and contact data, triggers.`

type BundleSource = { pack: PackIndex; manifests: Manifest[] }

export const mcpbManifest = ({ pack, manifests }: BundleSource) => ({
  manifest_version: '0.3',
  name: pack.name,
  display_name: pack.name,
  version: pack.version,
  description: pack.description,
  long_description: `Tools of a toolyard server: ${manifests.map(({ title, summary }) => `**${title}**: ${summary}`).join(' ')} Accounts are connected on that server; this bundle passes messages to it.`,
  author: { name: 'toolyard contributors' },
  license: pack.license,
  keywords: ['integrations', ...manifests.map(({ id }) => id)],
  server: {
    type: 'node',
    entry_point: 'shared/toolyard.js',
    mcp_config: {
      command: 'node',
      args: ['${__dirname}/shared/toolyard.js', 'mcp'],
      env: { TOOLYARD_URL: '${user_config.address}', TOOLYARD_TOKEN: '${user_config.token}' },
    },
  },
  // The server's settings and the token determine which tools exist.
  tools_generated: true,
  tools: manifests.flatMap((manifest) =>
    (manifest.toolSets.find(({ id }) => id === 'core')?.steps ?? []).flatMap((step) => {
      const coreStep = manifest.steps.find(({ id }) => id === step)
      return coreStep ? [{ name: toolNameOf(manifest, coreStep), description: coreStep.purpose }] : []
    }),
  ),
  compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: `>=${minimumNode}.0` } },
  user_config: {
    address: { type: 'string', ...address, default: 'http://127.0.0.1:8750', required: true },
    token: { type: 'string', ...token, sensitive: true, required: true },
  },
})

/** Entry of the MCP registry: the command from npm, or a remote server by its address. */
export const serverJson = ({ pack }: BundleSource) => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: registryName,
  title: pack.name,
  description: shortDescription(pack),
  version: pack.version,
  packages: [
    {
      registryType: 'npm',
      identifier: pack.name,
      version: pack.version,
      runtimeHint: 'npx',
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'positional', value: 'mcp' }],
      environmentVariables: [
        {
          name: 'TOOLYARD_URL',
          description: address.description,
          isRequired: true,
          placeholder: 'http://127.0.0.1:8750',
        },
        { name: 'TOOLYARD_TOKEN', description: token.description, isRequired: true, isSecret: true },
      ],
    },
  ],
  remotes: [
    {
      type: 'streamable-http',
      url: 'https://{host}/mcp',
      variables: {
        host: { description: 'Host of your toolyard server.', isRequired: true, placeholder: 'toolyard.example' },
      },
      headers: [
        {
          name: 'Authorization',
          value: 'Bearer {token}',
          isRequired: true,
          isSecret: true,
          variables: { token: { description: token.description, isRequired: true, isSecret: true } },
        },
      ],
    },
  ],
})

const root = new URL('../../../', import.meta.url)
/** Files of the command, at the same paths as in the npm package. */
const command = ['shared/toolyard.js', 'dist/toolyard.js', 'dist/THIRD-PARTY-LICENSES.txt']

const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

/** The chunks that a built file loads, immediately or later, including their own chunks. */
const chunksOf = (path: string, chunks = new Set<string>()): Set<string> => {
  for (const [, chunk] of read(path).matchAll(/["']\.\/(chunk-\w+\.js)["']/g)) {
    if (chunks.has(`dist/${chunk}`)) continue
    chunks.add(`dist/${chunk}`)
    chunksOf(`dist/${chunk}`, chunks)
  }
  return chunks
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

export const mcpbPackage = (input: BundleSource): Files => {
  const missing = command.filter((path) => !existsSync(new URL(path, root)))
  if (missing.length > 0)
    throw new Error(
      `${missing.join(' and ')} cannot be found. The bundle holds the built command: run "npm run build" first.`,
    )
  const { name, version, license } = input.pack
  return {
    'manifest.json': json(mcpbManifest(input)),
    'package.json': json({ name, version, license, private: true, type: 'module' }),
    ...Object.fromEntries([...command, ...chunksOf('dist/toolyard.js')].map((path) => [path, read(path)])),
  }
}

export const registryEntry = (input: BundleSource): Files => ({ 'server.json': json(serverJson(input)) })
