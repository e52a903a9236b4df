import { defineConfig } from 'vitest/config'
import { patientPoll } from '../process.config.ts'

/** The browser suite: headless Chromium against the running server and the sandbox. */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts'],
    // Longer than the browser's driver waits, 30 s, so that a failure says for what. Far above what any test needs.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Each file has a server and a browser of its own.
    maxWorkers: 2,
    expect: { poll: patientPoll },
  },
})
