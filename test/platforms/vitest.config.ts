import { defineConfig } from 'vitest/config'

/**
 * The generated packages in the real platforms: builders, checkers, frameworks, and an n8n that is started on loopback.
 */
export default defineConfig({
  test: {
    include: ['test/platforms/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    maxWorkers: 1,
  },
})
