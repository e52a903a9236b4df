import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './installed.ts'
import type { Installed } from './installed.ts'

const nodenext = ['--module', 'nodenext']
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler']

/** Projects that have no `@types/node`: of a server, of a bundler, and of a page. */
export const environments: [string, string[]][] = [
  ['nodenext', [...nodenext, '--lib', 'es2024']],
  ['bundler', [...bundler, '--lib', 'es2024']],
  ['bundler with the DOM', [...bundler, '--lib', 'es2024,dom']],
]

/** The errors of a strict program that imports every entry of the package, library checks included. */
export const compileAlone = ({ folder }: Installed, options: string[]): string[] => {
  copyFileSync(join(root, 'test', 'package', 'consumer', 'alone.ts'), join(folder, 'alone.ts'))
  const args = ['--noEmit', '--strict', '--target', 'es2024', '--types', '', ...options, 'alone.ts']
  const { out } = run(join(root, 'node_modules', '.bin', 'tsc'), args, { cwd: folder })
  return out.split('\n').filter((line) => line !== '')
}
