import { defineConfig } from 'vitest/config'

/** What a model reads, counted in tokens; and the documents for agents through generators of other people. */
export default defineConfig({
  test: {
    include: ['test/agents/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
})
