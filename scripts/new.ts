/**
 * `npm run new -- <id> [--title "…"] [--like <kind> | --from <document> --operations <ids>]` creates a working integration under `integrations/<id>/`, with its
 * entry in the list, icons, manifest and documents. It is a copy of one of the starters beside this file, which the
 * contract test holds to the same rules as every other integration.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

/** Starters by the kind of provider that they are like: the name of their folder here, which is also their id. */
export const starters = {
  rest: 'starter',
  chat: 'starter-chat',
  graphql: 'starter-graphql',
  poll: 'starter-poll',
}
export type Kind = keyof typeof starters
const kinds = Object.keys(starters).join('|')

const usage = `Usage: npm run new -- <id> [--title "Title"] [--like ${kinds} | --from openapi.yml --operations id,id], for example: npm run new -- time-sheets`
const maxId = 30

/** The id becomes the name of an import, a folder, files in `manifests/` and tools, so these would clash. */
const reserved = new Set(
  [
    'index integrations pack manifest toolyard mcp openapi api-call apps connections events gaps hooks runs starts steps subscriptions triggers',
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if',
    'implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof',
    'undefined var void while with yield',
  ].flatMap((line) => line.split(' ')),
)

const camelCase = (id: string) => id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const titleOf = (id: string) =>
  id.replaceAll(/(^|-)(\w)/g, (_, dash: string, letter: string) => `${dash && ' '}${letter.toUpperCase()}`)

/** What is wrong with an id and how to fix it; undefined when it is usable. */
export const idProblem = (id: string, existing: string[]): string | undefined => {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id) || id.length > maxId)
    return `"${id}" is not a usable id. Give at most ${maxId} lower-case letters and digits in kebab-case, starting with a letter, like time-sheets.`
  if (reserved.has(id)) return `"${id}" is a reserved word. Give a longer id that names the provider, like ${id}-desk.`
  const same = existing.find((existingId) => existingId === id || camelCase(existingId) === camelCase(id))
  if (same !== undefined) return `integrations/${same} exists already. Give another id, or change that integration.`
  return undefined
}

/** The text of `integrations/index.ts` with one more integration. */
export const addToList = (source: string, id: string): string => {
  const imports = [...source.matchAll(/^import (\w+) from '\.\/([^/]+)\/manifest\.ts'$/gm)].map(([, name, folder]) => ({
    name: name!,
    folder: folder!,
  }))
  const all = [...imports, { name: camelCase(id), folder: id }].toSorted((a, b) => (a.folder < b.folder ? -1 : 1))
  const names = all.map(({ name }) => name)
  const oneLine = `[${names.join(', ')}]`
  const list =
    `export const integrations = ${oneLine}`.length <= 160
      ? oneLine
      : `[\n${names.map((name) => `  ${name},\n`).join('')}]`
  const lines = all.map(({ name, folder }) => `import ${name} from './${folder}/manifest.ts'`).join('\n')
  return source
    .replaceAll(/^import .*\n/gm, '')
    .replace(/^/, `${lines}\n`)
    .replace(/\[[^\]]*\]/, list)
}

const isKind = (text: string): text is Kind => Object.hasOwn(starters, text)

/** What is written as files of an integration, by their path in its folder. */
const filesOf = (root: string, id: string, title: string, kind: Kind): { [path: string]: string } => {
  const starter = join(root, 'scripts', starters[kind])
  const names = readdirSync(starter, { recursive: true, encoding: 'utf8' }).filter((entry) => /\.\w+$/.test(entry))
  return Object.fromEntries(
    names.map((name) => {
      const text = readFileSync(join(starter, name), 'utf8')
      return [name, text.replaceAll("'Starter'", `'${title}'`).replaceAll(starters[kind], id)]
    }),
  )
}

