import { defineConfig } from 'vitest/config'

/**
 * A served process with a secret of its own in every place there is one; then everything it left behind is searched.
 */
export default defineConfig({
  test: {
    include: ['test/canary/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 270_000,
    maxWorkers: 1,
  },
})
