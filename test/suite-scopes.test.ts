/**
 * `npm run test:leaks` leaves out files that have nothing to search, and `npm run test:fixture` files that a further
 * integration cannot change; this holds that it is so, and that no suite is impatient.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { withoutSecrets } from './canary/reach.ts'
import browser from './e2e/vitest.config.ts'
import { withoutIntegrations } from './fixtures/reach.ts'
import fixture from './fixtures/vitest.config.ts'
import processes from './process.config.ts'
import fast from './vitest.config.ts'

const read = (file: string) => readFileSync(resolve(import.meta.dirname, '..', file), 'utf8')
const opens =
  /\b(createPack|createVault|openWorld|openSandboxWorld|openHttpWorld|openMcpWorld|openOAuthWorld|serveWorld|openSqliteStore|createMemoryStore)\(/

test('no file that is left out opens a pack, a store or a vault', () => {
  const files = withoutSecrets()
  expect(files).toContain('test/kit/portable.test.ts')
  expect(files.filter((file) => opens.test(read(file)))).toEqual([])
})

test('what opens one is searched, itself or through what it imports', () => {
  const files = withoutSecrets()
  for (const file of [
    'test/contract.test.ts',
    'test/faces/http-runs.test.ts',
    'test/store/transfer.test.ts',
    'test/mcp/remedies.test.ts',
  ])
    expect(files).not.toContain(file)
})

test('a further integration is not seen by what test:fixture leaves out', () => {
  const files = withoutIntegrations()
  expect(files).toContain('test/wire/pace.test.ts')
  for (const file of [
    'test/contract.test.ts',
    'test/docs.test.ts',
    'test/boundaries.test.ts',
    'test/faces/http-runs.test.ts',
    'test/fixtures/issue-desk/triggers.test.ts',
  ])
    expect(files).not.toContain(file)
})

test('a condition is waited for longer than a second, the time by default', () => {
  for (const { test: suite } of [fast, fixture, processes, browser])
    expect(suite?.expect?.poll?.timeout).toBeGreaterThanOrEqual(10_000)
})