const writeFiles = (root: string, id: string, files: { [path: string]: string }): void => {
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, 'integrations', id, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

/** Gives the integration its icons and its entry in the list. */
const register = (root: string, id: string): void => {
  for (const kind of ['', '-dark'])
    copyFileSync(join(root, `manifests/icons/toolyard${kind}.svg`), join(root, `manifests/icons/${id}${kind}.svg`))
  const list = join(root, 'integrations/index.ts')
  writeFileSync(list, addToList(readFileSync(list, 'utf8'), id))
}

/** Writes the integration's files and its entry in the list. */
export const write = (root: string, id: string, title: string, kind: Kind): void => {
  writeFiles(root, id, filesOf(root, id, title, kind))
  register(root, id)
}

/** The same from an OpenAPI document. Returns what to edit. @throws Error that names flag and remedy; nothing is left */
export const writeFrom = async (
  root: string,
  id: string,
  title: string,
  file: string,
  operations: string[],
): Promise<string[]> => {
  const { fromOpenApi } = await import('./new/from-openapi.ts')
  const { files, edit } = fromOpenApi(file, operations, id, title)
  try {
    writeFiles(root, id, files)
    const { findExample } = await import('./new/find-example.ts')
    writeFiles(root, id, { 'examples/find-endpoints.json': await findExample(join(root, 'integrations', id)) })
  } catch (error) {
    rmSync(join(root, 'integrations', id), { recursive: true, force: true })
    throw new Error(`--from ${file}: what it describes cannot be written as steps: ${(error as Error).message}`)
  }
  register(root, id)
  return edit
}

const main = async (): Promise<number> => {
  const root = fileURLToPath(new URL('../', import.meta.url))
  const refuse = (why: string) => {
    console.error(why)
    return 2
  }
  let commandLine: {
    values: { title?: string; like?: string; from?: string; operations?: string }
    positionals: string[]
  }
  try {
    commandLine = parseArgs({
      allowPositionals: true,
      options: {
        title: { type: 'string' },
        like: { type: 'string' },
        from: { type: 'string' },
        operations: { type: 'string' },
      },
    })
  } catch (error) {
    return refuse(`${(error as Error).message}. ${usage}`)
  }
  const [id, ...more] = commandLine.positionals
  if (id === undefined || more.length > 0) return refuse(usage)
  const problem = idProblem(
    id,
    readdirSync(join(root, 'integrations')).filter((name) => !name.includes('.')),
  )
  if (problem !== undefined) return refuse(problem)
  const title = commandLine.values.title?.trim() ?? titleOf(id)
  if (!/^[\p{L}\p{N}][\p{L}\p{N} .&+()-]{0,59}$/u.test(title))
    return refuse(
      `--title "${title}" is not usable. Give 1 to 60 letters, digits, spaces and any of .&+()-, like "Time Sheets".`,
    )
  const { like = 'rest', from, operations } = commandLine.values
  if (!isKind(like))
    return refuse(`--like "${like}" is none of the starters. Give one of ${kinds.replaceAll('|', ', ')}.`)
  if (from === undefined && operations !== undefined)
    return refuse('--operations needs --from, the OpenAPI document that has them.')
  if (from !== undefined && commandLine.values.like !== undefined)
    return refuse('Give --like or --from, not both: an OpenAPI document takes the place of a starter.')
  let edit: string[] = []
  try {
    if (from === undefined) write(root, id, title, like)
    else
      edit = await writeFrom(
        root,
        id,
        title,
        from,
        (operations ?? '')
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
      )
  } catch (error) {
    return refuse((error as Error).message)
  }
  for (const script of ['manifests', 'docs']) {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', `${script}.ts`)], {
      cwd: root,
      encoding: 'utf8',
    })
    if (status !== 0) return refuse(`integrations/${id} is written, but "npm run ${script}" failed:\n${stderr}`)
  }

  console.log(`integrations/${id} is written and listed. Next:

  npx toolyard dev integrations/${id}      serves it and reloads it whenever you change a file
  npm test -- test/contract.test.ts       checks it and replays its examples
  npm run manifests && npm run docs        writes the generated files after a change; commit them
${edit.length === 0 ? '' : `\nEdit before you publish it:\n${edit.map((line) => `  ${line}\n`).join('')}`}
How to go on: docs/authors.md`)
  return 0
}

if (import.meta.main) process.exitCode = await main()
