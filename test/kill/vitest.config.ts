import { defineConfig } from 'vitest/config'

/** Long suites that kill real processes: `npm run test:kill`. */
export default defineConfig({
  test: {
    include: ['test/kill/**/*.test.ts'],
    testTimeout: 1_200_000,
    hookTimeout: 60_000,
    // Each suite starts processes of its own; side by side they would only take turns.
    fileParallelism: false,
    maxConcurrency: 2,
  },
})
