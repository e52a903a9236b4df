import { defineConfig } from 'vitest/config'

/** Several nodes on one PostgreSQL: `npm run test:nodes`. */
export default defineConfig({
  test: {
    include: ['test/nodes/**/*.test.ts'],
    testTimeout: 900_000,
    hookTimeout: 600_000,
    // Each suite starts four nodes and a database of its own.
    fileParallelism: false,
  },
})
