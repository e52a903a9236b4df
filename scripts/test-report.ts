/**
 * A vitest reporter that writes the counts and the causes of failure to the file TEST_REPORT. `npm test` prints them at
 * its end.
 */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** `causes`: one line each, such as `test/kit/page.test.ts > page > ends: AssertionError: …`. */
export type TestReport = { passed: number; failed: number; skipped: number; causes: string[] }

const because = (place: string, errors: readonly { message?: string }[] = []): string => {
  const message = stripVTControlCharacters(errors[0]?.message ?? '').trim()
  return message === '' ? place : `${place}: ${message.split('\n')[0]}`
}

const causesOf = (module: TestModule): string[] => {
  const file = relative(process.cwd(), module.moduleId)
  const suites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0)
  return [
    ...(module.errors().length > 0 ? [because(file, module.errors())] : []),
    ...suites.map((suite) => because(`${file} > ${suite.fullName}`, suite.errors())),
    ...[...module.children.allTests('failed')].map((test) =>
      because(`${file} > ${test.fullName}`, test.result().errors),
    ),
  ]
}

export default class TestReportFile implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const count = (state: 'passed' | 'failed' | 'skipped') =>
      modules.flatMap((module) => [...module.children.allTests(state)]).length
    const outsideTests = unhandled.map((error) => because('An error outside of tests', [error]))
    const report: TestReport = {
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
      causes: [...modules.flatMap(causesOf), ...outsideTests],
    }
    writeFileSync(process.env['TEST_REPORT']!, JSON.stringify(report))
  }
}
