/**
 * `npm test` checks types, then runs the whole fast suite offline. Arguments go to vitest (`npm test -- test/kit`). At
 * the end it lists the longer suites that it did not run and the causes of failure, if any; the last line contains the
 * counts.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestReport } from './test-report.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const shownCauses = 15

/** The compiler's errors in a project, one line each; also printed immediately. */
const typeErrors = (...project: string[]): string[] => {
  const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--noEmit', ...project], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.stdout.write(stdout)
  if (status === 0) return []
  const errors = stdout.split('\n').filter((line) => line.includes('error TS'))
  return errors.length > 0 ? errors : [`tsc ${project.join(' ')} ended with code ${status}`]
}

const runTests = (testArguments: string[]): TestReport => {
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-test-'))
  const TEST_REPORT = join(folder, 'report.json')
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/test-report.ts')}`]
  const vitest = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--config',
    'test/vitest.config.ts',
    '--root',
    root,
  ]
  const { status, signal } = spawnSync(process.execPath, [...vitest, ...reporters, ...testArguments], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, TEST_REPORT },
  })
  const report: TestReport = existsSync(TEST_REPORT)
    ? (JSON.parse(readFileSync(TEST_REPORT, 'utf8')) as TestReport)
    : { passed: 0, failed: 0, skipped: 0, causes: ['vitest wrote no report'] }
  rmSync(folder, { recursive: true, force: true })
  if (report.passed === 0) report.causes.push('no test passed')
  if (status !== 0 && report.causes.length === 0) report.causes.push(`vitest ended with ${signal ?? `code ${status}`}`)
  return report
}

const commandArguments = process.argv.slice(2)
// The browser suites take their types from test/tools, which a first `npm ci` does not install.
const hasTools = existsSync(join(root, 'test', 'tools', 'node_modules'))
const projects =
  commandArguments.length > 0 ? [] : [[], ['-p', 'shared/faces/console'], ...(hasTools ? [['-p', 'test/e2e']] : [])]
const wrongTypes = projects.flatMap((project) => typeErrors(...project))
const { passed, failed, skipped, causes } = runTests(commandArguments)

const longer = 'the longer suites, npm run test:process, npm run test:faults and others'
console.log(`Not run here (see .ci/run): ${longer}, and the checkers of test/tools.`)
if (!hasTools) console.log('Types of the suites in a browser were not checked: that takes npm ci --prefix test/tools.')
const why = [...wrongTypes, ...causes]
if (why.length > 0) {
  console.log(`npm test failed (${why.length === 1 ? 'the cause' : `${why.length} causes`}):`)
  for (const cause of why.slice(0, shownCauses)) console.log(`  ${cause}`)
  if (why.length > shownCauses) console.log(`  and ${why.length - shownCauses} more, above`)
}
const counts = `tests: ${passed} passed, ${failed} failed, ${skipped} skipped`
console.log(wrongTypes.length > 0 ? `${counts}; the type check failed` : counts)
process.exitCode = why.length > 0 ? 1 : 0
