/**
 * Builds `manifests/`: one JSON per integration, `pack.json`, `manifest.schema.json`, `types.ts` and
 * `operations.ts`. `npm run manifests` writes them; `--check` only lists the stale files and then exits with 1.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ExampleFiles } from '../shared/runtime/catalogue/manifest.ts'
import { integrations } from '../integrations/index.ts'
import { schemaVersion } from '../shared/api/schema-version.ts'
import { buildManifest } from '../shared/runtime/catalogue/manifest.ts'
import { manifestJsonSchema } from '../shared/api/manifest.ts'
import { operationsOf } from '../shared/runtime/catalogue/operations.ts'
import { english, textsOf } from '../shared/runtime/catalogue/locales.ts'
import { profileNames } from '../shared/runtime/catalogue/choose-profile.ts'
import { createRegistry } from '../shared/runtime/catalogue/registry.ts'
import { operationTypes } from './operation-types.ts'
import { indexText, manifestText, schemaText } from './manifest-text.ts'
import { stepTypes } from './step-types.ts'

const root = new URL('../', import.meta.url)

export const readExampleFiles = async (id: string): Promise<ExampleFiles> => {
  const folder = new URL(`integrations/${id}/examples/`, root)
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort()
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8')) as ExampleFiles[number]),
  )
}

/** Every text that people read, by key: the texts of all manifests, and those that only other profiles add. */
export const englishTexts = async (): Promise<Map<string, string>> => {
  const texts = new Map<string, string>()
  for (const loaded of createRegistry(integrations).all) {
    const examples = await readExampleFiles(loaded.integration.id)
    for (const profile of [undefined, ...profileNames(loaded.integration)]) {
      const used = loaded.withProfile(profile)
      for (const [key, text] of textsOf(buildManifest(used, examples, await operationsOf(used))))
        if (!texts.has(key)) texts.set(key, text)
    }
  }
  return texts
}

/** Every generated file of `manifests/`, by name. */
export const buildManifests = async (): Promise<Map<string, string>> => {
  const registry = createRegistry(integrations)
  const files = new Map<string, string>()
  const index = []
  for (const loaded of registry.all) {
    const manifest = buildManifest(loaded, await readExampleFiles(loaded.integration.id), await operationsOf(loaded))
    const content = manifestText(manifest)
    files.set(`${manifest.id}.json`, content)
    index.push({
      id: manifest.id,
      title: manifest.title,
      summary: manifest.summary,
      version: manifest.version,
      maturity: manifest.maturity,
      icon: manifest.icon,
      ready: manifest.ready,
      manifest: `${manifest.id}.json`,
      sha256: createHash('sha256').update(content).digest('hex'),
      steps: manifest.steps.map((step) => step.tool),
      triggers: manifest.triggers.map((trigger) => trigger.id),
    })
  }
  const { name, version, description, license } = JSON.parse(
    await readFile(new URL('package.json', root), 'utf8'),
  ) as Record<'name' | 'version' | 'description' | 'license', string>
  const about = {
    schemaVersion,
    urn: `urn:toolyard:pack:${version}`,
    name,
    version,
    description,
    license,
    icon: { light: 'icons/toolyard.svg', dark: 'icons/toolyard-dark.svg' },
  }
  files.set('pack.json', indexText({ ...about, integrations: index }))
  files.set(`locales/${english}.json`, indexText({ '@@locale': english, ...Object.fromEntries(await englishTexts()) }))
  files.set('manifest.schema.json', schemaText(manifestJsonSchema()))
  files.set('types.ts', stepTypes(registry.all))
  files.set('operations.ts', operationTypes(integrations))
  return files
}

/** Names of the generated files that differ from the committed ones. */
export const staleManifests = async (): Promise<string[]> => {
  const stale: string[] = []
  for (const [name, content] of await buildManifests()) {
    const committed = await readFile(new URL(`manifests/${name}`, root), 'utf8').catch(() => '')
    if (committed !== content) stale.push(name)
  }
  return stale
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const stale = await staleManifests()
    for (const name of stale) console.error(`manifests/${name} is stale: run "npm run manifests" and commit it.`)
    process.exitCode = stale.length > 0 ? 1 : 0
  } else {
    await mkdir(new URL('manifests/locales/', root), { recursive: true })
    for (const [name, content] of await buildManifests()) {
      await writeFile(new URL(`manifests/${name}`, root), content)
      console.log(`wrote ${fileURLToPath(new URL(`manifests/${name}`, root)).slice(fileURLToPath(root).length)}`)
    }
  }
}
