import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Makes a temporary copy of the source tree, including uncommitted changes, with node_modules linked, and returns its
 * path. The caller removes it.
 */
export const copyTree = (): string => {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const copy = mkdtempSync(join(tmpdir(), 'toolyard-copy-'))
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  }).split('\0')
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  for (const modules of ['node_modules', 'test/tools/node_modules'])
    if (existsSync(join(root, modules))) symlinkSync(join(root, modules), join(copy, modules))
  return copy
}
