import { defineConfig } from 'vitest/config'

/** The browser suite: headless Chromium against the running server and the sandbox. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Each file has a server and a browser of its own.
    maxWorkers: 2,
    // A browser on a busy machine; a condition that holds ends the wait at once.
    expect: { poll: { timeout: 10_000 } },
  },
})
