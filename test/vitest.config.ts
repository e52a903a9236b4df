import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/faults/**', 'test/canary/**', 'test/kill/**', 'test/triggers/model/**', 'test/package/**', 'test/openapi/**', 'test/e2e/**', 'test/bench/**', 'test/tools/**', '**/node_modules/**'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Two cores: more workers only take turns.
    maxWorkers: 2,
  },
})
