/**
 * `npm run test:fixture`: the fast suite with a fixture integration in the list, to show that an integration needs its folder and one line.
 * In a copy of the tree: the fixture's folder under `integrations/`, its line in `integrations/index.ts`, `npm run manifests` and `npm run docs`.
 * `npm run test:fixture -- issue-desk test/mcp` takes that fixture and those tests alone.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const [id = 'fourth', ...tests] = process.argv.slice(2)
const copy = mkdtempSync(join(tmpdir(), 'toolyard-fixture-'))

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' }).split('\0')
for (const file of files.filter((name) => name !== '' && existsSync(join(root, name)))) {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  cpSync(join(root, file), join(copy, file))
}
for (const modules of ['node_modules', 'test/tools/node_modules']) if (existsSync(join(root, modules))) symlinkSync(join(root, modules), join(copy, modules))

// Its provider for tests stays where it is: that is no part of an integration.
cpSync(join(root, 'test/fixtures', id), join(copy, 'integrations', id), {
  recursive: true,
  filter: (path) => !/[/\\]fake[^/\\]*$|\.test\.ts$/.test(path),
})
for (const icon of [`${id}.svg`, `${id}-dark.svg`]) {
  const own = join(root, 'test/fixtures', id, icon)
  cpSync(existsSync(own) ? own : join(root, 'manifests/icons', icon.replace(id, 'toolyard')), join(copy, 'manifests/icons', icon))
}
const list = join(copy, 'integrations/index.ts')
const name = id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const listed = readFileSync(list, 'utf8')
  .replace('\n\n', `\nimport ${name} from './${id}/manifest.ts'\n\n`)
  .replace(/= \[([^\]]*)\]/, (_, names: string) => `= [${[...names.split(',').map((one) => one.trim()), name].toSorted().join(', ')}]`)
writeFileSync(list, listed)

const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: copy, stdio: 'inherit' }).status ?? 1
const failed =
  node('scripts/manifests.ts') ||
  node('scripts/docs.ts') ||
  // What is bundled is told by where packages lie, and in the copy they are links.
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
