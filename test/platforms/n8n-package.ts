import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writePackage } from '../../scripts/packages/index.ts'
import type { Generator } from '../../scripts/packages/generator.ts'
import { readManifests } from '../../scripts/packages/manifests.ts'

const modules = fileURLToPath(new URL('node_modules', import.meta.url))

/** Writes a generated package where the builders and checkers of the suite are its node_modules. */
export const generate = async (folder: string, generator: Generator) => {
  if (!existsSync(modules))
    throw new Error(
      'The builders of the platforms are not installed. Run: npm install --no-save --prefix test/platforms --ignore-scripts',
    )
  writePackage(folder, await generator(readManifests()))
  symlinkSync(modules, join(folder, 'node_modules'))
}

export const run = (folder: string, command: string, ...args: string[]) => {
  const env = {
    PATH: `${join(modules, '.bin')}:${process.env['PATH']}`,
    HOME: folder,
    NO_COLOR: '1',
    CI: 'true',
    npm_config_update_notifier: 'false',
  }
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, env, encoding: 'utf8', timeout: 120_000 })
  return { status, out: stdout + stderr }
}

/** Puts the package where n8n keeps community packages, as an installation from npm would. */
export const installInN8n = (folder: string, n8nFolder: string) => {
  const { status, out } = run(folder, 'npm', 'pack', '--ignore-scripts', '--loglevel=error')
  if (status !== 0) throw new Error(out)
  const target = join(n8nFolder, '.n8n/nodes/node_modules/n8n-nodes-toolyard')
  mkdirSync(target, { recursive: true })
  const unpacked = run(folder, 'tar', 'xzf', out.trim().split('\n').at(-1)!, '-C', target, '--strip-components=1')
  if (unpacked.status !== 0) throw new Error(unpacked.out)
}
