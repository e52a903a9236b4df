import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const compiler = { module: 'nodenext', target: 'es2024', strict: true, skipLibCheck: true, types: [] }
const passing = "import { it } from 'vitest'\nit('holds', () => {})\n"

/** `npm test` in a project of its own, which has these test files; gives its last lines and its exit code. */
const npmTest = (files: { [name: string]: string }, ...args: string[]) => {
  const project = mkdtempSync(join(tmpdir(), 'toolyard-npm-test-'))
  folders.push(project)
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  for (const name of ['scripts/test.ts', 'scripts/test-report.ts']) cpSync(join(root, name), join(project, name))
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  write('package.json', '{"type":"module"}')
  write('tsconfig.json', JSON.stringify({ compilerOptions: { ...compiler, noEmit: true }, include: ['test/**/*.ts'] }))
  write('shared/faces/console/tsconfig.json', JSON.stringify({ compilerOptions: compiler, files: ['page.ts'] }))
  write('shared/faces/console/page.ts', 'export const page = 1\n')
  write('test/vitest.config.ts', "export default { test: { include: ['test/**/*.test.ts'] } }\n")
  for (const [name, text] of Object.entries(files)) write(name, text)
  const env = { ...process.env, NO_COLOR: '1', TEST_REPORT: '' }
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test.ts', ...args], {
    cwd: project,
    encoding: 'utf8',
    env,
  })
  return { status, last: stdout.trimEnd().split('\n').slice(-6), all: stdout }
}

describe('npm test', () => {
  it('ends with the counts when all holds', () => {
    const { status, last, all } = npmTest({ 'test/a.test.ts': passing })
    expect([status, last.at(-1)], all).toEqual([0, 'tests: 1 passed, 0 failed, 0 skipped'])
    expect(all).not.toContain('npm test failed')
  })

  it('says on its last lines which types are wrong, though every test passed', () => {
    const wrong = "export const count: number = 'x'\n"
    const files = { 'test/a.test.ts': passing, 'test/wrong.ts': wrong, 'shared/faces/console/page.ts': wrong }
    const { status, last, all } = npmTest(files)
    expect(status, all).toBe(1)
    expect(last.slice(-4)).toEqual([
      'npm test failed (2 causes):',
      expect.stringMatching(/^ {2}test\/wrong\.ts\(1,14\): error TS2322: /),
      expect.stringMatching(/^ {2}shared\/faces\/console\/page\.ts\(1,14\): error TS2322: /),
      'tests: 1 passed, 0 failed, 0 skipped; the type check failed',
    ])
  })

  it('names the tests, files and hooks that failed, and errors outside of tests', () => {
    const { status, all } = npmTest(
      {
        'test/fails.test.ts': `import { describe, expect, it } from 'vitest'
          describe('a page', () => it('ends', () => expect(1).toBe(2)))`,
        'test/loads.test.ts': "throw new Error('It does not load.')",
        'test/hook.test.ts': `import { afterAll, describe, it } from 'vitest'
          describe('a server', () => {
            afterAll(() => { throw new Error('It does not stop.') })
            it('holds', () => {})
          })`,
        'test/outside.test.ts': `import { it } from 'vitest'
          it('holds', () => {
            void Promise.reject(new Error('Nobody waits for this.'))
            return new Promise((resolve) => setTimeout(resolve, 50))
          })`,
      },
      'test',
    )
    expect(status, all).toBe(1)
    const shown = all.slice(all.indexOf('npm test failed (4 causes):'))
    expect(shown).toContain('  test/fails.test.ts > a page > ends: expected 1 to be 2')
    expect(shown).toContain('  test/loads.test.ts: It does not load.')
    expect(shown).toContain('  test/hook.test.ts > a server: It does not stop.')
    expect(shown).toContain('  An error outside of tests: Nobody waits for this.')
    expect(shown.trimEnd()).toMatch(/\ntests: 2 passed, 1 failed, 0 skipped$/)
  })

  it('shows fifteen causes at most, and how many more there are', () => {
    const many = Array.from({ length: 20 }, (_, n) => `it('fails ${n}', () => expect(${n}).toBe(-1))`).join('\n')
    const { all } = npmTest({ 'test/a.test.ts': `import { expect, it } from 'vitest'\n${many}` }, 'test')
    expect(all.split('npm test failed (21 causes):')[1]!.trim().split('\n')).toHaveLength(17)
    expect(all).toContain('  and 6 more, above\ntests: 0 passed, 20 failed, 0 skipped')
  })

  it('says that no test ran', () => {
    const { status, last } = npmTest({ 'test/a.test.ts': passing }, 'test/other')
    expect(status).toBe(1)
    expect(last.slice(-3)).toEqual([
      'npm test failed (the cause):',
      '  no test passed',
      'tests: 0 passed, 0 failed, 0 skipped',
    ])
  })
})
