/** What `npm pack` holds, in a folder of its own without the source beside it. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAll } from '../../scripts/build.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Builds the package and puts it there. */
export const installPackage = async (): Promise<{ entry: string; remove(): void }> => {
  await buildAll()
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-package-'))
  for (const path of ['dist', 'manifests', 'package.json', 'shared/toolyard.js'])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  return { entry: join(folder, 'shared/toolyard.js'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
