import { defineConfig } from 'vitest/config'

/** Our OpenAPI document held against our own answers, by a checker that shares no code with us. */
export default defineConfig({
  test: {
    include: ['test/openapi/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
})
