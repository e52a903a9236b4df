/**
 * `npm run test:fixture` runs what of the fast suite a further integration can change, with a fixture integration added,
 * to show that an integration consists of its folder and one line in the list. Works in a copy of the tree: adds the
 * fixture's folder under `integrations/` and its line in `integrations/index.ts`, then runs `npm run manifests` and
 * `npm run docs`. `npm run test:fixture -- fourth test/mcp` uses only that fixture and those tests.
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

// The fixture's fake provider and its test setup are not copied, because they are not part of an integration.
cpSync(join(root, 'test/fixtures', id), join(copy, 'integrations', id), {
  recursive: true,
  filter: (path) => !/[/\\](fake[^/\\]*|world\.ts)$|\.test\.ts$/.test(path),
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
  // test/dependencies.test.ts identifies bundled packages by their path, and in the copy the packages are links.
  node(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--root',
    copy,
    '--config',
    'test/fixtures/vitest.config.ts',
    '--exclude=test/dependencies.test.ts',
    '--reporter=dot',
    ...tests,
  )
rmSync(copy, { recursive: true, force: true })
process.exitCode = failed
