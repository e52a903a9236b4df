import { defineConfig } from 'vitest/config'

/**
 * Suites about whole processes: each of their tests starts the command, the server or PostgreSQL, for one to three seconds of a core. And suites of more than
 * ten seconds that say nothing of a further integration, which the fast suite is run with once more.
 */
export const processSuites = [
  'test/admin/audit-postgres.test.ts',
  'test/admin/keys.test.ts',
  'test/connections/commands.test.ts',
  'test/connections/served.test.ts',
  'test/docs/authors.test.ts',
  'test/docs/examples.test.ts',
  'test/docs/followed.test.ts',
  'test/docs/host.test.ts',
  'test/faces/backup.test.ts',
  'test/faces/cli-files.test.ts',
  'test/faces/cli-privacy.test.ts',
  'test/faces/cli-records.test.ts',
  'test/faces/completion.test.ts',
  'test/faces/dev.test.ts',
  'test/faces/doctor.test.ts',
  'test/faces/env.test.ts',
  'test/faces/http-requests.test.ts',
  'test/faces/json-log.test.ts',
  'test/faces/process.test.ts',
  'test/faces/profile-option.test.ts',
  'test/faces/refusals.test.ts',
  'test/faces/silent-database.test.ts',
  'test/faces/stopping.test.ts',
  'test/faces/triggers-process.test.ts',
  'test/faces/work.test.ts',
  'test/files/process.test.ts',
  'test/mcp/approved.test.ts',
  'test/mcp/transports.test.ts',
  'test/new.test.ts',
  'test/npm-test.test.ts',
  'test/privacy/postgres.test.ts',
  'test/runtime/nodes-keys.test.ts',
  'test/runtime/nodes-runs.test.ts',
  'test/store/former-data.test.ts',
  'test/store/nodes-changes.test.ts',
  'test/store/postgres-clocks.test.ts',
  'test/store/postgres-full-disk.test.ts',
  'test/store/postgres-jobs.test.ts',
  'test/store/postgres-nodes.test.ts',
  'test/store/postgres-silence.test.ts',
  'test/store/postgres-slots.test.ts',
  'test/store/postgres-upgrade.test.ts',
  'test/store/postgres.test.ts',
  'test/store/shrink.test.ts',
  'test/store/transfer.test.ts',
  'test/triggers/model.test.ts',
  'test/triggers/nodes-changes.test.ts',
  'test/triggers/nodes.test.ts',
]

/** `npm run test:process`: what takes too long for `npm test`, which has three minutes on two cores. */
export default defineConfig({
  test: {
    include: [...processSuites, 'test/wire/path-fuzz.test.ts'],
    env: { FUZZ_PATHS: '1000000' },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
})
