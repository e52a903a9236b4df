import { defineConfig } from 'vitest/config'

/**
 * A served process with a secret of its own in every place there is one; then everything it left behind is searched.
 */
export default defineConfig({
  test: {
    include: ['test/canary/**/*.test.ts'],
    testTimeout: 120_000,
    // The whole story is one hook: a minute and a half, and on a busy machine many times that.
    hookTimeout: 870_000,
    maxWorkers: 1,
  },
})
