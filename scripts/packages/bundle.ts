import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/**
 * Bundles a file of this folder and its imports into one readable CommonJS file, for the older Node versions that
 * platforms still run.
 */
export const bundle = async (path: string): Promise<string> => {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
    entryPoints: [path],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  })
  return outputFiles[0]!.text
}
