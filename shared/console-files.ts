/** Where the console's files come from: the package contains them, a checkout builds them. */
import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const built = fileURLToPath(new URL('./console/', import.meta.url))

/** Each file by its path below /console/. */
export const readConsoleFiles = async (): Promise<Map<string, Buffer>> => {
  // In the package, this module is part of dist/toolyard.js, and dist/console is beside it.
  if (existsSync(join(built, 'index.html'))) {
    const names = await readdir(built, { recursive: true, withFileTypes: true })
    const paths = names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
    const pairs = paths.map(async (path): Promise<[string, Buffer]> => [
      path.slice(built.length).replaceAll('\\', '/'),
      await readFile(path),
    ])
    return new Map(await Promise.all(pairs))
  }
  // The path is in a variable, so that the package's bundler does not include the script.
  const script = new URL('../scripts/console.ts', import.meta.url).href
  const { buildConsole } = (await import(script)) as { buildConsole(): Promise<{ files: Map<string, Buffer> }> }
  return (await buildConsole()).files
}
