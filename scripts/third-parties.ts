/** Documents about the third-party packages bundled into `dist/`: their licences, and an SBOM for scanners. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))
type Package = { name: string; version: string; license: string }
type Locked = Partial<Package> & {
  integrity?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const readJson = <T>(file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as T
const folderOf = (input: string) => /(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input.replaceAll('\\', '/'))?.[1]

/** Folders of the packages whose code is in the bundles, relative to the checkout, sorted. */
export const bundledFolders = (metafiles: Metafile[]): string[] =>
  [...new Set(metafiles.flatMap(({ inputs }) => Object.keys(inputs)).flatMap((input) => folderOf(input) ?? []))].sort()

/** Third-party code in packages that lack its licence; the text of each licence is in another bundled package. */
const contained: { [name: string]: string } = {
  unpdf: 'Contains PDF.js (https://github.com/mozilla/pdf.js), copyright Mozilla Foundation, Apache License 2.0.',
}

/** The licence texts of the bundled packages, which those licences require us to include. */
export const licences = (folders: string[]): string => {
  const texts = folders.map((folder) => {
    const { name, version, license } = readJson<Package>(`${folder}/package.json`)
    const file = readdirSync(join(root, folder)).find((candidate) => /^licen[cs]e/i.test(candidate))
    const text = file ? readFileSync(join(root, folder, file), 'utf8').trim() : `Licence: ${license}`
    const more = contained[name]
    return `${name} ${version} (${license})\n\n${text}\n${more === undefined ? '' : `\n${more}\n`}`
  })
  return `The files beside this one contain code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`
}

const purl = ({ name, version }: { name: string; version: string }) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** The folder in which Node finds `name` when it is imported from a package in `folder`. */
const resolveFrom = (folder: string, name: string, knownFolders: Set<string>): string | undefined => {
  for (
    let from = folder;
    from !== '';
    from = from.includes('/node_modules/') ? from.slice(0, from.lastIndexOf('/node_modules/')) : ''
  ) {
    const place = posix.join(from, 'node_modules', name)
    if (knownFolders.has(place)) return place
  }
  return knownFolders.has(`node_modules/${name}`) ? `node_modules/${name}` : undefined
}

/**
 * A CycloneDX 1.6 SBOM of the packages in these folders, with versions and checksums from package-lock.json. Contains
 * neither a time nor a serial number, so that the same tree gives the same file.
 */
export const sbom = (folders: string[]) => {
  const own = readJson<Package>('package.json')
  const lock = readJson<{ packages: Record<string, Locked> }>('package-lock.json').packages
  const knownFolders = new Set(folders)
  const parts = folders.map((folder) => {
    const entry = lock[folder]
    if (!entry?.version || !entry.integrity)
      throw new Error(`${folder} is bundled, but package-lock.json has no version and checksum for it; run npm install`)
    const { name, license } = readJson<Package>(`${folder}/package.json`)
    return {
      folder,
      entry,
      name,
      version: entry.version,
      license,
      ref: purl({ name, version: entry.version }),
      integrity: entry.integrity,
    }
  })
  const components = new Map(
    parts.map(({ name, version, license, ref, integrity }) => [
      ref,
      {
        type: 'library',
        'bom-ref': ref,
        name,
        version,
        purl: ref,
        scope: 'required',
        hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }],
        licenses: [{ license: { id: license } }],
      },
    ]),
  )
  const refOf = new Map(parts.map(({ folder, ref }) => [folder, ref]))
  const dependsOn = new Map<string, Set<string>>()
  for (const { folder, ref, entry } of parts) {
    const needs = dependsOn.get(ref) ?? new Set()
    for (const name of Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })) {
      const dependencyFolder = resolveFrom(folder, name, knownFolders)
      if (dependencyFolder) needs.add(refOf.get(dependencyFolder)!)
    }
    dependsOn.set(ref, needs)
  }
  const self = purl(own)
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': self,
        name: own.name,
        version: own.version,
        purl: self,
        licenses: [{ license: { id: own.license } }],
      },
    },
    components: [...components.values()],
    dependencies: [
      { ref: self, dependsOn: [...components.keys()].sort() },
      ...[...dependsOn].map(([ref, needs]) => ({ ref, dependsOn: [...needs].sort() })),
    ],
  }
}
