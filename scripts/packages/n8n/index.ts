import { readFileSync } from 'node:fs'
import { clientSource } from '../client-source.ts'
import type { Files, Generator } from '../generator.ts'
import { readIcon } from '../manifests.ts'
import type { Manifest, PackIndex } from '../manifests.ts'
import { stepNode } from './steps.ts'
import { triggerNode } from './triggers.ts'
import { pascalCase } from './words.ts'

const under = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${folder}/${name}`, content]))
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** Source files that are the same in every package: the client and the nodes' runtime. */
const shared = (): Files =>
  under('nodes/shared', {
    ...clientSource({ ending: '', fetch: false }),
    ...Object.fromEntries(
      ['choices.ts', 'connect.ts', 'read-input.ts', 'records.ts', 'run-steps.ts', 'subscribe.ts', 'waiting.ts'].map(
        (name) => [name, read(`runtime/${name}`)],
      ),
    ),
  })

const nodesOf = ({ id, triggers }: Manifest) => [
  pascalCase(id),
  ...(triggers.length > 0 ? [`${pascalCase(id)}Trigger`] : []),
]

const packageJson = ({ name, version, license }: PackIndex, manifests: Manifest[]) => ({
  name: `n8n-nodes-${name}`,
  version,
  description: `n8n nodes for ${name}: ${manifests.map(({ title }) => title).join(', ')}`,
  license,
  homepage: 'https://github.com/toolyard/toolyard#readme',
  keywords: ['n8n-community-node-package', name],
  author: { name, email: 'maintainers@toolyard.dev' },
  repository: { type: 'git', url: 'git+https://github.com/toolyard/toolyard.git' },
  scripts: { build: 'n8n-node build', lint: 'n8n-node lint' },
  files: ['dist'],
  n8n: {
    n8nNodesApiVersion: 1,
    strict: true,
    credentials: ['dist/credentials/ToolyardApi.credentials.js'],
    nodes: manifests.flatMap((manifest) =>
      nodesOf(manifest).map((node) => `dist/nodes/${pascalCase(manifest.id)}/${node}.node.js`),
    ),
  },
  devDependencies: { '@n8n/node-cli': '0.48.3', eslint: '9.29.0', typescript: '5.9.2' },
  peerDependencies: { 'n8n-workflow': '*' },
})

const compiler = {
  compilerOptions: {
    strict: true,
    module: 'commonjs',
    moduleResolution: 'node',
    target: 'es2022',
    lib: ['es2023'],
    types: ['node'],
    esModuleInterop: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    outDir: './dist/',
  },
  include: ['credentials/**/*', 'nodes/**/*', 'nodes/**/*.json'],
}

const readme = ({ name }: PackIndex, manifests: Manifest[]) => `# n8n-nodes-${name}

Nodes for a ${name} server, made from its manifests. Install the package in n8n under Settings → Community Nodes, add a credential "Toolyard API" with the
address and a token of your server, and pick a node:

${manifests.flatMap((manifest) => [`- **${manifest.title}**: ${manifest.summary}`, ...(manifest.triggers.length > 0 ? [`- **${manifest.title} Trigger**: ${manifest.triggers.map(({ title }) => title).join(', ')}`] : [])]).join('\n')}
`

const icons = (pack: PackIndex, manifests: Manifest[]): Files =>
  Object.fromEntries(
    [{ id: pack.name, icon: pack.icon }, ...manifests].flatMap(({ id, icon }) => [
      [`icons/${id}.svg`, readIcon(icon.light)],
      [`icons/${id}.dark.svg`, readIcon(icon.dark)],
    ]),
  )

/**
 * n8n's linter depends on a package whose preinstall script refuses npm, and on a native module that needs a compiler.
 * Neither the build nor the linter needs what those scripts do.
 */
const npmSettings = 'ignore-scripts=true\n'

/**
 * The community package for n8n: one node per integration, a trigger node for integrations with triggers, and the
 * credential.
 */
export const n8nPackage: Generator = ({ pack, manifests }) => ({
  'package.json': json(packageJson(pack, manifests)),
  '.npmrc': npmSettings,
  'tsconfig.json': json(compiler),
  'eslint.config.mjs': "import { config } from '@n8n/node-cli/eslint';\n\nexport default config;\n",
  'README.md': readme(pack, manifests),
  'LICENSE.md': read('../../../LICENSE'),
  'credentials/ToolyardApi.credentials.ts': read('runtime/ToolyardApi.credentials.ts'),
  ...icons(pack, manifests),
  ...shared(),
  ...Object.assign(
    {},
    ...manifests.map((manifest) =>
      under(`nodes/${pascalCase(manifest.id)}`, {
        ...stepNode(manifest),
        ...(manifest.triggers.length > 0 ? triggerNode(manifest) : {}),
      }),
    ),
  ),
})
