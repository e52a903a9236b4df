import { defineConfig } from 'vitest/config'

/** Packs, installs into an empty folder and uses what is there: minutes, and the package registry. */
export default defineConfig({
  test: {
    include: ['test/package/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
})
