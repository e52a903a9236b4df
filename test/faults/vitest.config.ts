import { defineConfig } from 'vitest/config'

/** Real sockets, real time: one file after the other, so that they do not disturb each other's clocks. */
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 20_000,
    fileParallelism: false,
  },
})
