/**
 * `npm test`: types, then the whole fast suite, offline. Arguments go to vitest (`npm test -- test/kit`).
 * Ends with one plain line of counts and says which longer suites it did not run.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const run = (command: string, args: string[]) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status ?? 1

const rest = process.argv.slice(2)
let failed = rest.length > 0 ? 0 : run(bin('tsc'), ['--noEmit'])
if (rest.length === 0) failed ||= run(bin('tsc'), ['--noEmit', '-p', 'shared/faces/console'])
// The browser suite takes its types from the checkers, which a first `npm ci` does not bring.
const hasTools = existsSync(join(root, 'test', 'tools', 'node_modules'))
if (rest.length === 0 && hasTools) failed ||= run(bin('tsc'), ['--noEmit', '-p', 'test/e2e'])
if (failed) console.error('The type check failed; the tests were run all the same.')

const folder = mkdtempSync(join(tmpdir(), 'toolyard-test-'))
const report = join(folder, 'report.json')
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const ran = run(process.execPath, [
  vitest,
  'run',
  '--config',
  'test/vitest.config.ts',
  '--root',
  root,
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...rest,
])
failed ||= ran

try {
  const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>
  if (numPassedTests === 0) failed ||= 1
  console.log('Not run here (see .ci/run): the longer suites, npm run test:process, npm run test:faults and others, and the checkers of test/tools.')
  if (!hasTools) console.log('Types of test/e2e were not checked: that takes npm ci --prefix test/tools.')
  console.log(`tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`)
} catch {
  console.error('No test report was written.')
  failed ||= 1
}
rmSync(folder, { recursive: true, force: true })
process.exitCode = failed
