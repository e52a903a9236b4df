/**
 * Compares what users can see of this version with an earlier one: `node scripts/compare-surface.ts COMMIT`. Builds
 * both and compares the OpenAPI document, the answers and stored rows of the same calls, the manifests as values,
 * `--help` of every command, exit codes, the library's declarations and the generated parts of the documents. Prints
 * each difference; exits with 1 when there is a difference that `scripts/surface/expected.json` does not list.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { compareDeclarations } from './surface/declarations.ts'
import { readServed } from './surface/served.ts'

type Surface = Record<string, unknown>
/**
 * `path`: the place of the difference, as it is printed; everything below it is expected too. `why`: the reason for the
 * difference.
 */
type Expected = { path: string; why: string }[]

const root = fileURLToPath(new URL('../', import.meta.url))

const runHelp = async (tree: string, command: string[], cache: string): Promise<string> => {
  const env = { PATH: process.env['PATH'], COLUMNS: '120', NODE_COMPILE_CACHE: cache }
  const child = spawn(process.execPath, [join(tree, 'dist/toolyard.js'), ...command, '--help'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return (await text(child.stdout)).replaceAll(join(tree, 'dist'), 'dist')
}

/**
 * Help pages of a command and all its subcommands, by command. Lines of the first page are sorted, because only their
 * grouping may change.
 */
const readHelp = async (tree: string, cache: string): Promise<Record<string, string[]>> => {
  const pages: Record<string, string[]> = {}
  const read = async (command: string[]): Promise<void> => {
    const page = await runHelp(tree, command, cache)
    if (command.length > 0 && !page.startsWith(`Usage: toolyard ${command.join(' ')} `)) return
    const lines = page.split('\n').map((line) => line.trimEnd())
    pages[['toolyard', ...command].join(' ')] = command.length > 0 ? lines : page.split(/\s+/).toSorted()
    const names = lines
      .flatMap((line) => /^ {2}([a-z][a-z-]*)\b(?!=)/.exec(line)?.[1] ?? [])
      .filter((name) => name !== 'help')
    for (const name of new Set(names)) await read([...command, name])
  }
  await read([])
  return pages
}

const readManifests = (tree: string): Record<string, unknown> => {
  const names = readdirSync(join(tree, 'manifests'), { recursive: true }) as string[]
  return Object.fromEntries(
    names
      .filter((name) => name.endsWith('.json'))
      .map((name) => [name, JSON.parse(readFileSync(join(tree, 'manifests', name), 'utf8'))]),
  )
}

const readGenerated = (tree: string): Record<string, string[]> =>
  Object.fromEntries(
    readdirSync(join(tree, 'docs'))
      .filter((page) => page.endsWith('.md'))
      .flatMap((page) =>
        [...readFileSync(join(tree, 'docs', page), 'utf8').matchAll(/<!-- generated:(\S+) -->(.*?)<!-- \/generated/gs)]
          .filter(([, name]) => name !== 'figures')
          .map(([, name, table]) => [`${page} ${name}`, table!.trim().split('\n')] as const),
      ),
  )

const readExits = async (tree: string): Promise<unknown> => {
  const { failures } = (await import(join(tree, 'dist/kit.js'))) as { failures: unknown }
  return failures
}

const readSurface = async (tree: string, cache: string): Promise<Surface> => ({
  ...(await readServed(tree)),
  manifests: readManifests(tree),
  help: await readHelp(tree, cache),
  failures: await readExits(tree),
  docs: readGenerated(tree),
})

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The paths at which two values differ, with both values. */
const differencesOf = (former: unknown, present: unknown, path = ''): string[] => {
  if (isObject(former) && isObject(present) && Array.isArray(former) === Array.isArray(present)) {
    const names = [...new Set([...Object.keys(former), ...Object.keys(present)])]
    return names.flatMap((name) => differencesOf(former[name], present[name], path === '' ? name : `${path} > ${name}`))
  }
  const print = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 200))
  return former === present ? [] : [`${path}: ${print(former)} was there, ${print(present)} is there`]
}

/**
 * The bundler names bundled files by their path below the tree, so linking the packages is not enough; hard links are
 * used where the disk allows it.
 */
const copyModules = (tree: string): void => {
  const copied = ['-al', '-a'].some((how) => spawnSync('cp', [how, join(root, 'node_modules'), tree]).status === 0)
  if (!copied) throw new Error(`The packages could not be copied to ${tree}.`)
}

const build = (tree: string): void => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: tree, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${tree} could not be built: ${stderr}`)
}

const git = (...command: string[]): void => {
  const { status, stderr } = spawnSync('git', ['-C', root, ...command], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${command.join(' ')} failed: ${stderr.trim()}`)
}

/** Every difference between the version at a commit and the files of this checkout. */
const compareWith = async (commit: string): Promise<string[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-surface-'))
  const former = join(folder, 'former')
  const scratch = join(folder, 'types')
  mkdirSync(scratch)
  git('worktree', 'add', '--detach', former, commit)
  try {
    copyModules(former)
    for (const tree of [former, root]) build(tree)
    const cache = join(folder, 'cache')
    const [was, is] = [await readSurface(former, cache), await readSurface(root, cache)]
    const types = compareDeclarations(join(former, 'dist/types'), join(root, 'dist/types'), scratch, root)
    return [...differencesOf(was, is), ...types.map((difference) => `types > ${difference}`)]
  } finally {
    git('worktree', 'remove', '--force', former)
    rmSync(folder, { recursive: true, force: true })
  }
}

const [commit] = process.argv.slice(2)
if (commit === undefined) throw new Error('Name the commit to compare with: node scripts/compare-surface.ts COMMIT')
const expected = JSON.parse(readFileSync(join(root, 'scripts/surface/expected.json'), 'utf8')) as Expected
const differences = await compareWith(commit)
const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** A `*` in an expected path matches any one name. */
const patterns = expected.map(({ path }) => new RegExp(`^${path.split('*').map(literally).join('[^>]*')}`))
const isExpected = (difference: string) => patterns.some((pattern) => pattern.test(difference))
for (const difference of differences)
  console.log(`${isExpected(difference) ? 'expected  ' : 'DIFFERENCE'} ${difference}`)
const unexpected = differences.filter((difference) => !isExpected(difference))
console.log(`${differences.length} differences from ${commit}, ${unexpected.length} of them not expected`)
process.exitCode = unexpected.length > 0 ? 1 : 0
