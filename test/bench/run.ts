/**
 * `npm run bench`: every bench that is there, one after the other, then their table in docs/benchmarks.md. With names
 * (`npm run bench -- cold-start`) only those. Exits 1 when a bound was missed.
 *
 * `npm run bench -- against <commit or tag>` compares this version with a former one, `npm run bench -- instructions`
 * with what the last release kept, and `npm run bench -- keep` keeps all rows for the release of `package.json`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fileOf, table, withPart } from '../../scripts/docs.ts'
import { shown } from './ledger.ts'
import type { Row } from './support.ts'

const benchNames = [
  'step',
  'wire',
  'cold-start',
  'startup',
  'store',
  'triggers',
  'signals',
  'fan-out',
  'work',
  'suppression',
  'fairness',
  'lookup',
  'credits',
  'console',
  'first-run',
  'tokens',
  'way',
  'served',
  'burst',
  'growth',
  'soak',
  'soak-nodes',
  'nodes',
  'idle',
  'scale',
]
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const rowsOf = (name: string): Row[] => {
  const file = path(`./results/${name}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Row[]) : []
}
const run = (script: string, scriptArguments: string[] = []) =>
  spawnSync(process.execPath, [script, ...scriptArguments], { stdio: 'inherit' }).status ?? 1

const requestedNames = process.argv.slice(2)
const commands = ['against', 'instructions', 'keep']
const [command = '', ...commandArguments] = requestedNames
if (commands.includes(command)) process.exit(run(path(`./${command}.ts`), commandArguments))
const unknown = requestedNames.filter((name) => !benchNames.includes(name))
if (unknown.length > 0)
  throw new Error(
    `There is no bench "${unknown.join('", "')}". There are: ${benchNames.join(', ')}, and the commands ${commands.join(', ')}.`,
  )

let failed = 0
for (const name of (requestedNames.length > 0 ? requestedNames : benchNames).filter((bench) =>
  existsSync(path(`./${bench}.ts`)),
)) {
  console.log(`\n${name}`)
  // Also after one that missed a bound.
  failed = run(path(`./${name}.ts`)) || failed
  if (rowsOf(name).some(({ holds }) => holds === false)) failed ||= 1
}

const said = (row: Row) => [
  row.what,
  shown(row),
  row.bound ?? '-',
  row.holds === null ? '-' : row.holds ? 'yes' : '**no**',
]
const page = fileOf('docs/benchmarks.md')
writeFileSync(
  page,
  withPart(
    readFileSync(page, 'utf8'),
    'bench',
    table(['What', 'Measured', 'Bound', 'Holds'], benchNames.flatMap(rowsOf).map(said)),
  ),
)
process.exitCode = failed
