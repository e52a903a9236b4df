/**
 * `npm run test:fixture`: the fast suite with a fixture integration in the list, to show that an integration needs its
 * folder and one line. In a copy of the tree: the fixture's folder under `integrations/`, its line in
 * `integrations/index.ts`, `npm run manifests` and `npm run docs`. `npm run test:fixture -- fourth test/mcp` takes that
 * fixture and those tests alone.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { copyTree } from './copy-tree.ts'
import { addToList } from './new.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const [id = 'issue-desk', ...tests] = process.argv.slice(2)
const copy = copyTree()

// Its provider for tests and what they set up stay where they are: those are no part of an integration.
cpSync(join(root, 'test/fixtures', id), join(copy, 'integrations', id), {
  recursive: true,
  filter: (path) => !/[/\\](fake[^/\\]*|house\.ts)$|\.test\.ts$/.test(path),
})
for (const icon of [`${id}.svg`, `${id}-dark.svg`]) {
  const own = join(root, 'test/fixtures', id, icon)
  cpSync(
    existsSync(own) ? own : join(root, 'manifests/icons', icon.replace(id, 'toolyard')),
    join(copy, 'manifests/icons', icon),
  )
}
const list = join(copy, 'integrations/index.ts')
writeFileSync(list, addToList(readFileSync(list, 'utf8'), id))

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: copy, stdio: 'inherit' }).status ?? 1
const failed =
  node('scripts/manifests.ts') ||
  node('scripts/docs.ts') ||
  // What is bundled is found by where packages lie, and in the copy they are links.
  node(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--root',
    copy,
    '--config',
    'test/vitest.config.ts',
    '--exclude=test/dependencies.test.ts',
    '--reporter=dot',
    ...tests,
  )
rmSync(copy, { recursive: true, force: true })
process.exitCode = failed
