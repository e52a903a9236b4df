import { defineConfig } from 'vitest/config'

/** What takes up to half an hour: `npm run test:long`, which then runs the suite of nodes with all of its figures. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})
