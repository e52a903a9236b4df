/** The package as somebody installs it: what is built, without the source, which the launcher would prefer. */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildAll } from '../../scripts/build.ts'

const root = join(import.meta.dirname, '../..')

/** Builds the package in `directory`, and gives the path of its launcher. */
export const layOutPackage = async (directory: string): Promise<string> => {
  await buildAll()
  const folder = join(directory, 'package')
  mkdirSync(join(folder, 'shared'), { recursive: true })
  for (const name of ['shared/toolyard.js', 'package.json', 'manifests', 'dist'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  return join(folder, 'shared/toolyard.js')
}
