import { defineConfig } from 'vitest/config'

/** The operator's drill: `npm run test:drill`. DRILL=all plays it with all of its figures. */
export default defineConfig({
  test: {
    include: ['test/drill/**/*.test.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
    // The stories mostly wait: for retries, leases and the histories of providers.
    maxWorkers: 2,
  },
})
