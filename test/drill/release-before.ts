/** The release before this one, from the history of this checkout. It runs from its sources, as a checkout does. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../docs/pages.ts'

/** CONTRIBUTING.md has the commits of releases. */
const commit = '98c3e94f'
export const versionBefore = '0.1.0'

/** For `describe.skipIf`: prints that it skips. A clone with its whole history has the commit. */
export const releaseIsMissing = (): boolean => {
  if (spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status === 0) return false
  console.warn(
    `The commit ${commit} of version ${versionBefore} is not in this clone (git fetch --unshallow): skipped.`,
  )
  return true
}

type Package = { version: string; dependencies?: Record<string, string> }
const readPackage = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package

/** Its command, with the third parties of this checkout if they have the versions that it wants, else with its own. */
export const checkOutRelease = () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-release-'))
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const { version, dependencies = {} } = readPackage(folder)
  if (version !== versionBefore) throw new Error(`The commit ${commit} has the version ${version}.`)
  const modules = join(root, 'node_modules')
  const isHere = ([name, wanted]: [string, string]) => readPackage(join(modules, name)).version === wanted
  if (Object.entries(dependencies).every(isHere)) symlinkSync(modules, join(folder, 'node_modules'))
  else execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
  return {
    entry: join(folder, 'shared/toolyard.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
