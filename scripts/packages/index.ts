/**
 * `npm run packages` generates packages for other platforms in `dist/packages/`, from `manifests/` alone. Each
 * generator is a function that returns the files of its package. Names as arguments limit the run to those packages:
 * `npm run packages -- n8n-nodes-toolyard`. `--manifests <folder>` uses the manifests of a running server instead,
 * whose wire profiles may offer other fields.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { pieces } from './activepieces/index.ts'
import type { Files, Generator } from './generator.ts'
import { readManifests } from './manifests.ts'
import { mcpbPackage, registryEntry } from './mcpb/index.ts'
import { n8nPackage } from './n8n/index.ts'
import { openapiDocuments } from './openapi.ts'
import { zapierApps } from './zapier/index.ts'

/** Generators by folder name in `dist/packages/`, sorted. */
const generators: Record<string, Generator> = {
  activepieces: pieces,
  'mcp-registry': registryEntry,
  mcpb: mcpbPackage,
  'n8n-nodes-toolyard': n8nPackage,
  openapi: openapiDocuments,
  zapier: zapierApps,
}

export const writePackage = (folder: string, files: Files) => {
  rmSync(folder, { recursive: true, force: true })
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}

if (import.meta.main) {
  const { values, positionals: wantedNames } = parseArgs({
    allowPositionals: true,
    options: { manifests: { type: 'string' } },
  })
  if (values.manifests !== undefined && !existsSync(values.manifests))
    throw new Error(`--manifests: there is no folder ${values.manifests}.`)
  const input = readManifests(values.manifests)
  const unknown = wantedNames.filter((name) => !Object.hasOwn(generators, name))
  if (unknown.length > 0)
    throw new Error(`No package is called ${unknown.join(', ')}. There are: ${Object.keys(generators).join(', ')}.`)
  const root = fileURLToPath(new URL('../../dist/packages/', import.meta.url))
  for (const [name, generate] of Object.entries(generators)) {
    if (wantedNames.length > 0 && !wantedNames.includes(name)) continue
    const files = await generate(input)
    writePackage(join(root, name), files)
    console.log(`dist/packages/${name}: ${Object.keys(files).length} files`)
  }
}
